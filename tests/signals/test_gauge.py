"""All kinds of parameters."""

import math
from itertools import pairwise
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from surefoot.signals.gauge import Gauge
from surefoot.signals.subset import BLOCKS, LENGTH, WHOLE, Subset
from tests.signals.training import measuring


def gauge_once(param: Tensor, update: float) -> Any:
    gauge = Gauge({0: param})
    with torch.no_grad():
        gauge.before()
        gauge.gradients({}, elements=True)
        param.sub_(update)
        gauge.after()
    return gauge.read()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_dtypes(dtype: torch.dtype) -> None:
    param = nn.Parameter(torch.ones(64, 4, dtype=dtype))
    param.grad = torch.full((64, 4), 0.5, dtype=dtype)
    measured = gauge_once(param, 0.25)
    assert measured.norms[0] == pytest.approx(16.0)
    assert measured.grad_norms[0] == pytest.approx(8.0)
    assert measured.update_norms[0] == pytest.approx(4.0)
    assert measured.descent == pytest.approx(-0.5 * 0.25 * 256)


def test_a_half_precision_norm_does_not_overflow() -> None:
    param = nn.Parameter(torch.ones(1024, dtype=torch.float16))
    param.grad = torch.full((1024,), 6e4, dtype=torch.float16)
    assert gauge_once(param, 0.5).grad_norms[0] == pytest.approx(6e4 * 32, rel=1e-2)


def test_complex() -> None:
    param = nn.Parameter(torch.full((4,), 3 + 4j))
    param.grad = torch.full((4,), 0 + 1j)
    measured = gauge_once(param, 1.0)
    assert measured.norms[0] == pytest.approx(10.0)
    assert measured.grad_norms[0] == pytest.approx(2.0)
    assert measured.update_norms[0] == pytest.approx(2.0)


def test_a_big_tensor_is_read_in_blocks_and_scaled_up() -> None:
    torch.manual_seed(0)
    param = nn.Parameter(torch.randn(600, 700))
    param.grad = torch.randn(600, 700) * (torch.rand(600, 700) < 0.5)
    old = param.detach().clone()
    measured = gauge_once(param, 0.01)
    assert measured.norms[0] == pytest.approx(float(old.norm()), rel=0.05)
    assert measured.update_norms[0] == pytest.approx(0.01 * math.sqrt(420_000), rel=0.01)
    assert measured.grad_norms[0] == pytest.approx(float(param.grad.norm()), rel=1e-5)  # exact
    assert measured.zeros[0] == pytest.approx(0.5, abs=0.05)


def test_subsets_lie_within_the_tensor_and_match_across_layouts() -> None:
    for shape in ((WHOLE + 1,), (129, 128), (64, 32, 3, 3)):
        value = torch.arange(math.prod(shape), dtype=torch.float64).reshape(shape)
        seen = Subset(value).of(value)
        assert seen.shape == (BLOCKS, LENGTH)
        assert seen.min() >= 0 and seen.max() < value.numel()
    image = torch.randn(64, 64, 3, 3).to(memory_format=torch.channels_last)
    subset = Subset(image)
    assert torch.equal(subset.of(image), subset.of(image.contiguous()))  # a gradient may lie otherwise than its weight
    assert subset.of(image).data_ptr() == image.data_ptr()  # a view


def test_gradients_that_are_not_there_are_not_told() -> None:
    with_gradient, without = nn.Parameter(torch.ones(4)), nn.Parameter(torch.ones(4))
    with_gradient.grad = torch.ones(4)
    gauge = Gauge({3: with_gradient, 5: without})
    gauge.before()
    gauge.gradients({}, elements=True)
    gauge.after()
    measured = gauge.read()
    assert set(measured.grad_norms) == set(measured.zeros) == {3}
    assert set(measured.norms) == {3, 5}


def test_norms_that_are_known_are_not_computed_again() -> None:
    param = nn.Parameter(torch.ones(4))
    param.grad = torch.ones(4)
    gauge = Gauge({0: param})
    gauge.before()
    gauge.gradients({id(param.grad): torch.tensor(7.0)}, elements=False)
    gauge.after()
    assert gauge.read().grad_norms[0] == 7.0


class Odd(nn.Module):
    """Tied, empty, frozen, sparse and unused parameters in one."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(50, 8, sparse=True)
        self.out = nn.Linear(8, 8)
        self.tied = nn.Linear(8, 8, bias=False)
        self.tied.weight = self.out.weight
        self.empty = nn.Parameter(torch.empty(0, 4))
        self.idle = nn.Parameter(torch.ones(3))
        self.frozen = nn.Parameter(torch.ones(3), requires_grad=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.tied(self.out(self.table(x)))


def test_odd_parameters() -> None:
    torch.manual_seed(0)
    model = Odd()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with measuring() as measured:
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.randint(50, (16,))).square().mean().backward()
            optimizer.step()
    params = {p.name.removeprefix("Odd."): p for p in measured.facts[-1].params}
    assert set(params) == {"table.weight", "out.weight", "out.bias", "idle"}
    assert params["table.weight"].grad_norm is not None and params["table.weight"].grad_norm > 0
    assert params["table.weight"].update_norm > 0
    assert params["idle"].grad_norm is None
    assert measured.facts[-1].descent is None


def test_shards_of_several_ranks_are_measured_as_this_rank_holds_them() -> None:
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        mesh = init_device_mesh("cpu", (1,))
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
        fully_shard(model, mesh=mesh)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with measuring() as measured:
            for _ in range(3):
                optimizer.zero_grad()
                model(torch.randn(16, 6)).square().mean().backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
                optimizer.step()
    finally:
        dist.destroy_process_group()
    facts = measured.facts[-1]
    assert facts.is_sharded and len(measured.facts) == 3
    assert facts.grad_norm > 1e-2 and all(p.update_norm > 0 for p in facts.params)


def test_the_slope_at_the_end_of_the_update_before() -> None:
    param = nn.Parameter(torch.full((4,), 1.0))
    optimizer = torch.optim.SGD([param], lr=0.75)
    with measuring() as measured:
        for _ in range(3):
            optimizer.zero_grad()
            param.square().sum().backward()  # by turns on both sides: each update goes to -0.5 times where it was
            optimizer.step()
    assert [f.overshoot for f in measured.facts] == [None, pytest.approx(6.0), pytest.approx(1.5)]
    assert [f.descent for f in measured.facts] == [pytest.approx(-12.0), pytest.approx(-3.0), pytest.approx(-0.75)]
    assert measured.scalars[2]["overshoot"] == pytest.approx(6.0)
    for a, b in pairwise(measured.facts):
        assert a.loss is not None and b.loss is not None and a.descent is not None and b.overshoot is not None
        assert b.loss - a.loss == pytest.approx((a.descent + b.overshoot) / 2)


def test_no_slope_where_steps_between_were_not_measured() -> None:
    param = nn.Parameter(torch.ones(4))
    gauge = Gauge({0: param})
    param.grad = torch.ones(4)
    with torch.no_grad():
        gauge.before()
        gauge.gradients({}, elements=True, follows=True)  # its first one
        param.sub_(1.0)
        gauge.after()
        assert gauge.read().overshoot is None
        gauge.before()
        gauge.gradients({}, elements=True)
        gauge.after()
        assert gauge.read().overshoot is None
