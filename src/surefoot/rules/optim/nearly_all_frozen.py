"""Nearly all parameters are frozen, and only normalisation layers train.

## What it does
Fires when fewer than one parameter in a hundred requires a gradient and all that do belong to normalisation layers;
when fewer than one in twenty does, if the model was neither loaded nor trained before, or if its head, which makes the
prediction that the loss is given, was not.

## Why it matters
A filter by name that does not match leaves this behind: the head should train but is frozen too. Scales and shifts of
normalisation layers can lower the loss a little, so the run looks healthy.

## Common belief
If the loss falls, the right part is being trained.

## In truth
Scales and shifts of normalisation layers alone can lower it. Count the parameters that require a gradient to see what a
filter by name left trainable.

## Bad
```python
import torch

torch.manual_seed(0)
body = torch.nn.Sequential(torch.nn.Linear(4, 96), torch.nn.LayerNorm(96), torch.nn.ReLU(), torch.nn.Linear(96, 96))
model = torch.nn.Sequential(body, torch.nn.ReLU(), torch.nn.Linear(96, 1))
for name, p in model.named_parameters():
    p.requires_grad = name.startswith(("head", "0.1."))
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
body = torch.nn.Sequential(torch.nn.Linear(4, 96), torch.nn.LayerNorm(96), torch.nn.ReLU(), torch.nn.Linear(96, 96))
model = torch.nn.Sequential(body, torch.nn.ReLU(), torch.nn.Linear(96, 1))
for name, p in model.named_parameters():
    p.requires_grad = name.startswith(("2.", "0.1."))
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Adapters, low-rank factors, prompts, a head, biases only. Where the whole model was loaded it is a note: test-time
adaptation trains only normalisation layers on purpose.
"""

from collections.abc import Iterator, Sequence

from surefoot.facts import ParameterFacts, StepFacts
from surefoot.rules import Evidence, History, rule

STEPS = 3  # a model may be thawed in the first steps
SHARE = 0.01
LAYERS = {"Addmm", "Mm", "Linear", "Convolution"}  # operations of a head
SHARE_FROM_SCRATCH = 0.05  # a model or a head that has learned nothing yet has no reason to be frozen at all


@rule("warning", on=StepFacts, probes=("setup",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    setup = past.setup
    if now.update != STEPS or not setup.parameters:
        return
    free = [p for p in setup.parameters if p.requires_grad]
    frozen = [p for p in setup.parameters if not p.requires_grad]
    num_free = sum(p.num_elements for p in free)
    num_all = num_free + sum(p.num_elements for p in frozen)
    head = _new_head(now, frozen)
    has_a_past = head is None and any(map(_has_a_past, frozen))
    if not free or not all("Norm" in p.module_kind for p in free):
        return
    if num_free < num_all * (SHARE if has_a_past else SHARE_FROM_SCRATCH):
        optimizer = next((o for o in setup.optimizers if o.id == now.optimizer), None)
        newness = f", among them {head.name}, which was never loaded or trained" if head is not None else ""
        yield Evidence(
            message=(
                f"{num_free:,} of {num_all:,} parameter elements train ({num_free / num_all:.1%}), and all of them "
                f"belong to normalisation layers; {len(frozen)} parameters are frozen{newness}"
            ),
            fix="check the condition by which parameters are frozen; print the names of those that train.",
            site=setup.frozen_at or (optimizer.site if optimizer is not None else None) or now.site,
            numbers={"trainable": num_free, "elements": num_all},
            level="note" if has_a_past else None,
        )


def _has_a_past(param: ParameterFacts) -> bool:
    return param.loaded or param.copied or param.trained


def _new_head(now: StepFacts, frozen: Sequence[ParameterFacts]) -> ParameterFacts | None:
    """The frozen weight that was never loaded or trained, beside others that were, and that makes the predictions."""
    weights = [p for p in frozen if len(p.shape) > 1]
    new = [p for p in weights if not _has_a_past(p)]
    if not weights or len(new) != 1 or new != weights[-1:] or not any(map(_has_a_past, frozen)):
        return None
    outputs = [part.fed_by[0] for b in now.window if b.loss is not None for part in b.loss.parts if part.fed_by]
    made = [op for op in outputs if op.name in LAYERS and op.shape[1:2] == new[0].shape[:1]]
    return new[0] if made and len(made) == len(outputs) else None
