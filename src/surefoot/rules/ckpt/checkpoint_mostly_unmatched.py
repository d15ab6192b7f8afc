"""A checkpoint loaded with `strict=False` hardly fits, and the program ignores the result.

## What it does
Fires when `load_state_dict(..., strict=False)` left over a fifth of the model's keys and of the given ones unmatched,
although tensors of the missing shapes were given under other names, or when nothing matched at all, and the program
discarded the return value that says so.

## Why it matters
With `strict=False`, a prefix such as `module.` or a renamed layer silently turns loading into a no-op: the model keeps
its random weights.

## Common belief
`strict=False` loads what fits and would complain if nothing did.

## In truth
It never complains about names: a checkpoint without a single matching key loads without an error. Only the object that
`load_state_dict` returns lists what did not match.

## Bad
```python
import torch

torch.manual_seed(0)
pretrained = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
weights = {f"module.{name}": value.clone() for name, value in pretrained.state_dict().items()}
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
model.load_state_dict(weights, strict=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(5):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
pretrained = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
weights = {f"module.{name}": value.clone() for name, value in pretrained.state_dict().items()}
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
model.load_state_dict({name.removeprefix("module."): value for name, value in weights.items()})
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(5):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
```

## When it stays silent
The program keeps, prints, returns or inspects the result of `load_state_dict`; a library does the loading; every given
tensor fits (a backbone for a larger model, adapters) or every tensor of the model was given (the encoder of a larger
model); the missing entries have other shapes than the unexpected ones (a new head).
"""

from collections.abc import Iterator

from surefoot.facts import SetupFacts, UnmatchedFacts
from surefoot.rules import Evidence, History, rule

SHARE = 0.2  # of the keys; fewer are a head that was changed


def _hardly_fits(load: UnmatchedFacts) -> bool:
    if not load.num_own or not load.num_given:
        return False
    if load.num_missing == load.num_own:
        return True
    shares = (load.num_missing / load.num_own, load.num_unexpected / load.num_given, load.num_fitting / load.num_own)
    return min(shares) > SHARE


@rule("warning", on=SetupFacts, probes=("saved",))
def check(now: SetupFacts, past: History) -> Iterator[Evidence]:
    for load in now.unmatched:
        if not load.is_unseen or not _hardly_fits(load):
            continue
        names = f", for example {load.examples[0]!r} and {load.examples[1]!r}" if load.examples else ""
        yield Evidence(
            message=(
                f"load_state_dict(strict=False) filled {load.num_own - load.num_missing} of the {load.num_own} entries "
                f"of {load.model}: {load.num_missing} keys are missing and {load.num_unexpected} are "
                f"unexpected{names}"
            ),
            fix="rename the keys so that they match and load without strict=False, or check the returned missing_keys.",
            site=load.site,
            numbers={"missing": load.num_missing, "unexpected": load.num_unexpected, "keys": load.num_own},
        )
