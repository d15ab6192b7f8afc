"""A module loads a state dict that holds the module's own tensors.

## What it does
Fires when every tensor given to `load_state_dict` lives in the memory of the module that loads it, and none was written
to since the dict was taken.

## Why it matters
Each tensor is copied onto itself, so the call changes nothing. A target network that is the policy itself is always up
to date, and Q-learning chases its own estimates; a checkpoint without a matching name leaves the model with its random
weights.

## Common belief
`target = policy` makes a second network, which `load_state_dict` brings up to date now and then.

## In truth
It makes a second name. Only a copy, such as `copy.deepcopy(policy)`, has weights of its own that can be older.

## Bad
```python
import torch

torch.manual_seed(0)
policy = torch.nn.Linear(4, 2)
target = policy
optimizer = torch.optim.SGD(policy.parameters(), lr=0.05)
for step in range(20):
    if step % 5 == 0:
        target.load_state_dict(policy.state_dict())
    state, reward = torch.randn(16, 4), torch.randn(16)
    with torch.no_grad():
        wanted = reward + 0.9 * target(state).max(1).values
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(policy(state).max(1).values, wanted).backward()
    optimizer.step()
```

## Good
```python
import copy
import torch

torch.manual_seed(0)
policy = torch.nn.Linear(4, 2)
target = copy.deepcopy(policy)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.05)
for step in range(20):
    if step % 5 == 0:
        target.load_state_dict(policy.state_dict())
    state, reward = torch.randn(16, 4), torch.randn(16)
    with torch.no_grad():
        wanted = reward + 0.9 * target(state).max(1).values
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(policy(state).max(1).values, wanted).backward()
    optimizer.step()
```

## When it stays silent
Any entry is another tensor: a copy, one from a file, one that was computed; the dict's tensors were written to in place
before it was loaded; the answer of `load_state_dict` is looked at; a library loads; the module or a part of it has
hooks for loading, or loads in its own way. For dicts kept while the model trained, see `best-weights-aliased`.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, SelfLoadFacts, SetupFacts
from surefoot.rules import Evidence, History, rule

_FIX = {
    True: "for a second network use copy.deepcopy(model); where weights are to be loaded, see which names match.",
    False: "build the other one so that it has parameters of its own, for example with copy.deepcopy(model).",
}


@rule("warning", on=(SetupFacts, EndFacts), probes=("saved",))
def check(now: SetupFacts | EndFacts, past: History) -> Iterator[Evidence]:
    if isinstance(now, SetupFacts):
        found = [load for load in now.self_loads if not _is_kept(load)]
    else:  # of a dict that was kept it may turn out that it should have been a copy
        mistaken = {alias.taken for alias in past.setup.aliases}
        found = [load for load in past.setup.self_loads if _is_kept(load) and load.taken not in mistaken]
    for load in found:
        taken = f" taken at line {load.taken.line}" if load.taken is not None and _is_kept(load) else ""
        whose = "its own" if load.same_module else "those of a module with which it shares all its parameters"
        yield Evidence(
            message=f"all tensors in the state dict{taken} that {load.model} loads are {whose}: nothing changes",
            fix=_FIX[load.same_module],
            site=load.site,
            numbers={"same_module": load.same_module},
        )


def _is_kept(load: SelfLoadFacts) -> bool:
    return load.same_module and load.taken != load.site
