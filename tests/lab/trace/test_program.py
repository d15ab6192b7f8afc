"""Any program can be traced, and none is changed by it."""

from pathlib import Path

import pytest

from surefoot.cli.main import main
from tests.cli.command import CLEAN, STALE, write
from tests.forked.client import python, surefoot
from tests.lab.trace.conftest import TraceHere
from tests.launch.test_same_results import TRAINING

LOOP = """
import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
data = [{"pixels": torch.randn(3), "labels": {"kind": torch.tensor(i % 2)}, "name": f"no {i}"} for i in range(12)]
loader = DataLoader(data, batch_size=4)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 8), nn.ReLU())
        self.head = nn.Linear(8, 2)

    def forward(self, pixels, scale=1.0):
        return self.head(self.body(pixels)) * scale

model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    for batch in loader:
        loss = nn.functional.cross_entropy(model(pixels=batch["pixels"]), batch["labels"]["kind"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        right = sum((model(b["pixels"]).argmax(1) == b["labels"]["kind"]).sum().item() for b in loader)
print("reached")
"""


def test_the_results_are_the_same(tmp_path: Path) -> None:
    script = write(tmp_path / "train.py", TRAINING)
    plain = python(script, cwd=tmp_path)
    traced = surefoot("trace", "--to-end", "--steps", "1000", "-o", "trace.txt", script, cwd=tmp_path)
    assert (traced.status, traced.out, traced.err) == (0, plain.out, plain.err)
    told = (tmp_path / "trace.txt").read_text(encoding="utf-8")
    assert "took 64 steps and ended" in told and max(map(len, told.splitlines())) <= 100


def test_batches_that_are_dicts_and_modules_inside_modules(trace_here: TraceHere) -> None:
    traced = trace_here(LOOP, "--steps", "1")
    (data,) = traced.stages("data")
    parts = [(item["name"], item["tensor"] and item["tensor"]["shape"], item["kind"]) for item in data["items"]]
    assert parts == [("pixels", [4, 3], ""), ("labels.kind", [4], ""), ("name", None, "list of 4")]
    (forward,) = traced.stages("forward")
    calls = [(call["depth"], call["name"], call["module"], call["output"]) for call in forward["calls"]]
    assert calls == [
        (0, "", "Net", [[4, 2]]),
        (1, "body", "Sequential", [[4, 8]]),
        (2, "body.0", "Linear", [[4, 8]]),
        (2, "body.1", "ReLU", [[4, 8]]),
        (1, "head", "Linear", [[4, 2]]),
    ]
    assert [item["name"] for item in forward["given"]] == ["pixels"]


def test_to_the_end_with_losses_by_epoch(trace_here: TraceHere) -> None:
    traced = trace_here(LOOP, "--to-end", "--steps", "4")
    assert (traced.status, traced.out, traced.told["ended"]) == (0, "reached\n", "finished")
    assert traced.told["num_taken"] == 9 and [s["step"] for s in traced.stages("step")] == [1, 2, 3, 4]
    (evaluation,) = traced.stages("evaluation")
    assert (evaluation["models"], evaluation["step"]) == ({"Net": 3}, 4)
    epochs = traced.told["epochs"]
    assert [(e["epoch"], e["first_step"], e["last_step"], e["num_batches"]) for e in epochs] == [
        (1, 1, 3, 3), (2, 4, 6, 3), (3, 7, 9, 3)
    ]  # fmt: skip
    losses = [loss["value"] for loss in traced.stages("loss")][:3]
    (curve,) = epochs[0]["losses"]
    assert (curve["num"], curve["first"], curve["last"]) == (3, losses[0], losses[2])
    assert curve["mean"] == pytest.approx(sum(losses) / 3)


def test_losses_without_a_loader_come_in_ten_parts(trace_here: TraceHere) -> None:
    code = CLEAN.replace("range(6)", "range(40)")
    epochs = trace_here(code, "--to-end").told["epochs"]
    assert [(e["loader"], e["first_step"], e["last_step"]) for e in epochs][-1] == (None, 37, 40)
    assert len(epochs) == 10 and all(e["losses"][0]["num"] == 4 for e in epochs)


def test_a_late_step_is_not_slept_through(trace_here: TraceHere) -> None:
    code = STALE.replace("range(6):", "range(160):\n    optimizer.zero_grad()")
    traced = trace_here(code, "--at", "150", "--steps", "1")
    assert traced.kinds(150) == ["clear", "forward", "loss", "backward", "step"]
    assert traced.told["num_taken"] == 150


