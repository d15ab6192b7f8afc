"""Weights kept for later are the live ones: `state_dict()` and `p.data` do not copy.

## What it does
Fires when a program keeps a `state_dict()`, trains the model further or loads other weights into it, and then loads or
saves the dict as if it still held the earlier weights. Where the dict is taken in an `if` that compares scores and
loaded back outside of it, the rule also fires if the model has not been trained since: the last score just happened to
be the best. Also where the source keeps `p.data` or `p.detach()` of every parameter, and all parameters of an optimizer
are copied onto themselves later.

## Why it matters
The tensors of a `state_dict()` share memory with the model. By the time the "best" weights are restored they are the
last ones: loading them does nothing, and a file saved from them pairs the final weights with the best score.

## Common belief
`best = model.state_dict()` keeps the weights as they are now.

## In truth
It keeps references. The tensors in the dict are the model's own memory, which the next step writes to;
`copy.deepcopy(model.state_dict())` is a copy.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
best, best_loss = None, float("inf")
for _ in range(10):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    if loss.item() < best_loss:
        best, best_loss = model.state_dict(), loss.item()
    optimizer.step()
model.load_state_dict(best)
```

## Good
```python
import copy
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
best, best_loss = None, float("inf")
for _ in range(10):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    if loss.item() < best_loss:
        best, best_loss = copy.deepcopy(model.state_dict()), loss.item()
    optimizer.step()
model.load_state_dict(best)
```

## When it stays silent
The dict was copied, its tensors cloned or moved to another device; it is used before the next step; some of its
entries were replaced; it was taken before training and is saved or given to another model, as a view of the live
weights that is made once.

## How it decides
All parameters in the dict lie in the memory of the model's, and since the dict was taken the model's optimizers have
stepped or other weights were loaded into it; or the source shows that the dict was kept as the best one.
"""

from collections.abc import Iterator

from surefoot.facts import AliasFacts, SetupFacts
from surefoot.rules import Evidence, History, rule

_USES = {
    "load": "loading it back changes nothing",
    "elsewhere": "the other model gets the present weights",
    "save": "the file gets the present weights",
}


def _is_mistaken(alias: AliasFacts) -> bool:
    """Loading weights into themselves is never meant; as a view of the live ones a dict may serve if taken at first."""
    return alias.use == "load" or (alias.num_before > 0 and alias.num_between > 0)


def _since(alias: AliasFacts) -> str:
    if alias.num_between:
        return f"been trained for {alias.num_between} steps since"
    return "been given other weights since" if alias.is_overwritten else "not been trained since, only by chance"


@rule("warning", on=SetupFacts, probes=("saved",))
def check(now: SetupFacts, past: History) -> Iterator[Evidence]:
    for alias in filter(_is_mistaken, now.aliases):
        if alias.is_view:
            yield _of_views(alias)
            continue
        taken = f" at line {alias.taken.line}" if alias.taken is not None else ""
        yield Evidence(
            message=(
                f"the state_dict() of {alias.model} that was taken{taken} shares its memory with the model, which has "
                f"{_since(alias)}: {_USES[alias.use]}"
            ),
            fix="keep copy.deepcopy(model.state_dict()), or save it to a file at once.",
            site=alias.taken or alias.used,
            numbers={"steps_between": alias.num_between, "use": alias.use},
        )


def _of_views(alias: AliasFacts) -> Evidence:
    used = f" at line {alias.used.line}" if alias.used is not None else ""
    return Evidence(
        message=(
            f"the weights that are kept here are the parameters themselves, not copies: all {alias.model} of the "
            f"optimizer were copied onto themselves{used}, which changes nothing"
        ),
        fix="keep p.detach().clone() of each parameter, or copy.deepcopy(model.state_dict()).",
        site=alias.taken or alias.used,
        numbers={"steps": alias.num_before, "use": alias.use},
    )
