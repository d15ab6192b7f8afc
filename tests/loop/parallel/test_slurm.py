"""Under `srun` the same script trains on all tasks, without torchrun."""

import os
from unittest.mock import patch

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

import surefoot as sf
from surefoot.loop.parallel.slurm import first_host, variables
from tests.loop.parallel.cases import rank, size
from tests.loop.parallel.processes import free_port, team
from tests.loop.training import make_batches, make_model

STEP = {
    "SLURM_PROCID": "5", "SLURM_LOCALID": "1", "SLURM_STEP_NUM_TASKS": "8", "SLURM_STEP_NODELIST": "node[003-006]",
    "SLURM_JOB_ID": "123456", "SLURM_STEP_ID": "2",
}  # fmt: skip


def trained(port: int) -> tuple[int, int, list[float]]:
    """As a task of a step with two of them on this machine."""
    tasks = {"SLURM_PROCID": str(rank()), "SLURM_LOCALID": str(rank()), "SLURM_STEP_NUM_TASKS": str(size())}
    step = {**STEP, **tasks, "SLURM_STEP_NODELIST": "localhost", "MASTER_PORT": str(port)}
    others = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE", "MASTER_ADDR")}
    with patch.dict(os.environ, {**others, **step}, clear=True):
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with sf.Loop(model, optimizer, parallel="ddp", watch=False, log=None) as loop:
            for x, y in loop.batches(make_batches([4, 4], seed=rank() + 1)):
                with loop.step() as step_:
                    step_.backward(F.cross_entropy(model(x), y))
            found = loop._ranks.rank, loop._ranks.size
    return *found, [float(p.detach().sum()) for p in model.parameters()]


def test_tasks_of_a_step_train_together() -> None:
    with team(2) as made:
        (first, num, weights), (second, _, others) = made.call(trained, free_port())
    assert (first, second, num) == (0, 1, 2)
    assert weights == others


def test_what_torchrun_would_have_told() -> None:
    assert variables(STEP) == {
        "RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "MASTER_ADDR": "node003", "MASTER_PORT": "23658",
    }  # fmt: skip


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {**STEP, "RANK": "0"},  # torchrun, started by srun
        {**STEP, "SLURM_STEP_NUM_TASKS": "1"},  # an interactive shell
        {name: value for name, value in STEP.items() if "STEP" not in name},  # a batch script
    ],
)
def test_one_process_is_alone(environ: dict[str, str]) -> None:
    assert variables(environ) == {}


@pytest.mark.parametrize(
    ("nodes", "first"),
    [("a1", "a1"), ("a1,b2", "a1"), ("node[003-007,12],gpu1", "node003"), ("r[1-2]n[3,5]", "r1n3"), ("n[7]", "n7")],
)
def test_the_first_host(nodes: str, first: str) -> None:
    assert first_host(nodes) == first
