"""A loop that tells the world: alerts, numbers for Prometheus, what became of its loss."""

import gc
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import surefoot as sf
from tests.alerts.receiving import receiving
from tests.runlog.write.stored import ask

DATA = [(x, x.sum(1, keepdim=True)) for x in torch.ones(4, 8, 3)]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUREFOOT_LOG", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield


def make_loop(**settings: Any) -> sf.Loop:
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 1)
    return sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.01), **{"progress": False, **settings})


def fit(loop: sf.Loop, epochs: int = 2) -> None:
    loop.fit(DATA, torch.nn.functional.mse_loss, epochs=epochs, validate=DATA)


def test_an_expression_arrives() -> None:
    with receiving() as receiver:
        on = ["grad_norm > 0 for 3 steps", "val/loss > 0"]
        with make_loop(alerts=[sf.alert(receiver.url, on=on)]) as loop:
            fit(loop)
    told = sorted((told["surefoot"]["expression"], told["surefoot"]["step"]) for told in receiver.posted)
    assert told == [("grad_norm > 0 for 3 steps", 4), ("val/loss > 0", 4)]
    (file,) = Path("runs").glob("*/rank-0.db")
    assert [kind for (kind,) in ask(file, "SELECT kind FROM events")] == ["alert", "alert"]


def test_findings_arrive_and_results_do_not_change(capsys: pytest.CaptureFixture[str]) -> None:
    def weights(**settings: Any) -> torch.Tensor:
        with make_loop(**settings) as loop:
            fit(loop)
            for batch in loop.batches(DATA):
                with loop.step() as step:
                    step.backward(torch.nn.functional.mse_loss(loop.models[""](batch[0]), batch[1][:, 0]))
        (model,) = loop.models.values()
        return torch.cat([p.detach().flatten() for p in model.parameters()])

    with receiving() as receiver, pytest.warns(UserWarning, match="target size"):
        watched = weights(alerts=sf.alert(receiver.url, "warning"))
        assert torch.equal(watched, weights())
    assert [told["surefoot"]["rule"] for told in receiver.posted] == ["loss-shape-broadcast"]
    assert "loss-shape-broadcast" in capsys.readouterr().err


def test_a_loop_that_is_let_go_sends_what_is_due() -> None:
    with receiving() as receiver:
        loop = make_loop(alerts=[sf.alert(receiver.url, on="count(loss) == 8")])
        fit(loop)
        del loop
        gc.collect()
        assert len(receiver.posted) == 1


def test_a_shared_run_goes_on_after_the_loop() -> None:
    with receiving() as receiver, sf.start_run() as run:
        with make_loop(alerts=[sf.alert(receiver.url, on="acc > 1")]) as loop:
            fit(loop)
            sf.log({"acc": 2.0})
        assert len(receiver.posted) == 1
        run.log({"acc": 3.0})
    assert len(receiver.posted) == 1


def test_without_a_log(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="leave out log=None"):
        make_loop(log=None, alerts=[sf.alert("json://127.0.0.1/", "loss > 3")])
    with pytest.raises(ValueError, match="leave out log=None"):
        make_loop(log=False, prometheus=0)
    monkeypatch.setenv("SUREFOOT_LOG", "off")
    with make_loop(alerts=[sf.alert("json://127.0.0.1/", "loss > 3")], prometheus=0) as loop:
        fit(loop)
    said = capsys.readouterr().err
    assert "the run log is switched off, and so are alerts on expressions" in said


@pytest.mark.parametrize("port", [True, -1, 65536, "9464"])
def test_a_port_that_is_none_is_refused(port: Any) -> None:
    with pytest.raises(ValueError, match="prometheus is a port"):
        make_loop(prometheus=port)


def test_numbers_for_prometheus(capsys: pytest.CaptureFixture[str]) -> None:
    with make_loop(prometheus=0) as loop:
        fit(loop)
        url = capsys.readouterr().err.partition("metrics are at ")[2].split()[0]
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url, timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        last = loop.history["val/loss"][-1]
    assert f'surefoot_scalar{{name="val/loss"}} {last!r}' in lines
    assert "surefoot_updates_total 8" in lines


def test_what_became_of_the_loss(capsys: pytest.CaptureFixture[str]) -> None:
    with make_loop(progress=True, log=None) as loop:
        fit(loop, epochs=50)
        said = capsys.readouterr().err
        assert "surefoot: loss " in said and "in the last tenth of 200 steps" in said
        assert "surefoot: val/loss lowest" in said
    assert "last tenth" not in capsys.readouterr().err  # told already
    with make_loop(log=None) as loop:
        fit(loop, epochs=50)
    assert "last tenth" not in capsys.readouterr().err  # told to be silent
    with make_loop(progress=True, log=None) as loop:
        fit(loop)
    assert "last tenth" not in capsys.readouterr().err  # too short to say
