"""`sf.watch`: the sanitizer from inside a program."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import surefoot as sf
from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer import Sanitizer
from surefoot.watch.recorder import Recorder
from surefoot.watch.tap import Tap
from tests.cli.command import STALE, write
from tests.forked.client import python, surefoot


def make() -> tuple[torch.nn.Linear, torch.optim.SGD]:
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def train(model: torch.nn.Module, optimizer: torch.optim.Optimizer, steps: int = 4, *, clear: bool = False) -> None:
    for _ in range(steps):
        if clear:
            optimizer.zero_grad()
        model(torch.randn(8, 4)).square().mean().backward()
        optimizer.step()


def patched_places(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, str]]:
    """Everything that any probe wraps."""
    places: list[tuple[Any, str]] = []

    def wrap(self: Any, owner: Any, name: str, make: Callable[..., Any]) -> None:
        places.append((owner, name))

    with monkeypatch.context() as patch:
        patch.setattr(Tap, "_replace", wrap)
        sanitizer = Sanitizer(catalogue().values())
        sanitizer.start()
        sanitizer.finish()
    return places


def test_findings_are_shown_as_they_happen_and_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    model, optimizer = make()
    with sf.watch(model, optimizer) as watch:
        train(model, optimizer, 2)
        shown = capsys.readouterr().err
        assert "error[stale-gradients]" in shown
        assert "optimizer.step()" in shown
        train(model, optimizer, 2)
        assert capsys.readouterr().err == ""
    assert [f.rule for f in watch.findings] == ["stale-gradients"]
    assert watch.findings[0].count == 3
    assert capsys.readouterr().err.startswith("surefoot: 1 finding in 4 steps; ")


def test_the_report_is_text_and_dict() -> None:
    model, optimizer = make()
    with sf.watch(model, optimizer) as watch:
        train(model, optimizer)
        report = watch.report()
    assert "error[stale-gradients]" in str(report)
    assert report.as_dict()["steps"] == 4
    assert report.as_dict()["findings"][0]["file"] == __file__


def test_stopping_puts_every_function_of_torch_back(monkeypatch: pytest.MonkeyPatch) -> None:
    places = patched_places(monkeypatch)
    assert (torch.autograd, "backward") in places
    before = [vars(owner)[name] for owner, name in places]
    hooks = num_global_hooks()
    watch = sf.watch()
    assert vars(torch.autograd)["backward"] is not before[places.index((torch.autograd, "backward"))]
    model, optimizer = make()
    train(model, optimizer, clear=True)
    watch.stop()
    watch.stop()
    assert [vars(owner)[name] for owner, name in places] == before
    assert hooks == num_global_hooks()
    assert not model._forward_hooks and not model._forward_pre_hooks and not model.weight._backward_hooks


def num_global_hooks() -> list[int]:
    return [
        len(hooks)
        for module in (sys.modules["torch.optim.optimizer"], sys.modules["torch.nn.modules.module"])
        for name, hooks in vars(module).items()
        if name.startswith("_global") and name.endswith("_hooks")
    ]


def test_an_optimizer_made_before_is_known_from_the_start() -> None:
    model, optimizer = make()
    model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()  # not seen
    with sf.watch(model, optimizer, on_finding=lambda finding: None) as watch:
        train(model, optimizer, 1)
        train(model, optimizer, 1)
    assert [f.rule for f in watch.findings] == ["stale-gradients"]


def test_several_models_and_optimizers(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = make(), make()
    with sf.watch(*first, *second) as watch:
        train(*first, clear=True)
        train(*second)
    assert [(f.rule, f.count) for f in watch.findings] == [("stale-gradients", 3)]


def test_a_finding_goes_to_who_asked_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    got: list[sf.Finding] = []
    model, optimizer = make()
    with sf.watch(model, optimizer, on_finding=got.append) as watch:
        train(model, optimizer)
    assert got == watch.findings
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "options", [{"ignore": "grad"}, {"select": ["clip", "graph"]}, {"ignore": ["stale-gradients"]}]
)
def test_rules_are_selected_and_ignored(options: Any) -> None:
    model, optimizer = make()
    with sf.watch(model, optimizer, **options) as watch:
        train(model, optimizer)
    assert watch.findings == []


def test_it_raises_before_the_update() -> None:
    model, optimizer = make()
    with sf.watch(model, optimizer, stop_on="error") as watch:
        train(model, optimizer, 1)
        before = model.weight.detach().clone()
        with pytest.raises(sf.FindingError, match="stale-gradients"):
            train(model, optimizer, 1)
    assert torch.equal(model.weight, before)
    assert len(watch.findings) == 1


def test_a_second_watch_is_refused() -> None:
    with sf.watch(), pytest.raises(RuntimeError, match="a watch is running already"):
        sf.watch()
    with sf.watch():
        pass


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: sf.watch("model"), TypeError, "takes modules and optimizers, got str"),
        (lambda: sf.watch(stop_on="never"), ValueError, "stop_on must be"),
        (lambda: sf.watch(select="stale"), ValueError, "Did you mean 'stale-gradients'"),
    ],
)
def test_wrong_arguments(call: Callable[[], sf.Watch], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()


def test_a_failing_probe_is_named_and_training_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise LookupError("no such thing")

    monkeypatch.setattr(Recorder, "backward_ends", broken)
    model, optimizer = make()
    with sf.watch(model, optimizer) as watch:
        train(model, optimizer)
    said = capsys.readouterr().err
    assert said.count("backward failed and is switched off") == 1
    assert "no such thing" in said
    assert "probe backward is off" in watch.report().not_checked["stale-gradients"]
    assert watch.findings == []


def test_a_program_without_an_end_is_told_at_exit(tmp_path: Path) -> None:
    write(tmp_path / "notebook.py", "import surefoot as sf\nwatch = sf.watch()\n" + STALE)
    done = python("notebook.py", cwd=tmp_path)
    assert done.status == 0
    assert "error[stale-gradients]" in done.err
    assert "surefoot: 1 finding in 6 steps" in done.err


def test_under_surefoot_run_the_run_is_shared(tmp_path: Path) -> None:
    program = "import surefoot as sf\nwatch = sf.watch()\n" + STALE + "print(len(watch.findings))\nwatch.stop()\n"
    write(tmp_path / "train.py", program)
    done = surefoot("run", "--no-log", "train.py", cwd=tmp_path)
    assert (done.status, done.out) == (1, b"1\n")
    assert done.err.count("> 13 |") == 1


def test_no_random_number_is_drawn_by_starting_to_watch(tmp_path: Path) -> None:
    program = "import random, torch\nrandom.seed(0); torch.manual_seed(0)\n{}\nprint(random.random(), torch.rand(1))"
    outputs = []
    for line in ("", "import surefoot as sf; sf.watch().stop()"):
        write(tmp_path / "train.py", program.format(line))
        outputs.append(python("train.py", cwd=tmp_path).out)
    assert outputs[0].startswith(b"0.84")
    assert outputs[0] == outputs[1]


def test_the_public_list() -> None:
    assert set(sf.__all__) == {
        "__version__", "Audio", "Finding", "FindingError", "Image", "Loop", "Report", "Run", "Table", "TensorBatches",
        "Watch", "ablate", "alert", "baseline", "check", "every", "fit_batch", "log", "lr_find", "noise_scale",
        "schedule", "start_run", "stop", "testing", "track", "verify", "watch",
    }  # fmt: skip
    assert callable(sf.watch)
    assert set(sf.__all__) <= set(dir(sf))
    with pytest.raises(AttributeError, match="no attribute 'wach'"):
        _ = sf.wach  # type: ignore[attr-defined]
