"""What a run tells of what was saved, kept and loaded."""

import copy
import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from surefoot.facts import EndFacts, SetupFacts
from tests.watch.watching import Watched, watching


def build() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))


def adam(model: nn.Module, **options: Any) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters(), **{"lr": 0.01, **options})


def train(model: nn.Module, optimizer: torch.optim.Optimizer, steps: int = 3) -> None:
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(4, 4)).pow(2).mean().backward()
        optimizer.step()


def checkpoint(model: nn.Module, optimizer: torch.optim.Optimizer) -> Any:
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "nested": {"optimizer": optimizer.state_dict()}}, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def setup(watched: Watched) -> SetupFacts:
    watched.tap.run("end", watched.emit_setup)
    return [record for record in watched.records if isinstance(record, SetupFacts)][-1]


# --- the state of optimizers


def unrestored(resume: Callable[[nn.Module, Any], torch.optim.Optimizer]) -> list[Any]:
    """What the first step tells after weights were loaded and an optimizer was made."""
    with watching() as watched:
        old = build()
        optimizer = adam(old)
        train(old, optimizer)
        saved = checkpoint(old, optimizer)
        model = build()
        model.load_state_dict(saved["model"])
        train(model, resume(model, saved))
    return [step.unrestored for step in watched.steps if step.optimizer == 2]


def test_an_optimizer_that_starts_empty() -> None:
    first, *others = unrestored(lambda model, saved: adam(model))
    assert (first.file, first.num_states) == ("BytesIO", 4) and first.site is not None
    assert first.same_params and first.same_settings and first.same_rate
    assert others == [None, None]


@pytest.mark.parametrize(
    ("make", "differs"),
    [
        (lambda model, saved: adam(model, lr=0.1), "same_rate"),
        (lambda model, saved: adam(model, betas=(0.8, 0.99)), "same_settings"),
        (lambda model, saved: torch.optim.SGD(model.parameters(), lr=0.01), "same_settings"),
        (lambda model, saved: torch.optim.Adam(model[0].parameters(), lr=0.01), "same_params"),
        (lambda model, saved: adam(nn.Sequential(model[2], model[0])), "same_params"),
    ],
)
def test_optimizers_of_another_kind(make: Any, differs: str) -> None:
    first = unrestored(make)[0]
    assert first is not None and not getattr(first, differs)


def test_optimizers_with_a_state_or_with_other_parameters() -> None:
    def restored(model: nn.Module, saved: Any) -> torch.optim.Optimizer:
        optimizer = adam(model)
        optimizer.load_state_dict(saved["nested"]["optimizer"])
        return optimizer

    def with_new_head(model: Any, saved: Any) -> torch.optim.Optimizer:
        model[2] = nn.Linear(8, 1)
        return adam(model)

    def with_changed_weights(model: nn.Module, saved: Any) -> torch.optim.Optimizer:
        model.load_state_dict(build().state_dict())
        return adam(model)

    assert unrestored(restored)[0] is None
    assert unrestored(with_new_head)[0] is None
    assert unrestored(with_changed_weights)[0] is None


def test_a_state_that_another_optimizer_has_loaded() -> None:
    def made_again(model: nn.Module, saved: Any) -> torch.optim.Optimizer:
        adam(model).load_state_dict(saved["nested"]["optimizer"])
        return adam(model)

    def for_another_phase(model: nn.Module, saved: Any) -> torch.optim.Optimizer:
        first = adam(model)
        first.load_state_dict(saved["nested"]["optimizer"])
        train(model, first)
        return adam(model)

    with watching() as watched:
        old = build()
        optimizer = adam(old)
        train(old, optimizer)
        saved = checkpoint(old, optimizer)
        for make in (made_again, for_another_phase):
            model = build()
            model.load_state_dict(saved["model"])
            train(model, make(model, saved))
    (found,) = [step.unrestored for step in watched.steps if step.unrestored is not None]
    assert found.taken is not None and found.same_params


def test_files_without_optimizer_state_are_nobodys_business(tmp_path: Path) -> None:
    with watching() as watched:
        model = build()
        torch.save({"model": model.state_dict(), "optimizer": adam(model).state_dict()}, tmp_path / "new.pt")
        model.load_state_dict(torch.load(tmp_path / "new.pt")["model"])
        train(model, adam(model))
    assert [step.unrestored for step in watched.steps] == [None] * 3


