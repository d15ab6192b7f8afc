"""Copies that are to follow a model and that nothing moves."""

import ast
import copy
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

from surefoot.facts import EndFacts, IdleCopyFacts
from surefoot.watch.mode import idle_copy, moving_source
from surefoot.watch.mode.moving_source import may_be_moved
from tests.watch.watching import watching

Move = Callable[[nn.Module, nn.Module], None]


class Agent(nn.Module):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.online = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
        self.copied = name
        self.add_module(name, copy.deepcopy(self.online))


def run(agent: Agent, move: Move, steps: int = 6) -> tuple[IdleCopyFacts, ...]:
    with watching() as watched:
        optimizer = torch.optim.SGD(agent.online.parameters(), lr=0.1)
        for _ in range(steps):
            optimizer.zero_grad()
            agent.online(torch.randn(8, 4)).square().mean().backward()
            optimizer.step()
            move(getattr(agent, agent.copied), agent.online)
        watched.emit_end("finished")
        (end,) = [record for record in watched.records if isinstance(record, EndFacts)]
        return end.idle_copies


def stay(copied: nn.Module, online: nn.Module) -> None:
    for k, q in zip(copied.parameters(), online.parameters(), strict=True):
        k = 0.9 * k + 0.1 * q


@torch.no_grad()
def follow(copied: nn.Module, online: nn.Module) -> None:
    for k, q in zip(copied.parameters(), online.parameters(), strict=True):
        k.lerp_(q, 0.1)


def in_other_memory(copied: nn.Module, online: nn.Module) -> None:
    for k in copied.parameters():
        k.data = k.data.clone()


@pytest.mark.parametrize("name", ["target", "ema_model", "encoder_k", "target_net"])
def test_a_copy_that_stays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_copy, "may_be_moved", lambda name, files: False)
    (found,) = run(Agent(name), stay)
    names = [full.rpartition(".")[2] for full in (found.name, found.model)]  # with other models alive, the whole path
    assert (*names, found.num_updates, found.num_idle) == (name, "online", 6, 6)
    assert found.site is not None and found.site.function == "run"


@pytest.mark.parametrize(("name", "move"), [("target", follow), ("target", in_other_memory), ("teacher", stay)])
def test_copies_that_move_or_are_meant_to_stay(name: str, move: Move, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_copy, "may_be_moved", lambda name, files: False)
    assert run(Agent(name), move) == ()


def test_other_weights_are_no_copy_and_averaged_models_need_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_copy, "may_be_moved", lambda name, files: False)
    agent = Agent("target")
    nn.init.normal_(agent.target[0].weight)
    average = AveragedModel(agent.online)
    (found,) = run(agent, stay)
    assert found.name == "the AveragedModel"
    assert run(agent, lambda copied, online: average.update_parameters(online)) == ()


def test_two_frozen_copies_are_no_model_and_its_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_copy, "may_be_moved", lambda name, files: False)
    agent = Agent("target")
    nn.init.normal_(agent.online[0].weight)
    agent.ema = copy.deepcopy(agent.target).requires_grad_(False)
    agent.target.requires_grad_(False)
    assert run(agent, stay) == ()


@pytest.mark.parametrize(
    ("branch", "moves"),
    [
        ("if n % 100 == 0: agent.target.load_state_dict(net.state_dict())", True),
        ("if n % 100 == 0: net.load_state_dict(agent.target.state_dict())", False),
        ("if n > 10: swa.update_parameters(model)", True),
        ("if n > 10: self.soft_update(0.1)", True),
        ("if n > 10: ema.update()", True),
        ("if n > 10: loss = (net(x) - target(x)).mean()", False),
        ("if n > 10: target.eval()", False),
        ("if __name__ == '__main__': sync_target()", False),
        ("sync_target()", False),
    ],
)
def test_a_branch_that_may_move_it(branch: str, moves: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving_source, "parse", ast.parse)
    assert may_be_moved("target", [branch]) is moves
