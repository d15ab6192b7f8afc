"""A target network or an average of the weights never moved.

## What it does
Fires at the end of a run in which a copy of a model, called a target or an average or made by `AveragedModel`, still
has the weights that it began with, though the model took 64 updates or more.

## Why it matters
A target network that stays makes the model chase its own first guesses; an average that stays is what is evaluated,
saved and shipped, and it is the random initialisation. The training loss falls either way.

## Common belief
A copy that was made with `deepcopy` or `load_state_dict` follows the model.

## In truth
A copy is a copy. It moves when something moves it: `update_parameters()`, `load_state_dict()` now and then, or a loop
over both parameters that works in place. `k = m * k + (1 - m) * q` gives a new value to a name and leaves the weights
alone.

## Bad
```python
import copy

import torch

torch.manual_seed(0)
agent = torch.nn.Module()
agent.online = torch.nn.Linear(4, 2)
agent.target = copy.deepcopy(agent.online)
optimizer = torch.optim.SGD(agent.online.parameters(), lr=0.01)
for _ in range(80):
    x = torch.randn(16, 4)
    with torch.no_grad():
        goal = x[:, :2] + 0.9 * agent.target(x)
        for k, q in zip(agent.target.parameters(), agent.online.parameters()):
            k = 0.99 * k + 0.01 * q
    loss = torch.nn.functional.mse_loss(agent.online(x), goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import copy

import torch

torch.manual_seed(0)
agent = torch.nn.Module()
agent.online = torch.nn.Linear(4, 2)
agent.target = copy.deepcopy(agent.online)
optimizer = torch.optim.SGD(agent.online.parameters(), lr=0.01)
for _ in range(80):
    x = torch.randn(16, 4)
    with torch.no_grad():
        goal = x[:, :2] + 0.9 * agent.target(x)
        for k, q in zip(agent.target.parameters(), agent.online.parameters()):
            k.lerp_(q, 0.01)
    loss = torch.nn.functional.mse_loss(agent.online(x), goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Copies by other names, such as teachers and reference models, which are meant to stay; copies that began with weights of
their own; runs of fewer than 64 updates, and those that did not come to their end; programs whose source has a
branch in which something moves it, which may not have been due yet; models on other devices than the CPU.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts
from surefoot.rules import Evidence, History, rule

FEWEST_UPDATES = 64  # what is moved now and then stands in a branch


@rule("warning", on=EndFacts, probes=("idle-copy",))
def check(now: EndFacts, past: History) -> Iterator[Evidence]:
    for one in now.idle_copies if now.reason == "finished" else ():
        if one.num_idle < FEWEST_UPDATES:
            continue
        model = one.model or "the model"
        yield Evidence(
            message=(
                f"{one.name} began as a copy of {model} and has not moved since, while {model} took "
                f"{one.num_idle} updates"
            ),
            fix=(
                f"move it after each update, in place: with torch.no_grad(), lerp_() every parameter of {one.name} "
                "towards the model's, or load the model's state dict now and then."
            ),
            site=one.site,
            numbers={"updates": one.num_idle},
        )
