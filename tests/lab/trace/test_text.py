"""How stages are told, from hand-written ones."""

import io

import pytest

from surefoot.facts import LossFacts, Site
from surefoot.lab.trace.stage import (
    Change,
    Clear,
    Clip,
    Evaluation,
    Forward,
    Glimpse,
    Item,
    Loss,
    ModuleCall,
    Rate,
    Schedule,
    Stage,
    Step,
    Trace,
    Unscale,
)
from surefoot.lab.trace.text import as_text
from surefoot.lab.trace.write import duration, listed, memory, number, percent, shapes, values

HERE = Site("/work/train.py", 7, "main")


def told(*stages: Stage, optimizers: dict[int, str] | None = None, full: bool = False) -> list[str]:
    trace = Trace("train.py", 1, 2, 1, "max-steps", list(stages), optimizers=optimizers or {1: "SGD"})
    lines = as_text(trace, None, folder="/work", full=full).splitlines()
    assert max(map(len, lines)) <= 100
    return lines[3:-2]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (number(None), "—"), (number(float("nan")), "NaN"), (number(float("-inf")), "-Inf"), (number(3.0), "3"),
        (number(0.123456), "0.1235"), (duration(2e-5), "20 µs"), (duration(0.0123), "12.3 ms"),
        (duration(0.5), "500 ms"), (duration(90), "90 s"), (memory(12), "12 B"), (memory(65536), "65.5 kB"),
        (memory(3_000_000), "3.0 MB"), (memory(5_000_000_000), "5.0 GB"), (percent(1, 0), "—"),
        (percent(1, 8), "12.5%"), (listed([1, 2, 3, 5, 7, 8]), "1\N{EN DASH}3, 5, 7, 8"), (shapes([]), "—"),
        (shapes([(2, 3), (), (4,)]), "2\N{MULTIPLICATION SIGN}3, scalar +1"),
        (values((1.0, 2.0), (5,)), "1, 2, …"), (values((1.0, 2.0), (2,)), "1, 2"),
    ],
)  # fmt: skip
def test_numbers(said: str, wanted: str) -> None:
    assert said == wanted


def test_clipping() -> None:
    change = Change("w", (2,), 5.0, 1.0, 4.0, (3.0, 4.0), (0.6, 0.8))
    first, _, row = told(Clip(step=1, site=HERE, limit=1.0, norm=5.0, factor=0.2, norm_after=1.0, num_gradients=1,
                              changes=(change,)))  # fmt: skip
    assert first == "clip        train.py:7  norm 5 → 1 (limit 1): 1 gradient times 0.2"
    assert row.split() == ["w", "2", "5", "1", "3,", "4", "→", "0.6,", "0.8"]
    assert told(Clip(step=1, limit=9.0, norm=5.0, factor=1.0, num_gradients=1)) == [
        "clip        norm 5 is within 9: nothing changed"
    ]
    assert told(Clip(step=1, num_params=4)) == ["clip        4 parameters passed, none with a gradient"]
    assert told(Clip(step=1, by="value", limit=0.5, num_gradients=2)) == [
        "clip        elements cut at ±0.5: 0 gradients changed"
    ]


def test_several_optimizers_are_told_apart() -> None:
    two = {1: "Adam", 2: "SGD"}
    rates = (Rate(1, (0.1, 0.1), (0.05, 0.05)), Rate(2, (1.0, 0.1), (0.5, 0.05)))
    assert told(Schedule(step=1, name="StepLR", count=3, rates=rates), optimizers=two) == [
        "schedule    StepLR, call 3: rate optimizer 1 0.1 → 0.05; optimizer 2 1, 0.1 → 0.5, 0.05"
    ]
    assert told(Unscale(step=1, optimizer=2, scale=4.0), optimizers=two) == [
        "unscale     gradients of SGD (optimizer 2) divided by 4"
    ]
    assert told(Clear(step=1, model="Net", changes=(Change("w", (1,)),), num_unused=1)) == [
        "clear       zero_grad() of Net: 1 gradient to None; 1 of them no step had used"
    ]


def test_a_rate_that_stays_and_a_metric() -> None:
    assert told(Schedule(step=1, name="ReduceLROnPlateau", count=1, metric=0.25)) == [
        "schedule    ReduceLROnPlateau, call 1, given 0.25: rate unchanged"
    ]