def test_the_rates_that_were_loaded() -> None:
    with watching() as watched:
        model = build()
        optimizer = adam(model)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
        train(model, optimizer, 1)
        scheduler.step()
        state = copy.deepcopy(optimizer.state_dict())
        optimizer.load_state_dict(state)
        train(model, optimizer, 2)
    before, *after = [step.resume for step in watched.steps]
    assert before is None and [r.num_steps for r in after if r is not None] == [1, 2]
    assert after[0] is not None and after[0].lrs == (0.001,) and after[0].initial_lrs == (0.01,)


def test_the_file_that_they_were_loaded_from(tmp_path: Path) -> None:
    with watching() as watched:
        model = build()
        optimizer = adam(model)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
        train(model, optimizer, 1)
        scheduler.step()
        torch.save([optimizer.state_dict(), {"schedule": scheduler.state_dict()}], tmp_path / "last.pt")
        optimizer.load_state_dict(torch.load(tmp_path / "last.pt")[0])
        train(model, optimizer, 1)
    resume = watched.steps[-1].resume
    assert resume is not None and (resume.file, resume.position, resume.at_update) == ("last.pt", 1, 1)


# --- its own weights


def test_what_lies_in_the_same_memory_is_loaded_in_vain() -> None:
    with watching() as watched:
        model = build()
        model.load_state_dict(model.state_dict())
        other = copy.deepcopy(model)
        other.load_state_dict(model.state_dict())
        state = model.state_dict()
        next(iter(state.values())).add_(1)
        model.load_state_dict(state)
        answer = model.load_state_dict(model.state_dict())
        model.load_state_dict(model.state_dict(), assign=True)
        train(model, adam(model))
    assert not answer.missing_keys
    (found,) = setup(watched).self_loads
    assert found.same_module and found.site == found.taken


def test_meta_tensors_have_no_memory() -> None:
    with watching() as watched, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, other = nn.Linear(4, 1, device="meta"), nn.Linear(4, 1, device="meta")
        other.load_state_dict(model.state_dict())
        trained = build()
        train(trained, adam(trained))
    assert setup(watched).self_loads == ()


# --- keys that do not fit


def test_keys_that_do_not_fit_and_whether_anybody_looks() -> None:
    given = {f"module.{name}": value for name, value in build().state_dict().items()}
    with watching() as watched:
        model = build()
        model.load_state_dict(given, strict=False)
        answer = model.load_state_dict(given, strict=False)
        model.load_state_dict({"0.weight": torch.ones(8, 4)}, strict=False)
        model.load_state_dict(build().state_dict() | {"more": torch.ones(1)}, strict=False)
        unseen, seen = setup(watched).unmatched
    assert answer.missing_keys and unseen.is_unseen and not seen.is_unseen
    assert (unseen.num_own, unseen.num_given, unseen.num_missing, unseen.num_fitting) == (4, 4, 4, 4)
    assert unseen.examples == ("0.weight", "module.0.weight")


# --- state dicts that are kept


def aliases(use: Callable[[nn.Module, Any], Any], copied: Callable[[Any], Any] = lambda state: state) -> list[Any]:
    with watching() as watched:
        model = build()
        optimizer = adam(model)
        train(model, optimizer, 2)
        kept = copied(model.state_dict())
        train(model, optimizer, 3)
        use(model, kept)
        found = setup(watched).aliases
    return [(alias.use, alias.num_before, alias.num_between) for alias in found]


def test_uses_of_a_state_dict_that_was_kept() -> None:
    assert aliases(lambda model, kept: model.load_state_dict(kept)) == [("load", 2, 3)]
    assert aliases(lambda model, kept: build().load_state_dict(kept)) == [("elsewhere", 2, 3)]
    assert aliases(lambda model, kept: torch.save([{"epoch": 1, "model": kept}], io.BytesIO())) == [("save", 2, 3)]
    assert aliases(lambda model, kept: None) == []


@pytest.mark.parametrize(
    ("copied", "num"),
    [
        (dict, 1),
        (lambda state: {name: value.cpu() for name, value in state.items()}, 1),
        (lambda state: {name: value.detach() for name, value in state.items()}, 1),
        (copy.deepcopy, 0),
        (lambda state: {name: value.clone() for name, value in state.items()}, 0),
        (lambda state: {**state, "0.bias": torch.zeros(8)}, 0),
    ],
    ids=["shallow copy", "moved to where it is", "the same memory", "deep copy", "clones", "one replaced"],
)
def test_copies(copied: Callable[[Any], Any], num: int) -> None:
    assert len(aliases(lambda model, kept: model.load_state_dict(kept), copied)) == num


