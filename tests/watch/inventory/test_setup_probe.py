"""What exists and what losses reach, in real programs."""

import gc
import weakref
from pathlib import Path

import torch

from surefoot.facts import ParameterFacts, Record, SetupFacts, StepFacts
from surefoot.watch.probes import all_probes
from surefoot.watch.recorder import Recorder

HEAD = """
import torch
from torch import nn

torch.manual_seed(0)
"""


def records_of(code: str, file: Path) -> list[Record]:
    records: list[Record] = []
    failures: list[str] = []

    def emit(record: Record) -> None:
        records.append(record)

    def fail(name: str, error: Exception) -> None:
        failures.append(f"{name}: {error!r}")

    gc.collect()  # models of earlier tests
    file.write_text(HEAD + code)
    recorder = Recorder(emit, all_probes(), fail)
    recorder.start()
    try:
        exec(compile(file.read_text(), str(file), "exec"), {"__name__": "__main__"})
        recorder.tap.run("end", recorder.emit_end, "finished")
    finally:
        recorder.stop()
    assert not failures, failures
    return records


def setup_of(records: list[Record]) -> SetupFacts:
    return [record for record in records if isinstance(record, SetupFacts)][-1]


def parameters(records: list[Record]) -> dict[str, ParameterFacts]:
    return {p.name: p for p in setup_of(records).parameters}


def steps(records: list[Record]) -> list[StepFacts]:
    return [record for record in records if isinstance(record, StepFacts)]


FORGOTTEN_HEAD = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x).relu())

model = Net()
optimizer = torch.optim.SGD(model.body.parameters(), lr=0.01, momentum=0.9)
for _ in range(3):
    model.zero_grad()
    model(torch.randn(8, 4)).pow(2).mean().backward()
    optimizer.step()
"""


def test_optimizers_models_and_parameters_are_told(tmp_path: Path) -> None:
    setup = setup_of(records_of(FORGOTTEN_HEAD, tmp_path / "program.py"))
    (optimizer,) = setup.optimizers
    assert (optimizer.kind, optimizer.builtin, optimizer.groups[0].momentum) == ("SGD", True, 0.9)
    assert (
        optimizer.site is not None
        and "torch.optim.SGD" in Path(optimizer.site.file).read_text().splitlines()[optimizer.site.line - 1]
    )
    (model,) = setup.models
    assert (model.kind, model.num_params, model.num_trainable) == ("Net", 4, 4)
    assert [p.name for p in setup.parameters] == ["body.weight", "body.bias", "head.weight", "head.bias"]
    assert [p.optimizers for p in setup.parameters] == [(1,), (1,), (), ()]
    assert {p.module_kind for p in setup.parameters} == {"Linear"}


def test_parameters_without_optimizer_are_found_before_the_first_backward_runs(tmp_path: Path) -> None:
    records = records_of(FORGOTTEN_HEAD, tmp_path / "program.py")
    for step in steps(records):
        (group,) = step.unowned
        assert group.params == ("head.weight", "head.bias")
        assert group.sources == (step.backwards[-1].ordinal,)
        assert step.backwards[-1].num_unowned == 2
    head = parameters(records)["head.weight"]
    assert head.reached and head.after_trained and not head.before_trained and not head.late


def test_an_omitted_body_lies_before_what_is_trained(tmp_path: Path) -> None:
    records = records_of(FORGOTTEN_HEAD.replace("model.body.parameters", "model.head.parameters"), tmp_path / "p.py")
    body = parameters(records)["body.bias"]
    assert body.reached and body.before_trained and not body.after_trained


def test_a_parameter_that_gets_an_optimizer_is_no_longer_unowned(tmp_path: Path) -> None:
    code = (
        FORGOTTEN_HEAD
        + """
optimizer.add_param_group({"params": model.head.parameters()})
model.zero_grad()
model(torch.randn(8, 4)).pow(2).mean().backward()
optimizer.step()
"""
    )
    records = records_of(code, tmp_path / "program.py")
    assert steps(records)[2].unowned and not steps(records)[3].unowned
    assert parameters(records)["head.bias"].optimizers == (1,)


def test_a_layer_replaced_after_the_optimizer_was_made_is_late(tmp_path: Path) -> None:
    code = FORGOTTEN_HEAD.replace("model.body.parameters", "model.parameters").replace(
        "for _", "model.head = nn.Linear(8, 3)\nfor _"
    )
    found = setup_of(records_of(code, tmp_path / "program.py")).parameters
    new, old = [p for p in found if p.name == "head.weight"]
    assert new.late and new.reached and not new.optimizers
    assert not old.late and not old.reached and old.optimizers == (1,) and old.model is None
    assert not found[0].late


def test_inputs_that_require_gradients_are_no_parameters(tmp_path: Path) -> None:
    code = """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(3):
    x = torch.randn(8, 4, requires_grad=True)
    model.zero_grad()
    model(x).pow(2).mean().backward()
    optimizer.step()
