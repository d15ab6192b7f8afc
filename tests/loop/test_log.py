"""A loop writes what it did to the run log, by default and wherever it runs."""

import gc
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import torch

import surefoot as sf
from surefoot.loop.track import sample_tracked
from surefoot.runlog.write import current
from tests.cli.command import python, write
from tests.forked import client as forked
from tests.runlog.write.stored import ask, meta, scalars

DATA = [(x, x.sum(1, keepdim=True)) for x in torch.ones(4, 8, 3)]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUREFOOT_LOG", raising=False)
    yield
    sf.track()


def make_loop(**settings: Any) -> sf.Loop:
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 1)
    return sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.01), progress=False, **settings)


def runs() -> list[Path]:
    return sorted(Path("runs").glob("*/rank-0.db"), key=lambda file: meta(file)["run"])


def train(**settings: Any) -> sf.Loop:
    with make_loop(**settings) as loop:
        loop.fit(DATA, torch.nn.functional.mse_loss, epochs=2, validate=DATA)
    return loop


def test_every_update_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    loop = train(stop=sf.stop.after(updates=6))
    (file,) = runs()
    found = scalars(file)
    assert [step for step, _ in found["loss"]] == [1, 2, 3, 4, 5, 6]
    assert [value for _, value in found["loss"]] == loop.history["loss"]
    assert [value for _, value in found["grad_norm"]] == loop.history["grad_norm"]
    assert found["lr"][0] == (1, 0.01)
    assert found["val/loss"] == [(4, loop.history["val/loss"][0])]
    assert ask(file, "SELECT step, kind FROM events") == [(6, "stop")]
    assert (meta(file)["reason"], meta(file)["device"], meta(file)["attempt"]) == ("finished", "cpu", "1")
    kinds = ask(file, "SELECT DISTINCT kind FROM records WHERE kind IN ('SetupFacts', 'EndFacts') ORDER BY kind")
    assert kinds == [("EndFacts",), ("SetupFacts",)]  # of set-ups there are more, if models of other tests go meanwhile
    assert capfd.readouterr().err.count(f"logging to {Path('runs') / meta(file)['run']}") == 1


@pytest.mark.parametrize("log", [None, False])
def test_it_can_be_left_out(log: Any) -> None:
    train(log=log)
    assert not runs()


def test_the_variable_overrides_the_default_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUREFOOT_LOG", "off")
    train()
    sf.log({"acc": 0.5})
    assert not Path("runs").exists()
    monkeypatch.setenv("SUREFOOT_LOG", "elsewhere")
    train()
    train(log="mine")
    assert [len(list(Path(name).glob("*/rank-0.db"))) for name in ("elsewhere", "mine")] == [1, 1]
    assert not Path("runs").exists()


def test_a_resumed_run_tells_where_it_comes_from() -> None:
    train(checkpoint="saved", checkpoint_every=3)
    with make_loop(checkpoint="saved") as loop:
        assert loop.resume()
        loop.fit(DATA, torch.nn.functional.mse_loss, epochs=3)
    first, second = sorted(runs(), key=lambda file: meta(file)["attempt"])
    assert (meta(second)["attempt"], meta(second)["resumed_from"]) == ("2", meta(first)["run"])
    assert ask(second, "SELECT step, kind, text FROM events") == [
        (6, "resume", f"from update 6 of {first.parent.name}")
    ]
    assert [step for step, _ in scalars(second)["loss"]] == [7, 8, 9, 10, 11, 12]


def test_a_checkpoint_without_a_run_is_resumed_too() -> None:
    train(checkpoint="saved", checkpoint_every=3, log=None)
    with make_loop(checkpoint="saved") as loop:
        loop.resume()
        loop.fit(DATA, torch.nn.functional.mse_loss, epochs=3)
    assert ask(runs()[0], "SELECT text FROM events") == [("from update 6",)]


def test_a_validation_does_not_hold_up_updates() -> None:
    heard: list[int] = []
    at_validation: list[int] = []

    def validate() -> Iterator[Any]:
        at_validation.append(len(heard))
        yield from DATA

    with sf.start_run() as run, make_loop() as loop:
        run.listen(lambda names, step, time, packed: heard.append(step) if "loss" in names else None)
        loop.fit(DATA * 10, torch.nn.functional.mse_loss, epochs=2, validate=validate)
    assert at_validation == [40, 80]


def test_what_the_program_logs_joins_the_loop() -> None:
    with sf.start_run(name="study") as run:
        loop = train()
        sf.log({"acc": 0.5})
        run.log({"acc": torch.tensor(0.75)}, step=99)
        train()
    (file,) = runs()
    assert "-study-" in meta(file)["run"]
    found = scalars(file)
    assert found["acc"] == [(loop.num_updates, 0.5), (99, 0.75)]
    assert len(found["loss"]) == len(found["loop-2/loss"]) == 8
    with pytest.raises(TypeError, match="'acc'"), sf.start_run() as run:
        run.log({"acc": object()})
    assert {meta(file)["reason"] for file in runs()} == {"finished", "raised"}


def test_two_runs_at_a_time_are_refused() -> None:
    sf.log({"acc": 0.5})
    with pytest.raises(RuntimeError, match="is going on"):
        sf.start_run()


def test_a_loop_that_is_forgotten_ends_its_run() -> None:
    loop = make_loop(watch=False)
    loop.fit(DATA, torch.nn.functional.mse_loss, epochs=1)
    del loop
    gc.collect()
    assert meta(runs()[0])["reason"] == "finished"


LOG = """
    import surefoot as sf, sys
    for i in range(3):
        sf.log({"acc": i / 2})
"""


