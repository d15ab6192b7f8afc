"""Dropout that was on before the first evaluation is off after it.

## What it does
Fires when dropout layers draw at first, are switched off by `eval()` for an evaluation, and training then goes on
through them while they are still off; other modules that the same optimizer trains are in train mode.

## Why it matters
From the second epoch on, part of the model trains without its regularisation. The only signs are a training loss that
drops a little at the first evaluation, and later overfitting.

## Common belief
`train()` on the model puts everything back.

## In truth
It reaches only modules registered below the one it is called on. Parts in variables of their own, or hidden in a plain
list, stay as `eval()` left them.

## Bad
```python
import torch

torch.manual_seed(0)
encoder = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Dropout(0.2))
decoder = torch.nn.Sequential(torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.01)
for _ in range(3):
    encoder.train()
    for _ in range(10):
        x = torch.randn(16, 4)
        loss = torch.nn.functional.mse_loss(decoder(encoder(x)), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    encoder.eval()
    decoder.eval()
    with torch.no_grad():
        decoder(encoder(torch.randn(16, 4)))
```

## Good
```python
import torch

torch.manual_seed(0)
encoder = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Dropout(0.2))
decoder = torch.nn.Sequential(torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.01)
for _ in range(3):
    encoder.train()
    decoder.train()
    for _ in range(10):
        x = torch.randn(16, 4)
        loss = torch.nn.functional.mse_loss(decoder(encoder(x)), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    encoder.eval()
    decoder.eval()
    with torch.no_grad():
        decoder(encoder(torch.randn(16, 4)))
```

## When it stays silent
Parts that are in eval mode from the start, that are switched off in training and not for an evaluation, or whose
parameters are frozen; schedules of the dropout rate. If everything an optimizer trains is in eval mode,
`training-in-eval-mode` reports it.
"""

from collections.abc import Iterator

from surefoot.facts import SetupFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=SetupFacts, probes=("lost_dropout",))
def check(now: SetupFacts, past: History) -> Iterator[Evidence]:
    lost = now.lost_dropout
    if lost is None or past.setup.lost_dropout is not None:
        return
    yield Evidence(
        message=(
            f"eval() switched off dropout (in {lost.holder}, layers: {lost.num_layers}) that was on in training, and "
            f"after the evaluation {lost.num_steps} backwards went through it while it was still off"
        ),
        fix="call train() on this module, too, before training goes on.",
        site=lost.site,
        numbers={"layers": lost.num_layers, "backwards": lost.num_steps},
    )
