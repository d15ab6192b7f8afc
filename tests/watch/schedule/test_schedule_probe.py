"""Schedulers of every make, as the probe sees them."""

import sys
from pathlib import Path

import pytest
from torch.optim.lr_scheduler import LRScheduler, StepLR

from surefoot.facts import EndFacts, Record, ScheduleFacts, ScheduleStepFacts, SetupFacts, StepFacts
from tests.watch.record import records_of

HEAD = """
import functools
import torch
from torch.optim.lr_scheduler import *
from torch.optim.lr_scheduler import LRScheduler
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = TensorDataset(torch.randn(16, 2))

def train(x=None):
    optimizer.zero_grad()
    model(torch.randn(4, 2) if x is None else x).pow(2).mean().backward()
    optimizer.step()

def rounds(scheduler, num):
    for _ in range(num):
        train()
        scheduler.step()
"""


torch_warns = pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")


def run(code: str, tmp_path: Path) -> list[Record]:
    return records_of(HEAD + code, tmp_path / "train.py")


def schedules(code: str, tmp_path: Path) -> tuple[ScheduleFacts, ...]:
    end = run(code, tmp_path)[-1]
    assert isinstance(end, EndFacts)
    return end.schedules


@pytest.mark.parametrize(
    ("maker", "builtin", "length"),
    [
        ("StepLR(optimizer, 2)", "StepLR", None),
        ("CosineAnnealingLR(optimizer, T_max=7)", "CosineAnnealingLR", 7),
        ("OneCycleLR(optimizer, max_lr=0.2, total_steps=9)", "OneCycleLR", 9),
        ("LinearLR(optimizer, total_iters=4)", "LinearLR", 4),
        ("PolynomialLR(optimizer, total_iters=6)", "PolynomialLR", 6),
        ("MultiStepLR(optimizer, [2, 8])", "MultiStepLR", 8),
        ("LambdaLR(optimizer, lambda step: 1.0)", "LambdaLR", None),
        (
            "LambdaLR(optimizer, functools.partial(lambda s, num_training_steps: 1.0, num_training_steps=9))",
            "LambdaLR",
            9,
        ),
        ("CosineAnnealingWarmRestarts(optimizer, 2)", "CosineAnnealingWarmRestarts", None),
        ("CyclicLR(optimizer, 0.01, 0.1, step_size_up=2)", "CyclicLR", None),
        ("ReduceLROnPlateau(optimizer)", "ReduceLROnPlateau", None),
        ("SequentialLR(optimizer, [LinearLR(optimizer), CosineAnnealingLR(optimizer, 8)], [5])", "SequentialLR", 13),
        ("ChainedScheduler([LinearLR(optimizer), CosineAnnealingLR(optimizer, 8)])", "ChainedScheduler", 8),
    ],
)
def test_only_the_programs_own_advances_count(maker: str, builtin: str, length: int | None, tmp_path: Path) -> None:
    step = "scheduler.step(1.0)" if builtin == "ReduceLROnPlateau" else "scheduler.step()"
    records = run(f"scheduler = {maker}\nfor _ in range(6):\n    train()\n    {step}\n", tmp_path)
    end = records[-1]
    assert isinstance(end, EndFacts)
    (facts,) = end.schedules
    line = HEAD.count("\n")
    assert (facts.made.builtin, facts.made.length) == (builtin, length)
    assert facts.made.site is not None and facts.made.site.line == line + 1
    assert facts.site is not None and facts.site.line == line + 4
    assert (facts.count, facts.position, facts.updates, facts.drives) == (6, 6, 6, (1,))
    assert not facts.resumed and facts.opening == (1, 2, 3) and facts.overwritten == 0
    events = [e for r in records if isinstance(r, StepFacts) for e in r.events if isinstance(e, ScheduleStepFacts)]
    assert [e.count for e in events] == [1, 2, 3, 4, 5]
    setup = [r for r in records if isinstance(r, SetupFacts)][-1]
    assert [s.kind for s in setup.schedulers if not s.owned] == [builtin]


