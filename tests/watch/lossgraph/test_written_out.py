"""Losses that the program writes out: which operations made their prediction, and where the classes lie."""

from pathlib import Path

import pytest

from tests.watch.lossgraph.test_loss_probe import loss_of

SCORES = "model(x).softmax(1)"
LABELS = "y.clamp(min=0)[:, None]"
CUBE = "model(x).view(6, 5, 1)"
ONE_HOT = "F.one_hot(y.clamp(min=0), 5).float()[..., None]"


@pytest.mark.parametrize(
    "expression",
    [
        "((s := SCORES).logsumexp(1) - s.gather(1, LABELS).squeeze(1)).mean()",
        "((s := SCORES).logsumexp(1) - s[torch.arange(6), LABELS.squeeze(1)]).mean()",
        "(-((s := SCORES).gather(1, LABELS).squeeze(1) - s.logsumexp(-1))).sum() / 6",
    ],
)
def test_the_normaliser_of_a_cross_entropy(expression: str, tmp_path: Path) -> None:
    loss = loss_of(expression.replace("SCORES", SCORES).replace("LABELS", LABELS), tmp_path / "program.py")
    assert loss.kind == "log-likelihood"
    first, second = loss.fed_by[:2]
    assert (first.name, first.shape, first.dim) == ("Logsumexp", (6, 5), 1)
    assert (second.name, second.shape, second.dim) == ("Softmax", (6, 5), 1)


@pytest.mark.parametrize(
    "expression",
    [
        "(model(x).logsumexp(1) - model(x).gather(1, LABELS).squeeze(1)).mean()",  # of other scores
        "(model(x).logsumexp(1) - x[:, 0]).mean()",
        "(x[:, 0] - model(x).logsumexp(1)).mean()",
        "(model(x) - model(x).logsumexp(1, keepdim=True)).mean()",
    ],
)
def test_other_differences_are_none(expression: str, tmp_path: Path) -> None:
    assert loss_of(expression.replace("LABELS", LABELS), tmp_path / "program.py").kind != "log-likelihood"


@pytest.mark.parametrize(
    ("expression", "class_dim"),
    [
        ("1 - (CUBE.softmax(0) * ONE_HOT).sum((1, 2)).mean()", 1),
        ("1 - ((2 * (CUBE.softmax(0) * ONE_HOT).sum(2) + 1) / (CUBE.softmax(0) + ONE_HOT).sum(2).add(1)).mean()", 1),
        ("1 - (CUBE.softmax(0) * torch.rand(6, 5, 1)).mean()", None),
        ("1 - (CUBE.softmax(0) * (torch.rand(6, 5, 1) > 0.5)).mean()", None),
        ("1 - (CUBE.sigmoid() * ONE_HOT).mean()", None),
        ("1 - (CUBE[:5].softmax(0) * torch.eye(5)[..., None]).mean()", None),  # either may be the classes
        ("1 - (CUBE.softmax(0) * ONE_HOT[:1]).mean()", None),
    ],
)
def test_where_the_classes_of_an_overlap_lie(expression: str, class_dim: int | None, tmp_path: Path) -> None:
    loss = loss_of(expression.replace("CUBE", CUBE).replace("ONE_HOT", ONE_HOT), tmp_path / "program.py")
    assert loss.class_dim == class_dim
    if class_dim is not None:
        assert [(op.name, op.dim) for op in loss.fed_by[:1]] == [("Softmax", 0)]
