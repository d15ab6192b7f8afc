"""What is read off the graph of a loss, by small real programs."""

import math
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F  # noqa: N812
from torch.utils.checkpoint import checkpoint

from surefoot.facts import BackwardFacts, LossFacts, StepFacts
from surefoot.sanitizer import Sanitizer
from tests.rules.twins import watch_program

PREAMBLE = """import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
model = nn.Linear(4, 5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(6, 4)
y = torch.tensor([0, 1, 2, -100, 3, 4])
t = torch.rand(6, 5)
"""
FIRST_LINE = PREAMBLE.count("\n") + 1


def backwards_of(body: str, file: Path, num_steps: int = 1) -> list[BackwardFacts]:
    _, records = watch_program(PREAMBLE + body, file)
    steps = [r for r in records if isinstance(r, StepFacts)]
    assert len(steps) == num_steps
    return [b for step in steps for b in step.backwards]


def loss_of(expression: str, file: Path) -> LossFacts:
    body = f"loss = {expression}\nloss.backward()\noptimizer.step()\n"
    (backward,) = backwards_of(body, file)
    assert backward.loss is not None
    assert backward.value is not None
    return backward.loss


@pytest.mark.parametrize(
    ("expression", "kind", "reduction", "factor", "num_items"),
    [
        ("F.cross_entropy(model(x), y)", "cross-entropy", "mean", 1.0, 5),
        ("nn.CrossEntropyLoss(reduction='sum')(model(x), y) / 4", "cross-entropy", "sum", 0.25, 5),
        ("F.cross_entropy(model(x), y, weight=2 * torch.ones(5))", "cross-entropy", "mean", 1.0, 5),
        ("F.cross_entropy(model(x), y, label_smoothing=0.1) * 0.5", "cross-entropy", "mean", 0.5, 5),
        ("F.cross_entropy(model(x), t)", "cross-entropy", "mean", 1.0, 6),
        ("(model(x).sigmoid() * F.mse_loss(model(x), t, reduction='none')).mean()", "mse", "mean", 1.0, 30),
        ("(model(x) * 2 * F.smooth_l1_loss(model(x), t, reduction='none')).sum()", "smooth-l1", "sum", 1.0, 30),
        (
            "(F.mse_loss(model(x), t, reduction='none') * F.mse_loss(model(x), 2 * t, reduction='none')).mean()",
            "mean",
            "mean",
            1.0,
            30,
        ),
        ("F.cross_entropy(model(x), y, reduction='none').mean()", "cross-entropy", "mean", 1.0, 6),
        ("F.cross_entropy(model(x).t()[None], y[None])", "cross-entropy", "mean", 1.0, 5),
        ("F.nll_loss(F.log_softmax(model(x), 1), y)", "cross-entropy", "mean", 1.0, 5),
        ("F.nll_loss(model(x), y)", "nll", "mean", 1.0, 5),
        ("-F.mse_loss(model(x), t)", "mse", "mean", -1.0, 30),
        ("nn.L1Loss()(model(x), t)", "l1", "mean", 1.0, 30),
        ("nn.SmoothL1Loss()(model(x), t)", "smooth-l1", "mean", 1.0, 30),
        ("nn.HuberLoss()(model(x), t)", "huber", "mean", 1.0, 30),
        ("nn.BCEWithLogitsLoss()(model(x), t)", "bce-with-logits", "mean", 1.0, 30),
        ("nn.BCELoss()(model(x).sigmoid(), t)", "bce", "mean", 1.0, 30),
        ("F.kl_div(F.log_softmax(model(x), 1), t, reduction='batchmean')", "kl", "mean", 1.0, 6),
        ("((model(x) - t) ** 2).mean() / 4", "mse", "mean", 0.25, 30),
        ("torch.mean(torch.abs(t - model(x)))", "l1", "mean", 1.0, 30),
        ("((model(x) - t).pow(2) * t[:, :1]).sum() / torch.tensor(8.0)", "mse", "sum", 0.125, 30),
        ("torch.sqrt(F.mse_loss(model(x), t))", "mse", "mean", None, 30),
        ("model(x).exp().mean()", "mean", "mean", 1.0, 30),
        ("sum(F.mse_loss(model(x), t) for _ in range(3)) / 3", "mse", "mean", 1 / 3, 30),
        ("torch.stack([F.mse_loss(model(x), t) for _ in range(3)]).mean()", "mse", "mean", 1.0, 30),
    ],
)
def test_kind_reduction_factor_and_items(
    expression: str, kind: str, reduction: str, factor: float | None, num_items: int, tmp_path: Path
) -> None:
    loss = loss_of(expression, tmp_path / "program.py")
    assert (loss.kind, loss.reduction, loss.num_items) == (kind, reduction, num_items)
    assert loss.factor == (None if factor is None else pytest.approx(factor))
    assert loss.site is not None
    assert loss.site.line == FIRST_LINE


