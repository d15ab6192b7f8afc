"""Updates of half-precision weights vanish in rounding.

## What it does
Fires when the optimizer holds bf16 or fp16 weights and most elements with a non-zero gradient are exactly the same
after the step as before it; also when weight decay, which AdamW multiplies into such weights by itself, leaves every
one of them as it is.

## Why it matters
bf16 keeps 8 significant bits: a weight of 0.1 can only move in steps of 0.0005. Smaller updates are rounded away,
at every step, so most weights never learn anything. The loss often still falls a little, thanks to the few that move.

## Common belief
Weights in bf16 train like weights in fp32, just with a little noise.

## In truth
An update smaller than half the distance to the next bf16 number is not noise: it is rounded away completely, and again
at the next step. Autocast keeps weights in fp32 for that reason; only the computation is in bf16.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)).to(torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
for _ in range(16):
    x = torch.randn(32, 8, dtype=torch.bfloat16)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
for _ in range(16):
    x = torch.randn(32, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
float32 weights under autocast, optimizers that are not torch's own (stochastic rounding, Kahan summation), rates that
are still warming up or have decayed, runs whose updates vanish only once they have converged; fused optimizers, which
round decay and update together. Losing AdamW's default decay is only a note, because the program may not have asked for
it.
"""

from collections.abc import Iterator

from surefoot.facts import LostUpdateFacts, StepFacts
from surefoot.rules import Evidence, History, rule

SAMPLES = 6  # measured steps at a rate that does not rise
EARLY = 16  # measured steps that count: later the run may have converged
MOST = 0.75
DEFAULT_DECAY = 0.01  # of AdamW
NEAR_PEAK = 0.5  # of the highest rate so far: below it vanishing updates are the schedule's doing


@rule("warning", on=StepFacts, probes=("lost",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.lost_updates is None:
        return
    samples = [step.lost_updates for step in past.of(now.optimizer) if step.lost_updates is not None]
    samples = sorted([now.lost_updates, *samples], key=lambda sample: sample.update)
    counted = _at_full_rate(samples)[:EARLY]
    if len(counted) < SAMPLES:
        return
    yield from _lost_updates(counted, now) or _lost_decay(counted, now, past)


def _lost_updates(counted: list[LostUpdateFacts], now: StepFacts) -> list[Evidence]:
    num_checked = sum(sample.num_checked for sample in counted)
    num_unchanged = sum(sample.num_unchanged for sample in counted)
    if num_checked == 0 or num_unchanged < MOST * num_checked:
        return []
    found = counted[-1]
    return [
        Evidence(
            message=(
                f"{100 * num_unchanged // num_checked} % of the {found.dtype} weights ({', '.join(found.params[:2])}) "
                "with a non-zero gradient are the same after the step as before, "
                f"at a rate of {found.lr:g}, over {len(counted)} measured steps"
            ),
            fix="keep the weights in float32 and use autocast for the forward, or round stochastically.",
            site=now.site,
            numbers={"checked": num_checked, "unchanged": num_unchanged, "lr": found.lr},
        )
    ]


def _lost_decay(counted: list[LostUpdateFacts], now: StepFacts, past: History) -> list[Evidence]:
    """Every weight looked at is the same after it was multiplied by the decay."""
    if not all(sample.num_decayed and sample.num_undecayed == sample.num_decayed for sample in counted):
        return []
    found = counted[-1]
    made = next((o.site for o in past.setup.optimizers if o.id == now.optimizer), None)
    return [
        Evidence(
            message=(
                f"weight decay of {found.weight_decay:g} has no effect: at a rate of {found.lr:g} each of the "
                f"{found.num_decayed} {found.dtype} weights looked at, multiplied by 1 - {found.lr:g} * "
                f"{found.weight_decay:g}, is rounded to what it was, in all of {len(counted)} measured steps"
            ),
            why="The program asks for regularisation and gets none.",
            fix="keep the weights in float32 and use autocast for the forward, or set weight_decay=0.",
            site=made or now.site,
            numbers={"decayed": found.num_decayed, "lr": found.lr, "weight_decay": found.weight_decay},
            level="note" if found.weight_decay <= DEFAULT_DECAY else None,
        )
    ]


def _at_full_rate(samples: list[LostUpdateFacts]) -> list[LostUpdateFacts]:
    """Those since the rate stopped rising, while it is near its peak."""
    peak = max(sample.lr for sample in samples)
    first = next(i for i, sample in enumerate(samples) if sample.lr == peak)
    return [sample for sample in samples[first:] if sample.lr >= NEAR_PEAK * peak]