def test_a_loss_of_several_terms() -> None:
    terms = (LossFacts(kind="mse", reduction="mean", num_items=4), LossFacts(kind="l1", reduction="sum", factor=0.1))
    wiring = LossFacts(kind="", factor=None, terms=terms, num_terms=2)
    assert told(Loss(step=1, value=1.5, wiring=wiring)) == [
        "loss        1.5  of unknown kind, times something that is no constant, sum of 2 terms",
        "            + mse, mean over 4 items",
        "            + l1, sum, times 0.1",
    ]
    assert told(Loss(step=1, value=1.5)) == ["loss        1.5"]


def test_evaluations_and_skipped_steps_take_one_line() -> None:
    assert told(Evaluation(step=1, site=HERE, models={"Net": 3, "Teacher": 1}, seconds=0.25)) == [
        "evaluation  train.py:7  without gradients: Net 3 times, Teacher, 250 ms"
    ]
    assert told(Step(step=1, optimizer=1, name="SGD", skipped=True)) == [
        "step        SGD skipped by the GradScaler: gradients are not finite"
    ]


def test_of_many_modules_the_outer_ones_are_shown() -> None:
    inner = [call for i in range(4) for call in (ModuleCall(f"{i}", "Block", 1), *_parts(i))]
    stage = Forward(step=1, model="Net", training=False, calls=[ModuleCall("", "Net", 0), *inner])
    lines = told(stage)
    assert "Net, in eval mode" in lines[0]
    assert [line.split()[0] for line in lines[2:]] == ["0", "1", "2", "3", "…"] and lines[-1].endswith("16 more inside")
    assert [line.split()[0] for line in told(stage, full=True)[2:5]] == ["0", "part0", "part1"]


def _parts(block: int) -> list[ModuleCall]:
    return [ModuleCall(f"{block}.part{i}", "Linear", 2) for i in range(4)]


def test_of_many_forwards_in_a_row_the_first_is_shown() -> None:
    one = Forward(step=1, site=HERE, model="Policy", calls=[ModuleCall("", "Policy", 0)])
    other = Forward(step=1, site=HERE, model="Critic", calls=[ModuleCall("", "Critic", 0)])
    lines = told(one, one, one, one, other, one)
    assert [line.split()[2] for line in lines] == ["Policy:", "3", "Critic:", "Policy:"]
    assert lines[1] == "            … and 3 more of these in a row"
    assert len(told(one, one, one)) == 3 and len(told(one, one, one, one, full=True)) == 4


def test_of_many_parameters_the_first_and_last_are_shown() -> None:
    changes = tuple(Change(f"w{i}", (1,), 1.0, 1.0) for i in range(40))
    lines = told(Step(step=1, optimizer=1, name="SGD", rates=(0.1,), changes=changes))
    names = [line.split()[0] for line in lines[3:]]
    assert names == ["w0", "w1", "w2", "w3", "w4", "w5", "…", "w34", "w35", "w36", "w37", "w38", "w39", "…"]
    assert lines[-1].strip() == "… 28 more"


def test_what_a_model_was_given_is_shown_with_what_is_not_finite() -> None:
    given = (Item("x", Glimpse((2,), "float32", num_bad=2)), Item("flag", kind="True"))
    lines = told(Forward(step=1, model="Net", given=given, calls=[ModuleCall("", "Net", 0)]))
    assert [line.split() for line in lines[2:]] == [
        ["x", "2", "float32", "—", "—", "2", "not", "finite"],
        ["flag", "True"],
    ]


def test_long_lines_go_on_below() -> None:
    step = Step(step=1, optimizer=1, name="SGD", findings=["error[rule] " + "word " * 40])
    lines = told(step)
    assert len(lines) == 5 and all(line.startswith(" " * 12) for line in lines[1:])


def test_on_a_terminal_it_has_styles() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    trace = Trace("train.py", 1, 1, 1, "finished", [Evaluation(step=1)], 2, off={"trace-forward": "compiled"})
    plain, styled = (as_text(trace, stream, folder="/") for stream in (io.StringIO(), Terminal()))
    assert "\x1b[" in styled and "\x1b[" not in plain
    assert "2 more stages left out." in plain and "trace-forward was switched off: compiled" in plain