def test_losses_added_up_become_terms(tmp_path: Path) -> None:
    loss = loss_of("(F.cross_entropy(model(x), y) + 0.1 * F.mse_loss(model(x), t)) / 2", tmp_path / "program.py")
    assert (loss.kind, loss.reduction, loss.factor, loss.num_terms) == ("combined", "mean", 0.5, 2)
    assert [(part.kind, part.factor) for part in loss.parts] == [("cross-entropy", 0.5), ("mse", pytest.approx(0.05))]


def test_heads_of_one_line_that_are_fed_alike_are_one(tmp_path: Path) -> None:
    heads = "[model(x), model(-x), {}]"
    expression = f"sum(F.cross_entropy(head, y) for head in {heads}) / 3"
    alike = loss_of(expression.format("model(2 * x)"), tmp_path / "alike.py")
    assert (alike.kind, alike.num_terms, alike.terms) == ("cross-entropy", 3, ())
    other = loss_of(expression.format("model(2 * x).softmax(1)"), tmp_path / "other.py")
    assert (other.kind, other.reduction, other.num_terms) == ("combined", "mean", 3)
    assert other.factor == alike.factor and other.num_items == alike.num_items == 5
    made_by = [[op.name for op in part.fed_by] for part in other.parts]
    assert sorted(made_by) == [["LogSoftmax", "Addmm"], ["LogSoftmax", "Softmax", "Addmm"]]


def test_a_loss_stays_at_its_line_when_the_recorder_wakes_late(tmp_path: Path) -> None:
    body = """
def run(x, y):
    each = F.cross_entropy(model(x).softmax(1), y, reduction="none")
    loss = each.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

for i in range(150):
    run(torch.randn(6, 4), y)
"""
    findings, records = watch_program(PREAMBLE + body, tmp_path / "program.py")
    lines = {part.site.line for r in records if isinstance(r, StepFacts) for b in r.backwards if b.loss is not None
             for part in b.loss.parts if part.site is not None}  # fmt: skip
    assert lines == {FIRST_LINE + 2}
    assert len([f for f in findings if f.rule == "softmax-before-cross-entropy"]) == 1


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize("name", ["mse_loss", "smooth_l1_loss", "huber_loss"])
@pytest.mark.parametrize("given", ["model(x)[:, :1], t[:, 0]", "t[:, 0], model(x)[:, :1]"])
def test_what_has_a_graph_is_the_prediction_whichever_comes_first(given: str, name: str, tmp_path: Path) -> None:
    assert loss_of(f"F.{name}({given})", tmp_path / "program.py").broadcast == ((6, 1), (6,), (6, 6))


def test_gradient_argument_is_a_factor(tmp_path: Path) -> None:
    body = "F.cross_entropy(model(x), y, reduction='none').backward(torch.full((6,), 0.25))\noptimizer.step()\n"
    (backward,) = backwards_of(body, tmp_path / "program.py")
    assert backward.loss is not None
    assert (backward.loss.factor, backward.loss.reduction) == (0.25, "none")


@pytest.mark.parametrize("expression", ["scaler.scale(loss / 4)", "scaler.scale(loss) / 4"])
def test_the_scale_of_a_scaler_is_no_factor(expression: str, tmp_path: Path) -> None:
    body = f"""
scaler = torch.amp.GradScaler("cpu")
loss = F.mse_loss(model(x), t)
({expression}).backward()
scaler.step(optimizer)
scaler.update()
"""
    (backward,) = backwards_of(body, tmp_path / "program.py")
    assert backward.loss is not None and backward.value is not None
    assert backward.loss.factor == 0.25
    assert backward.value < 1