def test_the_present_weights_may_be_loaded_into_themselves() -> None:
    with watching() as watched:
        model = build()
        train(model, adam(model), 4)
        model.load_state_dict({name: value.detach() for name, value in model.state_dict().items()})
        assert not setup(watched).aliases


def test_models_that_come_and_go_are_forgotten() -> None:
    with watching() as watched:
        for _ in range(600):
            nn.Linear(1, 1).state_dict()
        (probe,) = [probe for probe in watched.probes if probe.name == "saved"]
        assert len(probe._snapshots._last) <= 256  # type: ignore[attr-defined]


def test_optimizers_that_came_and_went_in_between() -> None:
    with watching() as watched:
        model = build()
        kept = model.state_dict()
        train(model, adam(model), 4)
        model.load_state_dict(kept)
        (found,) = setup(watched).aliases
    assert (found.num_before, found.num_between) == (0, 4)


def test_nothing_is_changed(tmp_path: Path) -> None:
    model = build()
    with watching():
        state = model.state_dict()
        assert list(state) == ["0.weight", "0.bias", "2.weight", "2.bias"] and hasattr(state, "_metadata")
        assert model.state_dict(prefix="a.")["a.0.bias"].data_ptr() == model[0].bias.data_ptr()
        torch.save(obj=state, f=tmp_path / "x.pt")
        assert list(torch.load(f=tmp_path / "x.pt", weights_only=True)) == list(state)
        with pytest.raises(RuntimeError, match="Missing key"):
            model.load_state_dict({})
        with pytest.raises(TypeError, match="dict-like"):
            model.load_state_dict([])  # type: ignore[arg-type]
    assert not hasattr(torch.load, "__wrapped__") and not hasattr(torch.save, "__wrapped__")


def test_an_optimizer_that_is_saved_and_never_steps(tmp_path: Path) -> None:
    with watching() as watched:
        model = build()
        idle, late = adam(model), adam(model)
        train(model, adam(model))
        torch.save([idle.state_dict(), late.state_dict()], tmp_path / "a.pt")
        train(model, late)
        watched.emit_end("finished")
    end = watched.records[-1]
    assert isinstance(end, EndFacts)
    (found,) = end.untrained_saved
    assert (found.kind, found.num_params, found.num_steps) == ("Adam", 4, 3) and found.saved is not None


@pytest.mark.parametrize("copied", [False, True])
def test_an_old_state_of_an_optimizer_is_saved(copied: bool, tmp_path: Path) -> None:
    with watching() as watched:
        model = build()
        optimizer = adam(model)
        old = copy.deepcopy(optimizer.state_dict()) if copied else optimizer.state_dict()
        torch.save({"optimizer": old}, tmp_path / "first.pt")  # before the first step there is nothing to save
        train(model, optimizer)
        torch.save({"optimizer": old}, tmp_path / "last.pt")
        watched.emit_end("finished")
    end = watched.records[-1]
    assert isinstance(end, EndFacts)
    (found,) = end.untrained_saved
    assert found.is_old and (found.kind, found.num_params, found.num_steps) == ("Adam", 4, 3)


def test_what_is_saved_anew_or_can_not_be_told_is_not_old(tmp_path: Path) -> None:
    with watching() as watched:
        model, other = build(), build()
        optimizer, alike = adam(model), adam(other)
        old = copy.deepcopy(optimizer.state_dict())
        train(model, optimizer)
        train(other, alike)
        torch.save({"optimizer": old}, tmp_path / "which.pt")
        torch.save({"optimizer": optimizer.state_dict()}, tmp_path / "last.pt")
        watched.emit_end("finished")
    end = watched.records[-1]
    assert isinstance(end, EndFacts) and end.untrained_saved == ()


def test_weights_that_are_initialised_after_they_were_loaded() -> None:
    def reset(module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            module.weight.data.normal_()

    with watching() as watched:
        torch.manual_seed(0)
        first, second = nn.Linear(8, 8), nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))
        for model in (first, second):
            model.load_state_dict(copy.deepcopy(model.state_dict()))
        first.apply(reset)
        second[0].apply(reset)  # one is left
        optimizer = adam(first)
        first(torch.randn(4, 8)).sum().backward()
        optimizer.step()
    (found,) = setup(watched).overwritten
    assert (found.model, found.num_matrices) == ("Linear", 1) and found.reset != found.loaded
