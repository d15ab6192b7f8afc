"""One module in several slots of a container."""

from pathlib import Path

import pytest

from surefoot.facts import RepeatedFacts, SetupFacts
from tests.watch.graph.program import watch


def repeated(build: str, folder: Path, forward: str = "stack(x).mean()") -> tuple[RepeatedFacts, ...]:
    body = f"""
    block = nn.Linear(4, 4)
    stack = {build}
    optimizer = torch.optim.SGD(stack.parameters(), lr=0.01)
    for _ in range(2):
        x = torch.randn(8, 4)
        loss = {forward}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """
    _, records, lines = watch(body, folder)
    setup = [record for record in records if isinstance(record, SetupFacts)][-1]
    assert all(one.site is not None and build in lines[one.site.line] for one in setup.repeated)
    return setup.repeated


@pytest.mark.parametrize("build", ["nn.Sequential(*[block] * 3)", "nn.Sequential(block, nn.Tanh(), block, block)"])
def test_a_stack_of_one_block(build: str, tmp_path: Path) -> None:
    (one,) = repeated(build, tmp_path)
    assert (one.container, one.module, one.num_slots, one.num_in_chain) == ("Sequential", "Linear", 3, 3)
    assert one.num_elements == 20 and len(one.optimizers) == 1 and not one.is_declared


def test_a_batch_norm_that_all_layers_share(tmp_path: Path) -> None:
    (one,) = repeated("nn.Sequential(*[block, nn.BatchNorm1d(4)][1:] * 2)", tmp_path)
    assert (one.module, one.num_slots) == ("BatchNorm1d", 2)


def test_a_list_whose_modules_run_side_by_side(tmp_path: Path) -> None:
    assert repeated("nn.ModuleList([block] * 3)", tmp_path, "sum(m(x).mean() for m in stack)") == ()


@pytest.mark.parametrize(
    "build",
    ["nn.Sequential(block, nn.Linear(4, 4))", "nn.Sequential(block, *[nn.PReLU()] * 3)", "nn.Sequential(block)"],
)
def test_other_stacks(build: str, tmp_path: Path) -> None:
    assert repeated(build, tmp_path) == ()


def test_a_block_called_in_a_loop(tmp_path: Path) -> None:
    assert repeated("nn.Sequential(block)", tmp_path, "stack(stack(x)).mean()") == ()


def test_code_that_speaks_of_sharing(tmp_path: Path) -> None:
    (one,) = repeated("nn.Sequential(*[block] * 3)  # shared weights", tmp_path)
    assert one.is_declared
