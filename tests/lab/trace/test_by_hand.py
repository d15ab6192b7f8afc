"""Traces against numbers computed by hand.

The model is y = w·x + b with w = (2, -1), b = 0.5. For x = (1, 3) it gives -0.5, for x = (2, 0) it gives 4.5; with
targets 0.5 and 3.5 the errors are -1 and 1, and each mean squared error is 1.
"""

from pytest import approx

from tests.lab.trace.conftest import TraceHere

MODEL = """
import torch
from torch import nn
from torch.utils.data import DataLoader

model = nn.Linear(2, 1)
with torch.no_grad():
    model.weight.copy_(torch.tensor([[2.0, -1.0]]))
    model.bias.fill_(0.5)
a = (torch.tensor([1.0, 3.0]), torch.tensor([0.5]))
b = (torch.tensor([2.0, 0.0]), torch.tensor([3.5]))
"""

PLAIN = (
    MODEL
    + """
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
for x, y in DataLoader([a, b, a, b], batch_size=1):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
print("not reached")
"""
)
# The gradient of the first loss is 2 * error * (x, 1): (-2, -6) for the weight, -2 for the bias. Its norm is √44.
NORM = 44**0.5
FACTOR = 1 / NORM


def test_one_step(trace_here: TraceHere) -> None:
    traced = trace_here(PLAIN, "--steps", "1")
    assert (traced.status, traced.out, traced.told["ended"]) == (0, "", "max-steps")
    kinds = ["pass", "data", "clear", "forward", "loss", "backward", "clip", "step", "schedule"]
    assert traced.kinds(1) == kinds and {stage["step"] for stage in traced.stages()} == {1}
    lines = {stage["kind"]: stage["site"]["line"] for stage in traced.stages()}
    assert lines == {
        "pass": 15, "data": 15, "clear": 16, "forward": 17, "loss": 17, "backward": 18, "clip": 19, "step": 20,
        "schedule": 21,
    }  # fmt: skip

    _, data, clear, forward, loss, backward, clip, step, schedule = traced.stages()
    x, y = data["items"]
    assert (data["number"], data["length"], x["name"], y["name"]) == (1, 4, "0", "1")
    assert (x["tensor"]["shape"], x["tensor"]["dtype"], x["tensor"]["values"]) == ([1, 2], "float32", [1, 3])
    seen = x["tensor"]
    assert (seen["lowest"], seen["highest"], seen["mean"], seen["spread"]) == (1, 3, 2, 1)
    assert clear["changes"] == []

    (call,) = forward["calls"]
    assert (forward["model"], call["module"], call["given"], call["output"]) == ("Linear", "Linear", [[1, 2]], [[1, 1]])
    assert (call["mean"], call["spread"], call["num_bytes"]) == (-0.5, 0, 4) and call["seconds"] > 0
    assert forward["output"][0]["tensor"]["values"] == [-0.5]

    assert (loss["value"], loss["wiring"]["kind"], loss["wiring"]["reduction"]) == (1, "mse", "mean")
    weight, bias = backward["changes"]
    assert (weight["name"], weight["values_after"], bias["values_after"]) == ("weight", [-2, -6], [-2])
    assert (weight["before"], weight["after"], weight["sources"]) == (None, approx(40**0.5), [1])
    assert (backward["norm"], backward["num_params"]) == (approx(NORM), 2)

    assert (clip["norm"], clip["factor"]) == (approx(NORM), approx(FACTOR))
    assert (clip["limit"], clip["norm_after"]) == (1, approx(1, rel=1e-5))
    assert clip["changes"][0]["values_before"] == [-2, -6]
    assert clip["changes"][0]["values_after"] == approx([-2 * FACTOR, -6 * FACTOR], rel=1e-5)

    weight, bias = step["changes"]
    assert (step["rates"], step["window"], step["name"], step["update"]) == ([0.1], [1], "SGD", 1)
    assert weight["values_before"] == [2, -1]
    assert weight["values_after"] == approx([2 + 0.2 * FACTOR, -1 + 0.6 * FACTOR])
    assert bias["values_after"] == approx([0.5 + 0.2 * FACTOR])
    assert (weight["moved"], weight["gradient"]) == (approx(0.1 * 40**0.5 * FACTOR), approx(40**0.5 * FACTOR))

    assert schedule["name"] == "StepLR"
    assert schedule["rates"] == [{"optimizer": 1, "before": [0.1], "after": [0.05]}]


def test_later_steps(trace_here: TraceHere) -> None:
    traced = trace_here(PLAIN, "--at", "3", "--steps", "1")
    assert {stage["step"] for stage in traced.stages()} == {3}
    assert traced.kinds(3) == ["data", "clear", "forward", "loss", "backward", "clip", "step", "schedule"]
    (clear,) = traced.stages("clear")
    assert [change["used_by"] for change in clear["changes"]] == [[2], [2]] and clear["num_unused"] == 0
    assert traced.stages("data")[0]["number"] == 3
    assert traced.stages("step")[0]["rates"] == [0.025]


