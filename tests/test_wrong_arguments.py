"""What people pass by mistake is refused in one line that says what to pass, before anything is trained or written."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

import surefoot as sf

DATA = [(torch.ones(8, 4), torch.zeros(8, dtype=torch.long))] * 2
LOSS = torch.nn.CrossEntropyLoss()


def made() -> tuple[Any, Any]:
    model = torch.nn.Linear(4, 3)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def loop(**settings: Any) -> Any:
    return sf.Loop(*made(), log=None, watch=False, progress=False, **settings)


def step_on(loss: Any) -> None:
    mine = loop()
    with mine.step() as step:
        step.backward(loss(mine.models[""](DATA[0][0])))


def unreduced(outputs: Tensor) -> Tensor:
    return cross_entropy(outputs, DATA[0][1], reduction="none")


CASES: dict[str, tuple[Any, str]] = {
    "swapped": (lambda: sf.Loop(*reversed(made())), "They are swapped: sf.Loop(model, optimizer)."),
    "optimizer first": (lambda: sf.Loop(made()[1], {}), "The model comes first: sf.Loop(model, optimizer)."),
    "a class": (lambda: sf.Loop(made()[0], torch.optim.SGD), "must be made first: SGD(model.parameters(), lr=0.1)"),  # type: ignore[arg-type]
    "model by name": (lambda: sf.Loop("resnet", made()[1]), "the model must be a torch module"),
    "optimizer by name": (lambda: sf.Loop(made()[0], "adam"), "a list of those that step together"),  # type: ignore[arg-type]
    "scheduler by name": (lambda: loop(scheduler="cosineanealing"), "lr_scheduler.CosineAnnealingLR(optimizer, …)"),
    "scheduler is one": (lambda: loop(scheduler=made()[1]), "got the optimizer SGD"),
    "stop is text": (lambda: loop(stop="loss < 1"), "sf.stop.below(\"loss\", 0.1), got 'loss < 1'"),
    "stop is a number": (lambda: loop(stop=5), "got 5"),
    "accumulate": (lambda: loop(accumulate="4"), "accumulate must be at least 1, got '4'"),
    "precision": (lambda: loop(precision="bf61"), 'must be "fp32", "bf16" or "fp16"'),
    "checkpoint": (lambda: loop(checkpoint=5), "checkpoint must be a folder or an address, got 5"),
    "alerts": (lambda: loop(alerts=5), "an alert goes to an address, such as jsons://example.org/hook, got int"),
    "log": (lambda: sf.Loop(*made(), log=5), "log must be a folder, such as \"runs\", or None"),  # type: ignore[arg-type]
    "unreduced": (lambda: step_on(unreduced), "got a tensor of shape (8,). Take its mean, loss.mean()"),
    "text": (lambda: step_on(lambda outputs: "loss"), "a loss must be a tensor of one number, got str"),
    "a float": (lambda: step_on(lambda outputs: outputs.sum().item()), "got float. Pass what the loss"),
    "detached": (lambda: step_on(lambda outputs: outputs.sum().detach()), "the loss depends on no parameter"),
    "nothing": (lambda: step_on(lambda outputs: None), "got NoneType"),
    "weight": (lambda: loop().step(weight="x"), "weight must be the number of items"),
    "weights": (lambda: loop().step(weight=torch.ones(3)), "weight must be the number of items"),
    "endless weight": (lambda: loop().step(weight=float("inf")), "weight must be the number of items"),
    "epochs": (lambda: loop().fit(DATA, LOSS, epochs="2"), "epochs must be a whole number, at least 1, got '2'"),
    "loss by name": (lambda: loop().fit(DATA, "mse", epochs=1), "such as torch.nn.CrossEntropyLoss(), got str"),
    "loader last": (lambda: loop().fit(LOSS, DATA, epochs=1), "the loader comes before loss_fn"),
    "no loader": (lambda: loop().fit(5, LOSS, epochs=1), "A loader is a DataLoader, a list"),
    "no validation": (lambda: loop().fit(DATA, LOSS, epochs=1, validate=5), "A loader is a DataLoader, a list"),
    "no evaluation": (lambda: loop().evaluate(5, LOSS), "A loader is a DataLoader, a list"),
    "baseline": (lambda: sf.baseline(DATA, made()[0], LOSS), "the loader comes before loss_fn"),  # type: ignore[arg-type]
    "baseline's loss": (lambda: sf.baseline(None, DATA, "x"), "loss_fn must be a function"),  # type: ignore[arg-type]
    "batches of what": (lambda: sf.TensorBatches(5, batch_size=2), "a row for each sample, got int"),  # type: ignore[arg-type]
    "batches of one": (lambda: sf.TensorBatches(torch.tensor(1.0), batch_size=2), "got a single number"),
    "batch size": (lambda: sf.TensorBatches(torch.ones(5), batch_size="2"), "whole number, at least 1, got '2'"),  # type: ignore[arg-type]
    "log a number": (lambda: sf.log(0.5), 'sf.log({"loss": 0.5}), got float'),  # type: ignore[arg-type]
    "log a name": (lambda: sf.log("loss", 0.5), 'sf.log({"loss": 0.5}), got str'),  # type: ignore[arg-type]
    "run's folder": (lambda: sf.start_run(5), "log must be a folder"),  # type: ignore[arg-type]
    "run's name": (lambda: sf.start_run(name=5), "the name of a run must be a string, got 5"),  # type: ignore[arg-type]
    "open": (lambda: sf.open(5), "sf.open takes the folder that runs are logged in"),  # type: ignore[arg-type]
    "open nothing": (lambda: sf.open("nope"), "there is no folder nope."),
    "run by number": (lambda: sf.open(".")[5], 'the beginning of it, or "latest", got 5'),  # type: ignore[index]
    "alert": (lambda: sf.alert(5), "got int"),  # type: ignore[arg-type]
    "alert on": (lambda: sf.alert("json://h", on=5), 'such as "loss > 3", got 5'),  # type: ignore[arg-type]
    "alert on some": (lambda: sf.alert("json://h", on=["error", 5]), 'such as "loss > 3", got 5'),  # type: ignore[list-item]
    "alert's variable": (lambda: sf.alert("env:https://h/KEY"), "what stands after env: holds no address"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_in_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wrong, says = CASES[name]
    with pytest.raises(Exception) as refused:
        wrong()
    assert isinstance(refused.value, TypeError | ValueError | OSError) or type(refused.value).__name__ == "RunLogError"
    (line,) = str(refused.value).splitlines()
    assert says in line
    assert list(tmp_path.iterdir()) == []


def test_a_step_that_is_no_number(tmp_path: Path) -> None:
    with (
        sf.start_run(tmp_path / "runs") as run,
        pytest.raises(TypeError, match=r"step must be a whole number, got 1\.5"),
    ):
        run.log({"loss": 1.0}, step=1.5)  # type: ignore[arg-type]