@pytest.mark.parametrize(
    ("end", "reason"), [("", "finished"), ("raise ValueError", "raised"), ("raise KeyboardInterrupt", "interrupted")]
)
def test_any_script_can_log(tmp_path: Path, end: str, reason: str) -> None:
    script = write(tmp_path / "plain.py", LOG + f"    assert 'torch' not in sys.modules\n    {end}\n")
    done = python(script, cwd=tmp_path)
    (file,) = runs()
    assert done.err.splitlines()[0] == f"surefoot: logging to {file.parent}"
    assert scalars(file) == {"acc": [(0, 0.0), (1, 0.5), (2, 1.0)]}
    assert meta(file)["reason"] == reason
    assert Path(meta(file)["script"]) == script


def test_a_killed_program_leaves_no_end(tmp_path: Path) -> None:
    code = (
        LOG + "    sf.start_run\n    from surefoot.runlog.write.current import current_run\n    current_run().flush()\n"
    )
    script = write(tmp_path / "plain.py", code + "    import os, signal\n    os.kill(os.getpid(), signal.SIGKILL)\n")
    python(script, cwd=tmp_path)
    (file,) = runs()
    assert len(scalars(file)["acc"]) == 3
    assert "ended" not in meta(file)


WATCHED = """
    import torch, surefoot as sf
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    sf.track("bias", "weight[0, ::2]")
    for i in range(120):
        x = torch.randn(8, 3)
        loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    sf.log({"acc": 0.5})
"""


def test_under_surefoot_run_everything_goes_to_one_run(tmp_path: Path) -> None:
    script = write(tmp_path / "watched.py", WATCHED)
    assert forked.surefoot("run", script, cwd=tmp_path).status == 0
    (file,) = runs()
    found = scalars(file)
    assert [step for step, _ in found["loss"][:32]] == list(range(1, 33))
    assert len(found["loss"]) == len(found["lr"]) > 32
    assert found["acc"] == [(120, 0.5)]
    assert set(scalars(file, "param")) == {"bias[0]", "weight[0,0]", "weight[0,2]"}
    told = meta(file)
    assert (told["exit"], told["device"], told["num_ranks"]) == ("0", "cpu", "1")
    assert sys.executable.rpartition(os.sep)[2] in told["command"] and "torch" in told["versions"]


def test_what_is_tracked_goes_to_each_run_under_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.loop.track.SPACING_SECONDS", 0.0)
    model = torch.nn.Linear(3, 1)
    sf.track("bias", model=model)
    for names in (("loss",), ("acc", "extra", "b")):  # each file numbers its series in its own order
        with sf.start_run() as run:
            run.log(dict.fromkeys(names, 0.5))
            run.flush()
            model.bias.data.fill_(float(len(names)))
            sample_tracked(run, 1)
            run.flush()
            sample_tracked(run, 2)
        found = run.folder / "rank-0.db"
        values = {name: [value for _, value in rows] for name, rows in scalars(found).items()}
        assert values == {series: [0.5] for series in names}
        assert scalars(found, "param") == {"bias[0]": [(1, float(len(names))), (2, float(len(names)))]}


def test_where_it_was_decided_to_log_nothing_nothing_is_logged() -> None:
    """As under `surefoot run --no-log`."""
    current.decide(None)
    train()
    sf.log({"acc": 0.5})
    loop = make_loop()
    sf.track("bias", model=loop.models)
    with sf.start_run() as run:
        run.log({"acc": 0.5})
    loop.close()
    assert not Path("runs").exists()


def test_ranks_share_a_folder(tmp_path: Path) -> None:
    script = write(tmp_path / "plain.py", LOG)
    torchrun = ("-m", "torch.distributed.run", "--nproc-per-node=2", "--standalone")
    done = python(*torchrun, script, cwd=tmp_path)
    assert done.status == 0, done.err
    (folder,) = Path("runs").iterdir()
    files = sorted(folder.glob("*.db"))
    assert [(file.name, meta(file)["rank"], meta(file)["num_ranks"]) for file in files] == [
        ("rank-0.db", "0", "2"), ("rank-1.db", "1", "2"),
    ]  # fmt: skip
    assert done.err.count("logging to") == 1


def test_tracked_values_go_with_the_loops_updates() -> None:
    loop = make_loop()
    sf.track("bias", "weight[0, -1]", model=loop.models)
    loop.fit(DATA, torch.nn.functional.mse_loss, epochs=1)
    sf.log({"acc": 0.5})
    loop.close()
    (file,) = runs()
    assert scalars(file)["acc"] == [(4, 0.5)]
    found = scalars(file, "param")
    assert set(found) == {"bias[0]", "weight[0,2]"}
    assert found["bias[0]"][0][0] == 1


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("fc.bais", "no parameter is called 'fc.bais'. The nearest name is 'fc.bias'"),
        ("fc.weight", r"has 320 values, and 1 to 256 can be tracked. Take a slice of it, such as .fc.weight\[0, :4\]"),
        ("fc.weight[10, 0]", r"is out of range: the parameter has shape \(10, 32\)"),
        ("fc.weight[0, 0, 0]", "has 3 indices"),
        ("fc.weight[a]", "an index is made of numbers and slices"),
        ("fc.weight[0", "what to track is a name"),
        ("fc.weight[0, 5:5]", "has 0 values"),
    ],
)
def test_what_cant_be_tracked_is_an_error(spec: str, told: str) -> None:
    model = torch.nn.Sequential()
    model.add_module("fc", torch.nn.Linear(32, 10))
    with pytest.raises(ValueError, match=told):
        sf.track(spec, model=model)


def test_environment_variables_are_not_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "a-secret-value")
    train()
    with closing(sqlite3.connect(runs()[0])) as connection:
        assert not any("a-secret-value" in line for line in connection.iterdump())
