"""An average of weights is evaluated with batch-norm statistics of other weights.

## What it does
Fires when the program moves the weights of a copy after those of the model it trains, as for an exponential moving
average or a target network, the copy runs in eval mode, and its batch-norm statistics are bit for bit what they were.
Also where torch's `AveragedModel` takes the plain mean of weights, and runs in eval mode with the statistics of the
last of them.

## Why it matters
In eval mode the copy normalises new activations by statistics of old weights, often by the initial mean of 0 and
variance of 1. The averaged model then looks much worse than the model itself, and it is the one that gets saved.

## Common belief
`parameters()` covers the whole model.

## In truth
Running means and variances are buffers, and a loop over `parameters()` leaves them out.
`torch.optim.swa_utils.AveragedModel` copies those of the model at every update; after a plain mean of weights,
`update_bn` has to take new ones.

## Bad
```python
import copy

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 1))
average = copy.deepcopy(model).eval()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(24):
    x = torch.randn(16, 4) + 2
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for mean, param in zip(average.parameters(), model.parameters()):
            mean.lerp_(param, 0.1)
with torch.no_grad():
    x = torch.randn(64, 4) + 2
    print(torch.nn.functional.mse_loss(average(x), x.sum(1, keepdim=True)).item())
```

## Good
```python
import copy

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 1))
average = copy.deepcopy(model).eval()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(24):
    x = torch.randn(16, 4) + 2
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for mean, param in zip(average.parameters(), model.parameters()):
            mean.lerp_(param, 0.1)
        for mine, buffer in zip(average.buffers(), model.buffers()):
            mine.copy_(buffer)
with torch.no_grad():
    x = torch.randn(64, 4) + 2
    print(torch.nn.functional.mse_loss(average(x), x.sum(1, keepdim=True)).item())
```

## When it stays silent
Buffers that are copied or averaged too, statistics taken anew before the evaluation (`update_bn`), copies in train
mode, models whose own statistics do not change, and copies that an optimizer trains. An `AveragedModel` that averages
its buffers, moves by a function of its own as an exponential average does, or is close to the last weights.
"""

from collections.abc import Iterator

from surefoot.facts import SetupFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=SetupFacts, probes=("averaged",))
def check(now: SetupFacts, past: History) -> Iterator[Evidence]:
    for one in now.averaged:
        if one in past.setup.averaged:
            continue
        yield Evidence(
            message=(
                f"the weights of a copy ({one.model}, {one.param}) follow the model that is trained, but its "
                f"batch-norm statistics ({one.num_layers} layers) have not changed for {one.num_steps} steps; here it "
                "runs in eval mode, which uses them"
            ),
            fix="copy the buffers too, as torch.optim.swa_utils.AveragedModel does, or call update_bn() beforehand.",
            site=one.site,
            numbers={"layers": one.num_layers, "steps": one.num_steps},
        )
    for average in set(now.plain_averages) - set(past.setup.plain_averages):
        yield Evidence(
            message=(
                f"an AveragedModel ({average.model}), the mean of {average.num_averaged} weights, runs in eval mode "
                f"with batch-norm statistics ({average.num_layers} layers) of the last of these, which are "
                f"{average.apart:.0%} away from the mean"
            ),
            fix="call torch.optim.swa_utils.update_bn(loader, averaged) before it is evaluated.",
            site=average.site,
            numbers={"layers": average.num_layers, "averaged": average.num_averaged, "apart": average.apart},
        )
