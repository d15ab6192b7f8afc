"""validated-on-training-data on hand-written facts."""

from typing import Any

import pytest

from surefoot.facts import EndFacts, OverlapFacts, Site, ValidationFacts
from surefoot.rules.data.validated_on_training_data import check
from tests.rules.data.build import MADE, OTHERWISE, ask, passed

TRAINED = Site("train.py", 4)


def read(epoch: int = 1, *, loader: int = 2, **fields: Any) -> Any:
    """An evaluation after each epoch of 10 steps; fields of the overlap, or of what was given."""
    of_feed = {key: fields.pop(key) for key in ("called", "marks", "made") if key in fields}
    whole: dict[str, Any] = {
        "loader": 1, "made": TRAINED, "length": 10, "num_samples": 32, "num_trained": 160, "optimizers": (1,),
        "num_updates": 10 * epoch, "num_steps": 10 * epoch,
    }  # fmt: skip
    overlap = OverlapFacts(**{**whole, **fields})
    feed: dict[str, Any] = {"called": ("val_loader",), "trained": False, "optimizers": (), "overlap": overlap}
    return passed(epoch, loader=loader, num_steps=0, **{**feed, **of_feed})


def test_names_the_loader_that_validates() -> None:
    (found,) = ask(check, read())
    assert found.site == MADE and "32 samples" in found.message and "among the 160" in found.message
    assert "line 4" in found.message
    (found,) = ask(check, read(num_samples=160))
    assert "the very ones" in found.message


def test_a_part_that_was_trained_on_before_the_data_was_split_anew() -> None:
    (found,) = ask(check, read(is_earlier=True, num_shared=25, called=("val_set",)))
    assert found.message == (
        "25 of the 32 samples of this evaluation were trained on before, when the loader made at line 4 gave them: "
        "the data set is split anew, and the model is not"
    )
    assert not ask(check, read(is_earlier=True, num_shared=5))
    for names in (("pool_loader", "val"), ("unlabeled_test",), ("loader",), ("train_eval", "val")):
        assert not ask(check, read(is_earlier=True, num_shared=25, called=names))


def test_a_part_of_the_samples_is_enough() -> None:
    (found,) = ask(check, read(num_shared=20))
    assert found.message.startswith("20 of the 32 samples of this evaluation are among the 160")
    assert "for these the score can't show overfitting" in found.message
    assert len(ask(check, read(num_shared=32))) == 1


def test_a_few_samples_kept_to_look_at_are_not() -> None:
    assert ask(check, read(num_shared=6)) == []
    assert ask(check, read(num_shared=20, num_samples=120)) == []


def test_a_pass_over_all_data_there_is() -> None:
    assert ask(check, read(num_shared=160, num_samples=200)) == []


@pytest.mark.parametrize("name", ["test_loader", "valloader", "validDL", "self_dev", "val", "TestLoader"])
def test_names_of_validation(name: str) -> None:
    assert len(ask(check, read(called=(name,)))) == 1


def test_a_function_that_makes_loaders_has_a_name_too() -> None:
    assert len(ask(check, read(called=(), made=Site("data.py", 3, "Data.val_dataloader")))) == 1
    assert ask(check, read(called=(), made=Site("data.py", 3, "test_everything"))) == []


@pytest.mark.parametrize(
    "why",
    [
        {"called": ("loader",)},
        {"called": ("val_loader", "train_loader")},
        {"called": ("eval_loader_of_training_data",)},
        {"loader": 1, "called": ("test_loader",)},  # the one that is trained on
        {"length": 1},
        {"optimizers": ()},
        {"num_steps": 15},  # another optimizer has stepped, too
        {"is_stored": False},
    ],
)
def test_silent(why: dict[str, Any]) -> None:
    if why.get("loader") == 1:
        assert ask(check, read(**{**why, "loader": 1})) == []
    else:
        assert ask(check, read(**why)) == []


def test_another_evaluation_shows_which_model_it_is_and_that_samples_stay() -> None:
    assert len(ask(check, read(1, num_steps=35), read(2, num_steps=45))) == 1
    assert ask(check, read(1, num_steps=35), read(2, num_steps=55)) == []
    assert len(ask(check, read(1, is_stored=False), read(2, is_stored=False))) == 1
    assert ask(check, read(1, is_stored=False), read(2, is_stored=False, marks=OTHERWISE)) == []


def heard(series: int, loader: int, kind: str = "mse_loss") -> ValidationFacts:
    return ValidationFacts(500, 20, series, 0.5, kind=kind, train_kinds=("mse_loss",), loader=loader)


def test_without_a_name_it_must_be_the_only_evaluation() -> None:
    plain = read(called=("two",))
    assert len(ask(check, plain, heard(1, 2), EndFacts(900))) == 1
    assert ask(check, plain, heard(1, 2), EndFacts(900, reason="interrupted")) == []
    assert ask(check, plain, heard(1, 2), heard(2, 0), EndFacts(900)) == []
    assert ask(check, plain, passed(1, loader=3, trained=False), heard(1, 2), EndFacts(900)) == []
    assert ask(check, plain, heard(1, 2, kind="l1_loss"), EndFacts(900)) == []
    assert ask(check, plain, EndFacts(900)) == []
