"""A model is evaluated in train mode.

## What it does
Fires when a model that is being trained, or a copy of it (an average of its weights, say), runs without gradient,
between training steps or after the last one, while it is in train mode and its dropout draws or its batch-norm
statistics move. An evaluation that records graphs, because `torch.no_grad()` is missing too, is found where it goes
over a `DataLoader`.

## Why it matters
Dropout then distorts the predictions, and batch-norm normalises by the evaluation batch and mixes its data into the
statistics that the trained model will use: the score is wrong, and evaluating changes the model. `torch.no_grad()`
switches off neither.

## Common belief
`torch.no_grad()` is evaluation mode.

## In truth
It stops the recording of graphs. Dropout stays active, and batch-norm keeps updating its statistics, now with
evaluation data; only `model.eval()` stops both.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(4, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    model.train()
    for _ in range(6):
        x = torch.randn(16, 4)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        x = torch.randn(64, 4)
        print(epoch, torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).item())
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(4, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    model.train()
    for _ in range(6):
        x = torch.randn(16, 4)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x = torch.randn(64, 4)
        print(epoch, torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).item())
```

## When it stays silent
MC-dropout (single layers put into train mode, the model switched to train on purpose, or one input given again and
again), `update_bn` and other recalibration of statistics, models that no optimizer trains (pretrained teachers),
activation checkpointing, and forwards that are part of the training step: fakes for a discriminator, targets of
momentum encoders and target nets, pseudo-labels, rollouts. With gradient also: loaders that are trained on in other
passes, graphs that are kept and may be backwarded later, and evaluations without a `DataLoader`.

## How it decides
What belongs to the training step runs before every step, so also before the first. An evaluation runs after steps: it
is what the program does last with the model, or it recurs at intervals of several steps: in each a pass over data, or
at equal intervals, or in the whole run never in a hurry. Where forwards record graphs, they count if they belong to a
pass over a loader during which nothing is ever backwarded, and their graphs are gone when training goes on.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, EvaluationFacts, StepFacts
from surefoot.rules import Evidence, History, rule

INTERVAL = 2  # steps between phases; with 1 it may be a part of the step
LONG_INTERVAL = 4  # what happens by chance in every other step seldom keeps away this long
SEVERAL = 2  # forwards on different inputs: a pass over data
ROLLOUT = 8  # more forwards than this, and the first of them before any step, gather experience to train on


@rule("warning", on=(StepFacts, EndFacts), probes=("mode",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    at_end = isinstance(now, EndFacts)
    if isinstance(now, EndFacts) and now.reason != "finished":
        return  # what came last in an unfinished program may be followed by a step
    for run in now.evaluations:
        if _is_active_unasked(run) and (_recurs(run, at_end=at_end) or _is_final(run)):
            yield _evidence(run)


def _is_active_unasked(run: EvaluationFacts) -> bool:
    if not (run.is_trained or run.is_copy) or not run.in_train:
        return False
    if run.with_gradient and run.num_forwards < SEVERAL:
        return False  # the only graph may still be in use
    if run.num_optimizers > 1 and run.num_forwards < SEVERAL:
        return False  # in a game of several optimizers a single forward now and then is a sample to look at
    by_design = run.switched_on or run.recalibrates or run.num_repeated
    return bool(run.num_batchnorm or run.num_dropout) and not by_design


def _recurs(run: EvaluationFacts, *, at_end: bool) -> bool:
    if not run.gaps or min(run.gaps) < INTERVAL:
        return False
    if run.before_first_step and run.num_forwards > ROLLOUT:
        return False
    enough = 2 if run.gaps[0] >= LONG_INTERVAL else 3
    if len(set(run.gaps)) == 1 and len(run.gaps) >= enough:
        return True
    never_in_a_hurry = at_end and min(run.gaps) >= LONG_INTERVAL
    return not run.before_first_step and (run.num_forwards >= SEVERAL or never_in_a_hurry)


def _is_final(run: EvaluationFacts) -> bool:
    return run.is_last and (not run.before_first_step or _recurs(run, at_end=True))


def _evidence(run: EvaluationFacts) -> Evidence:
    effects = []
    if run.num_batchnorm:
        effects.append(f"{run.num_batchnorm} batch-norm layer{'s' * (run.num_batchnorm > 1)} moved their statistics")
    if run.num_dropout:
        effects.append(f"{run.num_dropout} dropout layer{'s' * (run.num_dropout > 1)} dropped activations")
    times = f"{run.num_forwards} forward{'s' * (run.num_forwards > 1)}"
    how = "in train mode, and no backward followed" if run.with_gradient else "without gradient in train mode"
    no_grad = " under torch.no_grad()" if run.with_gradient else ""
    return Evidence(
        message=f"{run.model} ran {times} {how}, outside training: {' and '.join(effects)}",
        fix=f"call model.eval() before evaluating{no_grad} and model.train() before training on.",
        site=run.site,
        numbers={
            "forwards": run.num_forwards,
            "batchnorm_layers": run.num_batchnorm,
            "dropout_layers": run.num_dropout,
            "evaluations_so_far": run.phase,
        },
    )