"""
    records = records_of(code, tmp_path / "program.py")
    assert all(not step.unowned for step in steps(records))
    assert [p.name for p in setup_of(records).parameters] == ["weight", "bias"]


def test_modules_in_a_plain_list_are_told_as_hidden(tmp_path: Path) -> None:
    code = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.layers = [nn.Linear(8, 8), nn.Linear(8, 1)]

    def forward(self, x):
        x = self.first(x)
        for layer in self.layers:
            x = layer(x)
        return x

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(2):
    model.zero_grad()
    model(torch.randn(8, 4)).pow(2).mean().backward()
    optimizer.step()
"""
    records = records_of(code, tmp_path / "program.py")
    hidden = parameters(records)["layers[1].weight"]
    assert hidden.hidden_in == "Net.layers" and hidden.reached and hidden.nonzero
    assert hidden.hidden_at is not None and hidden.hidden_at.line == HEAD.count("\n") + 6
    assert not parameters(records)["first.weight"].hidden_in


def test_wrappers_leave_no_trace_in_names(tmp_path: Path) -> None:
    code = FORGOTTEN_HEAD.replace("optimizer = ", "net, model = model, nn.DataParallel(model)\noptimizer = ").replace(
        "model.body", "net.body"
    )
    assert "head.weight" in parameters(records_of(code, tmp_path / "program.py"))


def test_unowned_parameters_are_not_kept_alive() -> None:
    recorder = Recorder(lambda record: None, all_probes(), lambda name, error: None)
    recorder.start()
    try:
        model = torch.nn.Linear(2, 1)
        model(torch.randn(3, 2)).sum().backward()
        assert len(recorder.unowned.alive()) == 2
        gone = weakref.ref(model.weight)
        del model
        assert gone() is None
        recorder.look()
        assert recorder.unowned.states == []
    finally:
        recorder.stop()


def test_a_model_and_its_optimizer_go_when_the_program_drops_them() -> None:
    recorder = Recorder(lambda record: None, all_probes(), lambda name, error: None)
    recorder.start()
    try:
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.Adam(model.parameters())
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.randn(3, 2)).sum().backward()
            optimizer.step()
        gone = weakref.ref(model.weight)
        del model, optimizer
        gc.collect()  # an optimizer refers to itself through its hooks
        assert gone() is None
    finally:
        recorder.stop()


THAWED = """
body, head = nn.Linear(4, 8), nn.Linear(8, 1)
body.requires_grad_(False)
optimizer = torch.optim.SGD(head.parameters(), lr=0.01)
for step in range(24):
    if step == 20:
        body.weight.requires_grad = True
    optimizer.zero_grad()
    head(body(torch.randn(8, 4))).pow(2).mean().backward()
    optimizer.step()
"""


def test_a_parameter_that_is_thawed_between_two_looks_is_seen_at_once(tmp_path: Path) -> None:
    told = parameters(records_of(THAWED, tmp_path / "program.py"))
    assert told["body.weight"].thawed and told["body.weight"].nonzero
    assert not told["body.bias"].thawed


WEIGHT = """
model, weight, points = nn.Linear(4, 1), torch.ones(1, requires_grad=True), torch.randn(4, 4, requires_grad=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(10):
    optimizer.zero_grad()
    (weight * model(points).pow(2).mean() + points.mean()).sum().backward()
    optimizer.step()
"""


def test_a_small_plain_tensor_that_weighs_the_loss_is_a_parameter_and_an_input_is_none(tmp_path: Path) -> None:
    unowned = [p for p in setup_of(records_of(WEIGHT, tmp_path / "program.py")).parameters if not p.optimizers]
    assert [(p.shape, p.nonzero) for p in unowned] == [((1,), True)]


def test_what_an_optimizer_holds_frozen_is_not_trained_by_it(tmp_path: Path) -> None:
    code = """
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
model[0].requires_grad_(False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    model[0].weight.requires_grad_(step == 3)
    model(torch.randn(8, 4)).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""
    found = parameters(records_of(code, tmp_path / "train.py"))
    assert {name: p.trained for name, p in found.items()} == {
        "0.weight": True, "0.bias": False, "1.weight": True, "1.bias": True,
    }  # fmt: skip
