"""The graph of the loss does not lead back to the model.

## What it does
Fires when `backward()` reaches no parameter at all and the optimizer steps without a gradient: the loss was wrapped in
a new tensor, or computed from detached outputs.

## Why it matters
`torch.tensor(loss, requires_grad=True)`, `loss.detach().requires_grad_()` and `loss.data` make a new tensor that knows
nothing of the model. Its backward runs without complaint and gives no parameter a gradient: nothing is trained.

## Common belief
Setting `requires_grad=True` on the loss fixes "element 0 of tensors does not require grad".

## In truth
That makes the loss a new leaf: its backward ends at itself. The message means that the graph was cut earlier; the fix
belongs there.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(8):
    x = torch.randn(16, 4)
    error = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss = torch.tensor(error.item(), requires_grad=True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Straight-through estimators and other partial cuts, which reach some parameter; adversarial examples, inversion and
saliency, where the input is optimised or no step follows; gradients written by hand.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule

STEPS = 2  # one idle step may be a special case of the program's; a leaf as loss is none


def _is_cut_off(step: StepFacts) -> bool:
    idle = not any(g.sources or g.by_hand for g in step.gradients)
    return idle and bool(step.backwards) and not any(b.reached or b.num_unowned for b in step.backwards)


@rule("error", on=StepFacts, probes=("loss", "setup"))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.skipped or now.inside_backward or now.inside_step is not None or not now.gradients or not _is_cut_off(now):
        return
    last = now.backwards[-1]
    is_leaf = last.loss is not None and last.loss.kind == "leaf"
    before = next(past.of(now.optimizer), None)
    if not is_leaf and (now.update < STEPS or before is None or not _is_cut_off(before)):
        return
    num_params = sum(g.num_params for g in now.gradients)
    what = "the loss is a new tensor without history" if is_leaf else "the loss was computed from detached tensors"
    yield Evidence(
        message=f"{what}: backward() reached none of the model's parameters, and step {now.index} had no gradient",
        fix="backward the loss itself, without torch.tensor(), .detach(), .data or .item() on the way to it.",
        site=(last.loss.site if last.loss is not None else None) or last.site,
        numbers={"params_without_gradient": num_params, "backward_line": last.site.line if last.site else None},
    )
