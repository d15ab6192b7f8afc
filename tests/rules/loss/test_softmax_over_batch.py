import pytest

from surefoot.facts import InputFacts, LossFacts, OpFacts, TargetFacts
from surefoot.rules.loss.softmax_over_batch import check
from tests.rules.loss.build import LOSS, ask, lines, loss, ops, step

OVER_BATCH = ops("LogSoftmax", "Addmm", dim=0)
ONE_HOT = TargetFacts((16, 5), "float32", 0.0, 1.0, is_whole=True, is_distribution=True)
ROWS = InputFacts((28, 5))


def sequences(dim: int, *through: str, shape: tuple[int, ...] = (7, 4, 5)) -> tuple[OpFacts, ...]:
    return (OpFacts("LogSoftmax", shape, dim, through),)


@pytest.mark.parametrize(
    "bad",
    [
        loss("cross-entropy", fed_by=OVER_BATCH, num_classes=5),
        loss("nll", fed_by=ops("Log", "Softmax", dim=0), num_classes=5),
        loss("cross-entropy", fed_by=ops("LogSoftmax", shape=(4, 5, 7), dim=0), num_classes=5),
        loss("log-likelihood", fed_by=OVER_BATCH, class_dim=1),
        loss("mean", fed_by=ops("Softmax", shape=(6, 5, 8, 8), dim=0), class_dim=1),
        loss("bce", fed_by=ops("Softmax", dim=0), target=ONE_HOT),
        loss("nll", fed_by=sequences(1, "View"), num_classes=5, input=ROWS),
        loss("nll", fed_by=sequences(0, "View"), num_classes=5, input=ROWS),
    ],
)
def test_fires(bad: LossFacts) -> None:
    evidence = ask(check, step(bad))
    assert lines(evidence) == [LOSS]
    assert evidence[0].numbers["classes"] == 5


@pytest.mark.parametrize(
    "silent",
    [
        loss("cross-entropy", fed_by=ops("LogSoftmax", "Addmm", dim=1), num_classes=5),
        loss("cross-entropy", fed_by=ops("LogSoftmax", shape=(5,), dim=0), num_classes=5),  # one sample
        loss("nll", fed_by=ops("LogSoftmax", shape=(5, 1), dim=0), num_classes=5),  # a column of candidates
        loss("nll", fed_by=(OpFacts("LogSoftmax", (7, 5), 0, through=("T",)),), num_classes=7),
        loss("nll", fed_by=OVER_BATCH, num_classes=5, target=TargetFacts((16,), "int64", counts_up=True)),
        loss("cross-entropy", fed_by=(*ops("LogSoftmax", "Mul"), *OVER_BATCH), num_classes=5),
        loss("log-likelihood", fed_by=OVER_BATCH),
        loss("log-likelihood", fed_by=ops("LogSoftmax", shape=(6, 6), dim=0), class_dim=1),
        loss("mse", fed_by=ops("Softmax", dim=0)),
        loss("nll", fed_by=sequences(2, "View"), num_classes=5, input=ROWS),
        loss("nll", fed_by=sequences(1, "View", "Permute", shape=(4, 5, 5)), num_classes=5, input=ROWS),
        loss("nll", fed_by=sequences(1, "View", shape=(4, 5, 5)), num_classes=5, input=ROWS),  # which one, is not told
        loss("nll", fed_by=sequences(1, shape=(4, 5, 7)), num_classes=5, input=InputFacts((4, 5, 7))),
        loss("mse", fed_by=ops("Softmax", dim=0), target=TargetFacts((16, 5), "float32")),
    ],
)
def test_is_silent(silent: LossFacts) -> None:
    assert ask(check, step(silent)) == []
