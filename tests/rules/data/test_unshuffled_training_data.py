"""unshuffled-training-data on hand-written facts."""

from typing import Any

import pytest

from surefoot.rules.data.order import is_ordered_by_name
from surefoot.rules.data.unshuffled_training_data import check
from tests.rules.data.build import IN_ORDER, MADE, OTHERWISE, ask, passed


def twice(**fields: Any) -> list[Any]:
    return [passed(number, sampler="sequential", **fields) for number in (1, 2)]


def test_fires_in_the_second_epoch() -> None:
    (found,) = ask(check, *twice())
    assert found.site == MADE and "80 samples" in found.message and found.level is None
    assert ask(check, passed(1, sampler="sequential")) == []


def test_labels_alone_tell_it_where_pictures_are_augmented() -> None:
    augmented = [
        passed(epoch, sampler="sequential", marks=tuple((n, (epoch * 100 + n, label)) for n, label in labels))
        for epoch, labels in ((1, LABELS), (2, LABELS))
    ]
    assert len(ask(check, *augmented)) == 1


LABELS = ((1, 7), (2, 7), (3, 7), (4, 8), (8, 9))


@pytest.mark.parametrize(
    "why",
    [
        {"sampler": "random"},
        {"sampler": ""},
        {"trained": False},
        {"num_steps": 0},
        {"num_steps": 100},  # the steps are those of another loader
        {"marks": IN_ORDER[:3]},
        {"marks": tuple((n, (5, 6)) for n, _ in IN_ORDER)},  # all batches alike
        {"marks": ()},
        {"names": ("TimeSeriesDataset", "loader")},
        {"names": ("TensorDataset", "bptt_loader")},
    ],
)
def test_silent(why: dict[str, Any]) -> None:
    assert ask(check, *[passed(number, **{"sampler": "sequential", **why}) for number in (1, 2)]) == []


def test_silent_when_the_data_differ_or_another_model_is_trained() -> None:
    first, second = twice()
    assert ask(check, passed(1, sampler="sequential", marks=OTHERWISE), second) == []
    assert ask(check, passed(1, sampler="sequential", optimizers=(2,)), second) == []
    assert ask(check, passed(1, sampler="sequential", loader=2), second) == []
    assert len(ask(check, first, passed(1, sampler="", loader=2, trained=False), second)) == 1


def test_a_random_split_is_a_note() -> None:
    (found,) = ask(check, *twice(shuffled_once=True))
    assert found.level == "note"


def test_words_in_names() -> None:
    assert (
        is_ordered_by_name(["train_seq"]) and is_ordered_by_name(["StockPrices"]) and is_ordered_by_name(["VideoSet"])
    )
    assert not is_ordered_by_name(["runtime_loader", "Consequences", "CIFAR10", "train_loader", "TensorDataset"])
