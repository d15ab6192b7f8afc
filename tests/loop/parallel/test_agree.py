"""What one rank knows and all must act on: values that are not finite, reasons to stop, ends of data."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from tests.loop.parallel import agreeing
from tests.loop.parallel.processes import Team, team
from tests.loop.training import make_batches, make_model

WAYS = ["ddp", "fsdp"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("in_loss", [True, False])
def test_what_one_rank_refuses_all_refuse(pair: Team, way: str, in_loss: bool) -> None:
    found = pair.call(agreeing.refused, way, 1, on_nonfinite="raise", in_loss=in_loss)
    assert found[0]["weights"] == found[1]["weights"]
    for one in found:
        assert "update 2 was refused: the " + ("loss" if in_loss else "norm") in one["error"]
        assert one["updates"] == 1
    found = pair.call(agreeing.refused, way, 0, on_nonfinite="skip", in_loss=in_loss)
    assert found[0]["weights"] == found[1]["weights"]
    assert [(one["error"], one["updates"], one["skipped"]) for one in found] == [("", 2, 1)] * 2


@pytest.mark.parametrize("way", WAYS)
def test_a_reason_of_one_rank_stops_all(pair: Team, way: str) -> None:
    first, second = pair.call(agreeing.stopped, way)
    assert first == second
    (on_clock, num_updates), (by_value, _) = first
    assert on_clock is not None
    assert "seconds of at most 100" in on_clock
    assert num_updates == 4
    assert by_value == "mine 0 is below 0.5 at update 4"


@pytest.mark.parametrize("way", WAYS)
def test_evaluate_is_about_all_ranks(pair: Team, way: str) -> None:
    parts = [make_batches(sizes, dtype=torch.float64, seed=i) for i, sizes in enumerate([[7, 3, 5], [2]])]
    x, y = (torch.cat([batch[i] for part in parts for batch in part]) for i in range(2))
    outputs = make_model(dtype=torch.float64)(x).detach()
    for found in pair.call(agreeing.evaluated, way):
        assert found["loss"] == pytest.approx(float(F.cross_entropy(outputs, y)), rel=1e-12)
        assert found["accuracy"] == pytest.approx(float((outputs.argmax(1) == y).double().mean()), rel=1e-12)
        kinds = (agreeing.Merging, agreeing.MergingStates, agreeing.Adding, agreeing.Syncing)
        assert [found[kind.__name__] for kind in kinds] == pytest.approx([17 / 4] * 4)
        assert found["scale"] == 0.0  # rank 0's buffer
        assert set(found["kinds"]) == {"Parameter" if way == "ddp" else "DTensor"}


def test_a_metric_that_can_not_be_merged_is_refused(pair: Team) -> None:
    for said in pair.call(agreeing.refused_metric, "ddp"):
        assert "metric 'size', a BatchSize, can't be merged over ranks" in said
        assert "Give it a method merge(other)" in said


def test_ranks_with_the_same_data_are_told_once(pair: Team) -> None:
    first, second = pair.call(agreeing.same_data, "ddp")
    assert len(first) == 1
    assert "all 2 ranks drew the same first batch" in first[0]
    assert not second


@pytest.mark.parametrize("way", WAYS)
def test_a_rank_without_any_batch_is_refused_by_all(pair: Team, way: str) -> None:
    for error in pair.call(agreeing.no_batch_at_all, way):
        assert error.startswith("1 of 2 ranks got no batch at all in this epoch.")


def test_several_optimizers(pair: Team) -> None:
    first, second = pair.call(agreeing.two_optimizers)
    assert first == second
    parts = [make_batches(sizes, dtype=torch.float64, seed=i) for i, sizes in enumerate([[4, 2], [3, 5]])]
    torch.manual_seed(3)
    models = {"d": torch.nn.Linear(4, 3).double(), "g": torch.nn.Linear(4, 4).double()}
    optimizers = {name: torch.optim.SGD(model.parameters(), lr=0.1) for name, model in models.items()}
    window = []
    for index in range(2):
        x, y = (torch.cat([part[index][i] for part in parts]) for i in range(2))
        if index == 0:
            window.append((models["g"](x).detach(), y))
        else:
            window.append((models["g"](x).detach(), y))
            loss = F.cross_entropy(models["d"](torch.cat([x for x, _ in window])), torch.cat([y for _, y in window]))
            grads = torch.autograd.grad(loss, list(models["d"].parameters()))
            for p, grad in zip(models["d"].parameters(), grads, strict=True):
                p.grad = grad
            optimizers["d"].step()
        optimizers["g"].zero_grad()
        F.cross_entropy(models["d"](models["g"](x)), y).backward()
        optimizers["g"].step()
    for name, model in models.items():
        for a, p in zip(first[name], model.parameters(), strict=True):
            torch.testing.assert_close(torch.tensor(a, dtype=p.dtype), p.detach().reshape(-1), rtol=1e-11, atol=1e-13)


def test_the_process_group_ends_with_its_last_loop_if_a_loop_started_it(tmp_path: Path) -> None:
    with team(2) as made:
        assert made.call(agreeing.whole_life, str(tmp_path / "meeting")) == [[False, True, True, False, True]] * 2


def test_ranks_that_the_loop_was_not_told_of(pair: Team) -> None:
    first, second = pair.call(agreeing.without_parallel)
    assert ["sf.Loop(model.module, optimizer, parallel=" in said for said in first] == [True, True, False]
    assert "the loop has no parallel=: each rank trains a model of its own" in first[2]
    assert len(second) == 2