@torch_warns
def test_a_users_class_that_overrides_everything(tmp_path: Path) -> None:
    code = """
class Outer(LRScheduler):
    def __init__(self, optimizer):
        self.inner = StepLR(optimizer, 2)
        super().__init__(optimizer)
    def get_lr(self):
        return [0.1 for _ in self.base_lrs]
    def step(self):
        self.inner.step()
        super().step()
rounds(Outer(optimizer), 4)
"""
    (facts,) = schedules(code, tmp_path)
    assert (facts.made.kind, facts.made.builtin, facts.count) == ("Outer", "", 4)


def test_nothing_stays_patched(tmp_path: Path) -> None:
    before = (vars(LRScheduler).get("__init_subclass__"), StepLR.__init__, LRScheduler.step)
    schedules("rounds(StepLR(optimizer, 2), 2)\n", tmp_path)
    assert (vars(LRScheduler).get("__init_subclass__"), StepLR.__init__, LRScheduler.step) == before


def test_epochs_of_a_loader(tmp_path: Path) -> None:
    code = """
loader = DataLoader(data, batch_size=4)
per_batch, per_epoch = StepLR(optimizer, 1, gamma=0.1), StepLR(optimizer, 10)
for _ in range(3):
    for (x,) in loader:
        train(x)
        per_batch.step()
    per_epoch.step()
"""
    batch, epoch = schedules(code, tmp_path)
    assert (batch.epochs, batch.in_epochs, batch.most_in_epoch, batch.epoch_length) == (3, 12, 4, 4)
    assert (batch.cut_at, batch.cut_in_epoch_at) == (3, 3)
    assert batch.cut == pytest.approx(1e12)
    assert (epoch.epochs, epoch.in_epochs, epoch.count) == (0, 0, 3)


@pytest.mark.usefixtures("untraced")
def test_epochs_of_nested_loops_in_functions(tmp_path: Path) -> None:
    code = """
def train_epoch(scheduler):
    for i in range(5):
        train()
        scheduler.step()

def main():
    scheduler, outer = StepLR(optimizer, 10), StepLR(optimizer, 10)
    for epoch in range(3):
        train_epoch(scheduler)
        outer.step()

main()
"""
    inner, outer = schedules(code, tmp_path)
    assert (inner.epochs, inner.in_epochs, inner.most_in_epoch, inner.epoch_length) == (3, 15, 5, 5)
    assert (outer.epochs, outer.count) == (0, 3)


def test_a_loop_over_schedulers_is_no_epoch(tmp_path: Path) -> None:
    code = """
both = [StepLR(optimizer, 10), StepLR(optimizer, 20)]
for epoch in range(2):
    for i in range(4):
        train()
        for scheduler in both:
            scheduler.step()
"""
    assert [(s.epochs, s.most_in_epoch) for s in schedules(code, tmp_path)] == [(2, 4), (2, 4)]


@torch_warns
def test_micro_batch_windows(tmp_path: Path) -> None:
    code = """
each, once = StepLR(optimizer, 99), StepLR(optimizer, 99)
for i in range(12):
    model(torch.randn(4, 2)).pow(2).mean().div(3).backward()
    if i % 3 == 2:
        optimizer.step()
        optimizer.zero_grad()
        once.step()
    each.step()
"""
    each, once = schedules(code, tmp_path)
    assert (each.micro_batch_windows, each.other_windows, each.per_window) == (3, 0, 3)
    assert (once.micro_batch_windows, once.opening) == (0, (1, 2, 3))


