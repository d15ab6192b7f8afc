"""`loop.state`: what else a program's training goes on from."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

import surefoot as sf
from surefoot.loop.plan import LoopWarning
from surefoot.loop.saving import OtherCheckpointError
from tests.loop.training import all_equal, make_batches, make_model, weights

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


class Counter:
    """An object of the program's own."""

    def __init__(self) -> None:
        self.num = 0

    def state_dict(self) -> dict[str, int]:
        return {"num": self.num}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.num = state["num"]


class Training:
    """Its loss depends on all kinds of state: a queue with a pointer, a teacher, an object, generators."""

    def __init__(self, folder: Path | None) -> None:
        self.model, self.teacher = make_model(), make_model()
        self.queue, self.counter = torch.zeros(6), Counter()
        self.noise = torch.Generator().manual_seed(4)
        self.python, self.numpy = random.Random(4), np.random.default_rng(4)
        self.loop = sf.Loop(self.model, torch.optim.AdamW(self.model.parameters(), lr=0.01), checkpoint=folder)
        state: dict[str, Any] = {
            "pointer": 0, "queue": self.queue, "teacher": self.teacher, "counter": self.counter, "noise": self.noise,
            "python": self.python, "numpy": self.numpy, "seen": [],
        }  # fmt: skip
        self.loop.state.update(state)

    def run(self, until: int | None = None) -> None:
        loop = self.loop
        for num, (x, y) in enumerate(loop.batches(make_batches([4] * 5), epochs=2), 1):
            with loop.step() as step:
                step.backward(self.loss(x, y))
            self.after_step()
            if num == until:
                loop.save()
                return

    def loss(self, x: Tensor, y: Tensor) -> Tensor:
        factor = 1 + 0.1 * self.python.random() + 0.1 * self.numpy.random() + 0.1 * self.counter.num
        noisy = x + 0.1 * torch.randn(x.shape, generator=self.noise) + self.queue.mean()
        with torch.no_grad():
            target = self.teacher(noisy).mean()
        return F.cross_entropy(self.model(noisy) + 0.1 * target, y) * factor

    def after_step(self) -> None:
        loop = self.loop
        self.queue[loop.state["pointer"]] = loop.history[-1]["loss"]
        loop.state["pointer"] = (loop.state["pointer"] + 1) % len(self.queue)
        loop.state["seen"].append(loop.num_updates)
        self.counter.num += 1
        with torch.no_grad():
            for mine, theirs in zip(self.teacher.parameters(), self.model.parameters(), strict=True):
                mine.lerp_(theirs, 0.1)


def test_a_resumed_run_is_bitwise_the_same(tmp_path: Path) -> None:
    whole = Training(None)
    whole.run()
    for until in (1, 5, 8):
        Training(tmp_path / str(until)).run(until)
        again = Training(tmp_path / str(until))
        again.noise.manual_seed(99)
        assert again.loop.resume()
        assert again.loop.state["queue"] is again.queue  # filled in place
        again.run()
        assert all_equal(weights(whole.model), weights(again.model))
        assert all_equal([whole.queue, *weights(whole.teacher)], [again.queue, *weights(again.teacher)])
        assert again.loop.state["seen"] == whole.loop.state["seen"] == list(range(1, 11))
        assert list(again.loop.history) == list(whole.loop.history)


def small(folder: Path, **state: Any) -> sf.Loop:
    model = nn.Linear(2, 1)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), checkpoint=folder, watch=False)
    loop.state.update(state)
    return loop


def test_what_was_saved_must_have_a_place(tmp_path: Path) -> None:
    small(tmp_path, counter=Counter(), pointer=3).save()
    says = r"loop\.state\['counter'\] is in the checkpoint but not here; set it before resume\(\)\. Nothing was loaded"
    other = small(tmp_path)
    with pytest.raises(OtherCheckpointError, match=says):
        other.resume()
    with pytest.raises(OtherCheckpointError, match="was an object with state_dict and is a plain value here"):
        small(tmp_path, counter=3).resume()
    again = small(tmp_path, counter=Counter())
    again.resume()
    assert again.state["pointer"] == 3  # a plain value needs none
    del again.state["pointer"]
    assert list(again.state) == ["counter"]
    assert len(again.state) == 1
    assert "counter" in repr(again.state)


def test_what_was_not_saved_is_said(tmp_path: Path) -> None:
    small(tmp_path).save()
    with pytest.warns(LoopWarning, match=r"loop\.state\['pointer'\] is not in the checkpoint and stays as"):
        small(tmp_path, pointer=3).resume()


def test_what_can_not_be_saved_is_refused_at_once(tmp_path: Path) -> None:
    loop = small(tmp_path)
    with pytest.raises(TypeError, match=r"but loop\.state\['x'\] is a builtins\.object"):
        loop.state["x"] = object()
    with pytest.raises(TypeError, match="keeps things by name, got 3"):
        loop.state[3] = 1  # type: ignore[index]


def test_a_tensor_of_another_shape_takes_the_place(tmp_path: Path) -> None:
    small(tmp_path, queue=torch.ones(3)).save()
    loop = small(tmp_path, queue=torch.zeros(0))
    loop.resume()
    assert loop.state["queue"].tolist() == [1.0, 1.0, 1.0]
