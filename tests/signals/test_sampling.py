"""Which updates are measured: a matter of numbers, and of nothing else."""

import subprocess
import sys
from itertools import pairwise

import pytest

from surefoot.signals.sampling import EARLY, FIRST_OF_WIDE, Schedule, has_histograms, num_first_updates, spacing_for

SMALL, MIDDLE, LARGE = (385, 4), (800_000, 48), (25_000_000, 161)


def sampled(schedule: Schedule, num_updates: int) -> list[int]:
    return [update for update in range(1, num_updates + 1) if schedule.is_sampled(update)]


def recorded(schedule: Schedule, num_updates: int) -> list[int]:
    return [update for update in range(1, num_updates + 1) if schedule.is_recorded(update)]


@pytest.mark.parametrize("size", [SMALL, MIDDLE, LARGE])
def test_the_first_updates_then_evenly_over_the_whole_run(size: tuple[int, int]) -> None:
    first = num_first_updates(1, size[1])
    schedule = Schedule(*size, overhead=0.02, num_first=first)
    settled = EARLY[-1][0] * first  # from here on nothing is denser than it stays
    for found, spacing in ((sampled, schedule.spacing), (recorded, schedule.record_spacing)):
        updates = found(schedule, 40_000)
        assert updates[:first] == list(range(1, first + 1))
        later = [update for update in updates if update > settled]
        assert {b - a for a, b in pairwise(later)} == {spacing}
        assert later[0] <= settled + spacing and later[-1] > 40_000 - spacing


@pytest.mark.parametrize("overhead", [0.001, 0.02, 0.3, 1.0])
def test_records_are_samples(overhead: float) -> None:
    schedule = Schedule(*SMALL, overhead)
    assert set(recorded(schedule, 20_000)) <= set(sampled(schedule, 20_000))


def test_an_overhead_of_one_measures_all_and_zero_nothing() -> None:
    everything = list(range(1, 201))
    assert sampled(Schedule(*SMALL, 1.0), 200) == recorded(Schedule(*SMALL, 1.0), 200) == everything
    assert sampled(Schedule(*SMALL, 0.0), 200) == recorded(Schedule(*SMALL, 0.0), 200) == []


def test_more_is_measured_where_more_is_allowed_and_where_steps_are_dear() -> None:
    spacings = [Schedule(*SMALL, overhead).spacing for overhead in (0.005, 0.02, 0.1, 0.5)]
    assert spacings == sorted(spacings, reverse=True) and spacings[0] >= 4 * spacings[1] - 3
    assert spacing_for(*SMALL) > spacing_for(*MIDDLE) > spacing_for(*LARGE)
    assert spacing_for(2_000_000, 20_000) == spacing_for(*SMALL)  # many small tensors make small steps


def test_samples_do_not_keep_step_with_epochs() -> None:
    for overhead in (0.005, 0.01, 0.02, 0.05):
        for size in (SMALL, MIDDLE, LARGE):
            updates = sampled(Schedule(*size, overhead), 200_000)[FIRST_OF_WIDE:]
            assert {update % 64 for update in updates} == set(range(64))


def test_later_optimizers_have_fewer_first_updates() -> None:
    assert [num_first_updates(number, 1_000) for number in (1, 8, 9, 64, 65, 127, 128)] == [48, 48, 4, 4, 0, 0, 4]
    assert num_first_updates(1, 4) > num_first_updates(1, 60) > num_first_updates(1, 1_000)


def test_histograms_begin_with_the_first_record() -> None:
    assert [record for record in range(1, 90) if has_histograms(record)] == [1, 33, 65, 73, 81, 89]


PROGRAM = """
import torch
from torch import nn
from tests.signals.training import measuring
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
with measuring(0.1) as measured:
    for _ in range(400):
        optimizer.zero_grad()
        model(torch.randn(16, 10)).square().mean().backward()
        optimizer.step()
print(list(measured.scalars), [facts.update for facts in measured.facts])
"""


def test_a_busy_machine_changes_nothing() -> None:
    def run() -> str:
        return subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True).stdout

    quiet = run()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        loaded = run()
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert quiet == loaded and quiet.count(",") > 60
