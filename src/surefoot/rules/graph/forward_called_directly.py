"""`model.forward(x)` is called in place of `model(x)`.

## What it does
Fires when code outside any module calls `forward` of a model that trains, and the model itself is not called.

## Why it matters
Hooks run only in `model(x)`. Everything built on them is silently skipped: weight and spectral normalisation, pruning,
activation logging, gradient synchronisation between processes, mixed-precision wrappers, compiled code.

## Common belief
`model(x)` is a shorthand for `model.forward(x)`.

## In truth
`model(x)` runs the hooks around the forward, and with them weight normalisation, pruning and wrappers that synchronise
ranks. `forward` alone skips them.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model.forward(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Inside a module's own code (`super().forward`, `self.layer.forward`, `self.forward`), in libraries, and for models that
are used through methods of their own, such as `model.encode(x)` or `model.training_step(batch)`.

## How it decides
For the first steps a hook that torch offers for all modules notes which are called. A frame of some `forward` that
torch did not call, and that user code did, is a direct call.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=StepFacts, probes=("forward",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if not now.backwards:
        return
    for direct in now.direct_forwards:
        hooks = ", ".join(direct.hooks[:3])
        bypassed = f"; it bypassed its {len(direct.hooks)} hooks ({hooks})" if hooks else ""
        yield Evidence(
            message=f"{direct.model}.forward() was called directly, and the model itself never{bypassed}",
            fix="call the model: model(x) runs forward and every hook.",
            site=direct.site,
            numbers={"hooks_bypassed": len(direct.hooks)},
        )