def test_value_of_the_loss(tmp_path: Path) -> None:
    body = "loss = (model(x) * 0 + 3).mean() / 2\nloss.backward()\noptimizer.step()\n"
    (backward,) = backwards_of(body, tmp_path / "program.py")
    assert backward.value == 1.5


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("""
        def criterion(a, b):
            error = a - b
            return (error * error).mean()
        loss = criterion(model(x), t)
        (loss / 2).backward()
        optimizer.step()
        """, 4),
        ("""
        def train(loss):
            loss = loss * 0.5
            loss.backward()
            optimizer.step()
        value = ((model(x) - t) ** 2).mean()
        train(value)
        """, 6),
        ("""
        class Trainer:
            def loss(self):
                out = model(x)
                return F.mse_loss(out, t)
            def step(self):
                torch.autograd.backward(self.loss())
                optimizer.step()
        Trainer().step()
        """, 5),
        ("""
        ((model(x) - t) ** 2).mean().backward()
        optimizer.step()
        """, 2),
    ],
)  # fmt: skip
def test_line_of_the_loss(body: str, line: int, tmp_path: Path) -> None:
    code = "\n".join(text[8:] for text in body.split("\n"))
    (backward,) = backwards_of(code, tmp_path / "program.py")
    assert backward.loss is not None and backward.loss.site is not None
    assert backward.loss.site.line - FIRST_LINE + 1 == line


def test_varying_items_make_no_new_shape_but_unequal_micro_batches_do(tmp_path: Path) -> None:
    body = """
for i in range(60):
    optimizer.zero_grad()
    rows = torch.randperm(6)[: 2 + i % 4]
    F.cross_entropy(model(x[rows]), y[rows].clamp(0)).backward()
    optimizer.step()
for i in range(40):
    optimizer.zero_grad()
    for size in (2, 2) if i != 20 else (2, 3):
        F.cross_entropy(model(x[:size]), y[:size]).backward()
    optimizer.step()
"""
    _, records = watch_program(PREAMBLE + body, tmp_path / "program.py")
    steps = [r for r in records if isinstance(r, StepFacts)]
    assert [s.update for s in steps if 32 < s.update <= 60] == []
    late = [s for s in steps if s.update > 60]
    assert {61, 62, 81} <= {s.update for s in late} <= {61, 62, 63, 64, 81, 82}
    (unequal,) = [s for s in late if s.update == 81]
    assert [b.loss.num_items for b in unequal.backwards if b.loss] == [2, 3]


def test_a_loss_that_is_not_finite_is_recorded(tmp_path: Path) -> None:
    body = """
for i in range(50):
    optimizer.zero_grad()
    (F.mse_loss(model(x), t) + (float("nan") if i == 45 else 0.0)).backward()
    optimizer.step()
"""
    _, records = watch_program(PREAMBLE + body, tmp_path / "program.py")
    (bad,) = [r for r in records if isinstance(r, StepFacts) and r.update == 46]
    assert math.isnan(bad.backwards[0].value or 0.0)


def test_checkpointed_losses_are_not_computed_again() -> None:
    runs = 0

    def forward(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        nonlocal runs
        runs += 1
        return F.cross_entropy(x @ weight, torch.zeros(3, dtype=torch.long))

    sanitizer = Sanitizer([], on_failure=lambda name, error: pytest.fail(f"{name}: {error!r}"))
    sanitizer.start()
    try:
        weight = torch.ones(4, 5, requires_grad=True)
        loss = checkpoint(forward, torch.randn(3, 4), weight, use_reentrant=False)
        loss.backward()
    finally:
        sanitizer.finish()
    assert runs == 2


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch.jit.script is on its way out, and still used
def test_wrapped_losses_compile_and_script() -> None:
    x, y = torch.randn(3, 5, requires_grad=True), torch.tensor([0, 1, 2])
    expected = F.cross_entropy(x, y)
    sanitizer = Sanitizer([], on_failure=lambda name, error: pytest.fail(f"{name}: {error!r}"))
    sanitizer.start()
    try:
        compiled = torch.compile(lambda a, b: F.cross_entropy(a * 1.0, b), backend="eager", fullgraph=True)
        assert torch.equal(compiled(x, y), expected)
        assert torch.equal(torch.jit.script(torch.nn.CrossEntropyLoss())(x, y), expected)
    finally:
        sanitizer.finish()
        torch._dynamo.reset()


@pytest.mark.parametrize(
    ("scores", "made_by"),
    [
        ("model(x)", "Addmm"),
        ("(x @ model.weight.t() + model.bias)[:4]", "Linear"),
        ("x @ model.weight.t() + x[:, :1] * model.bias", "Add"),  # more than a layer
    ],
)
def test_a_linear_layer_written_by_hand_is_told_as_one(scores: str, made_by: str, tmp_path: Path) -> None:
    loss = loss_of(f"F.nll_loss({scores}, y[:len({scores})])", tmp_path / "program.py")
    assert [op.name for op in loss.fed_by] == [made_by]