def test_resumed_explicit_and_overwritten(tmp_path: Path) -> None:
    code = """
def fresh():
    global optimizer
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return optimizer

saved = CosineAnnealingLR(fresh(), 20).state_dict()
loaded = CosineAnnealingLR(fresh(), 20)
loaded.load_state_dict(saved)
rounds(loaded, 2)
mid = fresh()
mid.param_groups[0]["initial_lr"] = 0.1
rounds(CosineAnnealingLR(mid, 20, last_epoch=6), 2)
restarts = CosineAnnealingWarmRestarts(fresh(), 2)
for i in range(4):
    train()
    restarts.step(i / 4)
changed = ExponentialLR(fresh(), 0.9)
for i in range(4):
    train()
    optimizer.param_groups[0]["lr"] = 0.2
    changed.step()
"""
    _, loaded, mid, restarts, changed = schedules(code, tmp_path)
    assert loaded.resumed and not loaded.explicit
    assert mid.resumed and mid.position == 9
    assert restarts.explicit and not restarts.resumed
    assert (changed.overwritten, changed.overwritten_last) == (4, True)
    assert loaded.overwritten == mid.overwritten == 0


def test_metrics_go_with_the_training_loss(tmp_path: Path) -> None:
    code = """
scheduler = ReduceLROnPlateau(optimizer, mode="max")
for i in range(3):
    for factor in (1.0, 3.0):
        optimizer.zero_grad()
        (model.weight.sum() * 0 + factor * (i + 1)).backward()
        optimizer.step()
    scheduler.step(torch.tensor(0.5 * i))
"""
    (facts,) = schedules(code, tmp_path)
    assert facts.metrics == ((0.0, 2.0), (0.5, 4.0), (1.0, 6.0))
    assert facts.made.setting("maximise") == 1.0


def test_past_the_minimum_of_a_cosine_inside_a_sequence(tmp_path: Path) -> None:
    code = """
parts = [LinearLR(optimizer, total_iters=3), CosineAnnealingLR(optimizer, T_max=4)]
rounds(SequentialLR(optimizer, parts, [3]), 9)
"""
    (facts,) = schedules(code, tmp_path)
    assert (facts.position, facts.past_minimum) == (9, 2)


def test_calls_from_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "site-packages" / "trainer_library.py"
    library.parent.mkdir()
    library.write_text(
        "def fit(train, scheduler):\n    for _ in range(3):\n        train()\n        scheduler.step()\n"
    )
    monkeypatch.syspath_prepend(str(library.parent))
    (facts,) = schedules("import trainer_library\ntrainer_library.fit(train, StepLR(optimizer, 2))\n", tmp_path)
    sys.modules.pop("trainer_library")
    assert facts.by_library and facts.may_stop_early
    assert facts.site is not None and facts.site.line == HEAD.count("\n") + 2


def test_schedules_outlive_their_scope_and_many_steps_stay_cheap(tmp_path: Path) -> None:
    code = """
def main():
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, 500)
    for _ in range(300):
        optimizer.zero_grad()
        model(torch.randn(4, 2)).pow(2).mean().backward()
        optimizer.step()
        scheduler.step()

main()
import gc
gc.collect()
"""
    records = run(code, tmp_path)
    end = records[-1]
    assert isinstance(end, EndFacts)
    assert [(s.count, s.updates) for s in end.schedules] == [(300, 300)]
    assert sum(isinstance(r, StepFacts) for r in records) < 50, "a schedule must not make every step a new shape"


@pytest.mark.parametrize("num", [120, 611])
def test_advances_that_are_slept_through_are_counted(num: int, tmp_path: Path) -> None:
    code = f"""
loader = DataLoader(TensorDataset(torch.randn({num}, 2)), batch_size=1)
per_step, per_epoch = CosineAnnealingLR(optimizer, 900), StepLR(optimizer, 10)
for _ in range(2):
    for (x,) in loader:
        train(x)
        per_step.step()
    per_epoch.step()
"""
    step, epoch = schedules(code, tmp_path)
    assert (step.count, step.position, step.updates) == (2 * num, 2 * num, 2 * num)
    assert (step.epochs, step.in_epochs, step.most_in_epoch, step.epoch_length) == (2, 2 * num, num, num)
    assert (epoch.count, epoch.in_epochs) == (2, 0)
    assert step.past_minimum == max(0, 2 * num - 900)