def test_an_accumulation_window(trace_here: TraceHere) -> None:
    traced = trace_here(
        MODEL
        + """
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i, (x, y) in enumerate(DataLoader([a, b, a, b], batch_size=1), 1):
    (nn.functional.mse_loss(model(x), y) / 2).backward()
    if i % 2 == 0:
        optimizer.step()
        optimizer.zero_grad()
"""
    )
    assert traced.kinds(1)[1:] == ["data", "forward", "loss", "backward"] * 2 + ["step", "clear"]
    assert traced.kinds(2)[:9] == ["data", "forward", "loss", "backward"] * 2 + ["step"]
    first, second = traced.stages("backward", step=1)
    # Half of the gradients (-2, -6, -2) and (4, 0, 2).
    assert [change["values_after"] for change in first["changes"]] == [[-1, -3], [-1]]
    assert [change["values_after"] for change in second["changes"]] == [[1, -3], [0]]
    assert [change["values_before"] for change in second["changes"]] == [[-1, -3], [-1]]
    assert second["changes"][0]["before"] == approx(10**0.5) and second["changes"][0]["sources"] == [1, 2]
    (step,) = traced.stages("step", step=1)
    assert step["window"] == [1, 2] and step["changes"][0]["values_after"] == approx([1.9, -0.7])
    assert traced.stages("loss")[0]["wiring"]["factor"] == 0.5
    (clear, *_) = traced.stages("clear")
    assert [change["after"] for change in clear["changes"]] == [None, None]


def test_two_optimizers(trace_here: TraceHere) -> None:
    traced = trace_here("""
        import torch
        from torch import nn

        g, d = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
        with torch.no_grad():
            g.weight.fill_(3.0), d.weight.fill_(2.0)
        for_g, for_d = torch.optim.SGD(g.parameters(), lr=0.1), torch.optim.SGD(d.parameters(), lr=0.01)
        for _ in range(3):
            z = torch.ones(1, 1)
            for_d.zero_grad()
            d(g(z).detach()).sum().backward()
            for_d.step()
            for_g.zero_grad()
            (-d(g(z))).sum().backward()
            for_g.step()
    """)
    assert traced.told["optimizers"] == [{"id": 2, "name": "SGD"}, {"id": 1, "name": "SGD"}]
    kinds = ["clear", "forward", "forward", "loss", "backward", "step"]
    assert traced.kinds(1) == kinds and traced.kinds(2) == kinds
    assert [stage["model"] for stage in traced.stages("forward")] == ["g", "d"] * 2
    first, second = traced.stages("backward")
    assert [(c["name"], c["values_after"]) for c in first["changes"]] == [("d.weight", [3])]
    # d is now 2 - 0.01 * 3: the generator's loss leaves something on it as well.
    changes = {c["name"]: (c["values_before"], c["values_after"]) for c in second["changes"]}
    assert changes == {"g.weight": ([], approx([-1.97])), "d.weight": ([3], approx([0]))}
    steps = traced.stages("step")
    assert [(step["optimizer"], step["update"]) for step in steps] == [(2, 1), (1, 1)]
    assert [step["changes"][0]["values_after"] for step in steps] == [[approx(1.97)], [approx(3.197)]]


def test_a_closure(trace_here: TraceHere) -> None:
    traced = trace_here(
        MODEL
        + """
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=2)

def closure():
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(a[0]), a[1])
    loss.backward()
    return loss

for _ in range(4):
    optimizer.step(closure)
""",
        "--steps", "1",
    )  # fmt: skip
    assert traced.kinds(1) == ["clear", "forward", "loss", "backward"] * 2 + ["step"]
    assert {stage["inside_step"] for stage in traced.stages("clear", "forward", "loss", "backward")} == {1}
    (step,) = traced.stages("step")
    first, _ = traced.stages("backward")
    assert step["closure"] and step["inside_step"] is None and step["window"] == [2]
    assert first["changes"][0]["values_after"] == [-2, -6]
    assert step["changes"][0]["values_before"] == [2, -1] and step["changes"][0]["moved"] > 0


def test_what_the_program_does_itself_is_told(trace_here: TraceHere) -> None:
    traced = trace_here(
        MODEL
        + """
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    nn.functional.mse_loss(model(a[0]), a[1]).backward()
    model.bias.grad.mul_(0.5)
    optimizer.step()
    for p in model.parameters():
        p.grad = None
"""
    )
    assert traced.kinds(1) == ["forward", "loss", "backward", "edit", "step"]
    assert traced.kinds(2) == ["forward", "edit", "loss", "backward", "edit", "step"]  # seen at the next backward
    halved, gone, _ = traced.stages("edit")
    assert [(c["name"], c["values_before"], c["values_after"]) for c in halved["changes"]] == [("bias", [-2], [-1])]
    assert [c["after"] for c in gone["changes"]] == [None, None]
