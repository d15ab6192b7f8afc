"""For any window shapes, weights, limits and precision the loop equals a written-out reference."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

import surefoot as sf
from surefoot.loop.precision import Precision
from tests.loop.training import make_model, weights

pytestmark = pytest.mark.usefixtures("silent_sanitizer")
IGNORED = -100
RELAXED = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)


def reference(
    model: nn.Module, batches: list[tuple[Tensor, Tensor]], accumulate: int, clip_norm: float | None, lr: float
) -> None:
    """Each window as the mean over all its valid items, computed at once, by plain gradient descent."""
    for start in range(0, len(batches), accumulate):
        window = batches[start : start + accumulate]
        x, y = torch.cat([x for x, _ in window]), torch.cat([y for _, y in window])
        total = F.cross_entropy(model(x), y, ignore_index=IGNORED, reduction="sum") / (y != IGNORED).sum()
        gradients = torch.autograd.grad(total, list(model.parameters()))
        norm = torch.stack([g.pow(2).sum() for g in gradients]).sum().sqrt()
        scale = 1.0 if clip_norm is None else min(1.0, clip_norm / (norm.item() + 1e-6))
        with torch.no_grad():
            for p, g in zip(model.parameters(), gradients, strict=True):
                p -= lr * scale * g


@st.composite
def batches(draw: st.DrawFn) -> list[tuple[Tensor, Tensor]]:
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=9))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 1000)))
    made = []
    for size in sizes:
        x = torch.randn(size, 4, generator=generator, dtype=torch.float64)
        y = x[:, :3].argmax(1)
        ignored = draw(st.integers(0, size - 1))  # at least one counts
        y[:ignored] = IGNORED
        made.append((x, y))
    return made


@RELAXED
@given(
    batches=batches(),
    accumulate=st.integers(1, 5),
    clip_norm=st.sampled_from([None, 0.05, 10.0]),
    read=st.booleans(),
)
def test_windows_of_any_shape(
    batches: list[tuple[Tensor, Tensor]], accumulate: int, clip_norm: float | None, read: bool
) -> None:
    model, ours = make_model(dtype=torch.float64), make_model(dtype=torch.float64)
    reference(model, batches, accumulate, clip_norm, lr=0.3)
    loop = sf.Loop(
        ours, torch.optim.SGD(ours.parameters(), lr=0.3), accumulate=accumulate, clip_norm=clip_norm, progress=False
    )
    for x, y in loop.batches(batches):
        with loop.step(weight=None if read else int((y != IGNORED).sum())) as step:
            step.backward(F.cross_entropy(ours(x), y))
    assert loop.num_updates == -(-len(batches) // accumulate)
    for a, b in zip(weights(model), weights(ours), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-11, atol=1e-13)


@settings(RELAXED, max_examples=20)
@given(
    batches=batches(),
    accumulate=st.integers(1, 4),
    precision=st.sampled_from(["bf16", "fp16"]),
    by=st.sampled_from([1.0, 1e-3, 1e5]),
)
def test_half_precision_is_near(
    batches: list[tuple[Tensor, Tensor]], accumulate: int, precision: Precision, by: float
) -> None:
    """Weights that are all larger or smaller by the same factor lead to the same updates, without any overflow."""
    batches = [(x.float(), y) for x, y in batches]
    model, ours = make_model(), make_model()
    before = weights(ours)
    reference(model, batches, accumulate, None, lr=0.1)
    loop = sf.Loop(
        ours, torch.optim.SGD(ours.parameters(), lr=0.1), accumulate=accumulate, precision=precision, progress=False
    )
    for x, y in loop.batches(batches):
        with loop.step(weight=by * int((y != IGNORED).sum())) as step:
            step.backward(F.cross_entropy(ours(x), y))
    assert loop.num_skipped == 0
    for start, a, b in zip(before, weights(model), weights(ours), strict=True):
        torch.testing.assert_close(b - start, a - start, rtol=0.05, atol=0.01)
