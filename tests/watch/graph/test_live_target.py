"""Targets and advantages that carry gradients: which graphs have them."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from surefoot.facts import LiveTargetFacts, StepFacts
from surefoot.watch.graph.bootstrap import live_targets
from tests.watch.record import records_of

torch.manual_seed(0)
NET, OTHER = torch.nn.Linear(3, 4), torch.nn.Linear(3, 4)
S, NEXT, R = torch.randn(8, 3), torch.randn(8, 3), torch.randn(8)
DONE = torch.tensor([1.0, 0, 0, 0, 0, 0, 0, 0])
Q, BEST = NET(S)[:, 0], NET(NEXT).max(1).values
LOG_P = NET(S).log_softmax(1)[:, 0]
VALUE = OTHER(S)[:, 0]


def kinds(loss: Tensor) -> set[tuple[str, float]]:
    assert loss.grad_fn is not None
    return {(found.kind, round(found.discount, 3)) for found in live_targets(loss.grad_fn)}


@pytest.mark.parametrize(
    "target",
    [
        R + 0.9 * BEST,
        R + 0.9 * (1 - DONE) * BEST,
        R + BEST * 0.9 * (1 - DONE),
        0.9 * BEST + R,
        R + 0.9 * BEST.masked_fill(DONE.bool(), 0.0),
        (R + 0.9 * torch.min(BEST, OTHER(NEXT).max(1).values)).unsqueeze(1).squeeze(1),
    ],
)
def test_targets_in_many_spellings(target: Tensor) -> None:
    for loss in (F.mse_loss(Q, target), F.smooth_l1_loss(target, Q), (target - Q).pow(2).mean()):
        assert kinds(loss) == {("target", 0.9)}


@pytest.mark.parametrize(
    "loss",
    [
        F.mse_loss(Q, R + 0.9 * BEST.detach()),
        F.mse_loss(Q, R + 0.9 * VALUE),  # of another network
        F.mse_loss(Q, R + BEST),  # not discounted
        F.mse_loss(Q, R + 0.1 * BEST),
        F.mse_loss(Q, R + torch.rand(8) * BEST),
        F.mse_loss(Q, 0.9 * BEST),
        F.mse_loss(Q, BEST),
    ],
)
def test_other_differences(loss: Tensor) -> None:
    assert kinds(loss) == set()


def test_advantages() -> None:
    advantage = R - VALUE
    normalised = (advantage - advantage.mean()) / (advantage.std() + 1e-5)
    assert kinds(-(LOG_P * advantage).mean()) == {("advantage", 0)}
    assert kinds((normalised * (LOG_P - R).exp()).mean()) == {("advantage", 0)}
    assert kinds(-(LOG_P * (R + 0.9 * OTHER(NEXT)[:, 0].detach() - VALUE)).mean()) == {("advantage", 0)}
    assert kinds(-(LOG_P[0] * (0.5 - VALUE[0]))) == {("advantage", 0)}
    assert kinds(-(LOG_P * advantage.detach()).mean()) == set()
    assert kinds(((1 - VALUE.sigmoid()) * LOG_P.tanh()).mean()) == set()  # a gate
    assert kinds(-(LOG_P * (1 - LOG_P.exp())).mean()) == set()  # focal loss: one network


PROGRAM = """
import torch
torch.manual_seed(0)
net, {word} = torch.nn.Linear(3, 1), torch.randn(8, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(10):
    loss = (net(torch.randn(8, 3)) - ({word} + 0.9 * net(torch.randn(8, 3)))).square().mean()
    loss.backward()
    {before}
    optimizer.step()
    optimizer.zero_grad()
"""


def facts(word: str, before: str, file: Path) -> tuple[LiveTargetFacts, ...]:
    steps = [r for r in records_of(PROGRAM.format(word=word, before=before), file) if isinstance(r, StepFacts)]
    return steps[-1].live_targets


def test_steps_that_use_it_are_counted_where_names_speak_of_rewards(tmp_path: Path) -> None:
    (found,) = facts("nextReward", "pass", tmp_path / "one.py")
    assert (found.kind, found.num_windows, found.num_params) == ("target", 10, 2)
    assert found.site is not None and found.site.line in (7, 8)
    assert facts("offset", "pass", tmp_path / "two.py") == ()
    assert facts("reward", "residual = loss", tmp_path / "three.py") == ()
    cleared = "optimizer.zero_grad(); net(torch.ones(1, 3)).sum().backward()"
    assert facts("reward", cleared, tmp_path / "four.py") == ()