def test_optimizers_with_the_same_groups_have_one_rate(trace_here: TraceHere) -> None:
    traced = trace_here("""
        import torch

        class Wrapper(torch.optim.Optimizer):
            def __init__(self, inner):
                super().__init__([torch.nn.Parameter(torch.ones(1))], {"lr": 0.1})
                self.inner, self.param_groups = inner, inner.param_groups

            def step(self, closure=None):
                return self.inner.step(closure)

        model = torch.nn.Linear(2, 1)
        optimizer = Wrapper(torch.optim.SGD(model.parameters(), lr=0.1))
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
        for _ in range(4):
            optimizer.zero_grad()
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()
            scheduler.step()
    """)
    assert [len(stage["rates"]) for stage in traced.stages("schedule")] == [1]
    assert [stage["inside_step"] for stage in traced.stages("step")] == [2, None]


def test_a_step_that_the_scaler_skips(trace_here: TraceHere) -> None:
    traced = trace_here("""
        import torch

        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        for bad in (True, False, False):
            optimizer.zero_grad()
            loss = model(torch.ones(1, 2)).sum() * (torch.inf if bad else 1.0)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 100.0)
            scaler.step(optimizer)
            scaler.update()
    """)
    skipped, taken = traced.stages("step")
    assert (skipped["skipped"], taken["skipped"]) == (True, False)
    assert traced.kinds(2) == ["clear", "forward", "loss", "backward", "unscale", "clip", "step"]
    unscale = traced.stages("unscale", step=2)[0]
    assert unscale["scale"] == 2 and unscale["changes"][0]["values_before"] == [2, 2]
    assert unscale["changes"][0]["values_after"] == [1, 1]


def test_what_is_not_finite_is_text_in_json(trace_here: TraceHere) -> None:
    code = CLEAN.replace("x = torch.randn(16, 4)", "x = torch.full((16, 4), torch.nan)")
    traced = trace_here(code, "--steps", "1")
    assert traced.stages("loss")[0]["value"] == "NaN"
    assert traced.stages("forward")[0]["given"][0]["tensor"]["num_bad"] == 64


def test_findings_stand_at_their_step(trace_here: TraceHere) -> None:
    code = CLEAN.replace("    optimizer.zero_grad()\n", "")
    traced = trace_here(code, "--steps", "3")
    found = [stage["findings"] for stage in traced.stages("step")]
    assert found[0] == [] and any(text.startswith("error[stale-gradients]") for told in found for text in told)
    assert traced.stages("step")[1]["changes"][0]["used_by"] == [1]
    assert traced.stages("step")[1]["window"] == [1, 2]


def test_blocks_that_are_run_again_in_backward_are_told_once(trace_here: TraceHere) -> None:
    code = CLEAN.replace("model(x)", "torch.utils.checkpoint.checkpoint(model, x, use_reentrant=False)")
    traced = trace_here("import torch.utils.checkpoint\n" + code, "--steps", "1")
    assert sorted(traced.kinds(1)) == ["backward", "clear", "forward", "loss", "step"]


# --- the command


def test_a_module_and_its_arguments(stays_here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "mine" / "train.py", f"import sys\nprint(sys.argv[1:])\n{CLEAN}")
    assert main(["trace", "--steps", "1", "-m", "mine.train", "--steps", "7"]) == 0
    said = capsys.readouterr()
    assert said.out == "['--steps', '7']\n"
    assert said.err.startswith("surefoot trace: mine.train\n") and "mine/train.py:" in said.err


@pytest.mark.parametrize(
    ("code", "options", "status", "said"),
    [
        ("print(1)", (), 1, "No optimizer took a step in this process."),
        (CLEAN, ("--at", "99"), 1, "There is no step 99: the script took 6 steps."),
        (f"{CLEAN}\nraise SystemExit(3)", ("--to-end",), 3, "The script took 6 steps"),
        (CLEAN.replace("range(6)", "range(1)"), (), 0, "The script took 1 step and ended."),
    ],
)
def test_how_it_ends(
    code: str, options: tuple[str, ...], status: int, said: str, stays_here: None, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    script = write(tmp_path / "train.py", code)
    assert main(["trace", *options, str(script)]) == status
    assert said in capsys.readouterr().err


def test_what_an_error_leaves_is_told(stays_here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = write(tmp_path / "train.py", CLEAN.replace("    optimizer.step()", "    optimizer.step()\n    1 / 0"))
    assert main(["trace", str(script)]) == 1
    said = capsys.readouterr().err
    assert "ZeroDivisionError" in said and "step        train.py:12  SGD: 2 of 2 parameters moved" in said


@pytest.mark.parametrize("wrong", [["nowhere.py"], ["-o", "nowhere/trace.txt", "train.py"]])
def test_wrong_usage(wrong: list[str], stays_here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "train.py", CLEAN)
    assert main(["trace", *wrong]) == 2
    assert "nowhere" in capsys.readouterr().err
