"""Verdicts from records written by hand."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from surefoot.check.experiment import Result, Step
from surefoot.check.judge import accumulate, equal, first_loss, needs, overfit, resume, wiring
from surefoot.check.verdict import Answer, Verdict, as_json, failed


def losses(values: list[float], **fields: object) -> Result:
    steps = [Step(loss=value, rate=0.1) for value in values]
    known = {"uses_loader": True, "has_moved": True, "num_optimizers": 1, **fields}
    return Result("max-steps", steps=steps, losses=[{"kind": "cross-entropy"}], **known)  # type: ignore[arg-type]


FALLING = [2.3 * 0.97**i for i in range(250)]
FLAT = [2.3 + 0.001 * (-1) ** i for i in range(250)]
SLOW = [2.3 - 0.0004 * i for i in range(250)]


@pytest.mark.parametrize(
    ("result", "verdict", "said"),
    [
        (losses(FALLING), "pass", "fell from"),
        (losses(FLAT), "fail", "did not fall"),
        (losses([2.3 * 1.01**i for i in range(250)]), "fail", "rose"),
        (losses(SLOW), "not-tested", "too slowly"),
        (losses([0.8, *[1 + 0.3 * (-1) ** i for i in range(249)]]), "not-tested", "too slowly"),  # noise hides it
        (losses(FLAT[:20]), "not-tested", "There was time for 20 steps"),
        (replace(losses(FLAT[:20]), ended="finished"), "not-tested", "ends after 20 steps"),
        (losses([*FLAT, float("nan")]), "fail", "at step 251"),
        (losses(FLAT, has_moved=False), "fail", "No weight changed"),
        (losses(FLAT, num_optimizers=2), "not-tested", "2 optimizers"),
        (losses(FLAT, is_moved_by_hand=True), "not-tested", "sets its rates by hand"),
        (losses([-value for value in FALLING]), "not-tested", "may be negative"),
        (losses(FLAT, uses_loader=False), "not-tested", "can't be given again"),
        (losses([]), "not-tested", "no optimizer step"),
    ],
)
def test_one_batch(result: Result, verdict: str, said: str) -> None:
    found = overfit.judge(result, Result(), 60.0)
    assert found.verdict == verdict
    assert said in found.why


RESTING = [2.0 + 0.3 * 0.9**i for i in range(250)]


@pytest.mark.parametrize(
    ("values", "is_at_rest"),
    [
        (RESTING, True),
        (SLOW, False),  # it still falls
        (FALLING, False),  # it has passed
        ([2.3 + 0.1 * (-1) ** i - 0.0002 * i for i in range(250)], False),  # it may not have fallen at all
        ([value - 2.1 for value in RESTING], False),  # a loss that may be negative has no floor
        (RESTING[:50], False),
    ],
)
def test_a_loss_that_stays_is_asked_what_inputs_are_worth(values: list[float], is_at_rest: bool) -> None:
    result = losses(values)
    verdict = overfit.judge(result, Result(), 60.0)
    assert overfit.is_at_rest(verdict, result) == is_at_rest


@pytest.mark.parametrize(
    ("own", "shuffled", "zeros", "verdict"),
    [
        (2.0, 2.001, 2.003, "fail"),
        (2.0, 2.2, 2.0, "not-tested"),  # it tells samples apart
        (2.0, 2.0, 2.4, "not-tested"),  # a loss that is the same in any order of the samples
        (2.0, None, 2.0, "not-tested"),
    ],
)
def test_inputs_that_make_no_difference_to_one_batch(
    own: float, shuffled: float | None, zeros: float, verdict: str
) -> None:
    left_open = overfit.judge(losses(RESTING), Result(), 60.0)
    looks = [Step(own, is_update=False), Step(zeros, inputs="zeros", is_update=False)]
    looks += [] if shuffled is None else [Step(shuffled, inputs="shuffled", is_update=False)]
    changed = Result("max-steps", steps=[Step(value) for value in RESTING] + looks)
    found = overfit.with_other_inputs(left_open, changed)
    assert found.verdict == verdict
    assert (found is left_open) == (verdict != "fail")
    if verdict == "fail":
        assert "in 250 steps on one batch and stays there" in found.why


@pytest.mark.parametrize(
    ("result", "is_clear"),
    [
        (losses([2.3 * 0.95**i for i in range(90)]), True),
        (losses([2.3 * 0.95**i for i in range(50)]), False),  # too few to be sure
        (losses(FALLING[:90]), False),
        (losses([*FALLING, 2.3]), False),
        (losses([2.3 * 0.95**i for i in range(90)], num_optimizers=2), False),
        (losses([-2.3] * 90), False),
    ],
)
def test_more_steps_are_not_taken_than_it_needs(result: Result, is_clear: bool) -> None:
    assert overfit.is_clear(result) == is_clear
    assert overfit.judge(result, Result(), 1.0).verdict == "pass" or not is_clear


def test_a_loss_that_is_large_at_first_must_fall_below_that_of_constants() -> None:
    result = losses([40.0, *[1.0] * 90])
    result.losses = [{"kind": "cross-entropy", "constant": 1.1}]
    assert not overfit.is_clear(result)


def test_a_loss_that_stays_where_constants_are() -> None:
    result = losses([1.0 + 1.3 * 0.9**i for i in range(250)])
    result.losses = [{"kind": "cross-entropy", "constant": 1.01}]
    assert overfit.judge(result, Result(), 60.0).verdict == "fail"
    exploded = losses([1.0, 1e9, *[500.0] * 248])
    exploded.losses = [{"kind": "cross-entropy", "constant": 0.9}]
    assert "The loss rose" in overfit.judge(exploded, Result(), 60.0).why
    result.losses = [{"kind": "cross-entropy", "constant": 1.5}]
    assert overfit.judge(result, Result(), 60.0).verdict == "pass"


def test_a_finding_is_told_with_its_line() -> None:
    finding = {"rule": "graph-cut", "severity": "error", "message": "the graph ends", "file": "a.py", "line": 3}
    watched = Result(findings=[finding], steps=[Step(loss=1.0)])
    found = overfit.judge(losses(FALLING), watched, 60.0)
    assert (found.verdict, found.why) == ("fail", "The graph ends (a.py:3, rule graph-cut).")
    assert overfit.judge(losses(FALLING), Result(findings=[{**finding, "severity": "note"}]), 60.0).verdict == "pass"


@pytest.mark.parametrize(
    ("loss", "loaded", "verdict"),
    [
        (2.4, [], "pass"),
        (30.0, [], "fail"),
        (8.0, [], "not-tested"),
        (0.3, [], "not-tested"),
        (30.0, ["x"], "not-tested"),
    ],
)
def test_first_losses(loss: float, loaded: list[str], verdict: str) -> None:
    told = {"kind": "cross-entropy", "classes": 10, "loss": loss, "constant": 2.2, "counts_up": False}
    watched = Result(steps=[Step(loss=loss)], losses=[told], loaded=loaded)
    assert first_loss.judge(watched, 60.0).verdict == verdict


def look(batch: int, kind: str, loss: float) -> Step:
    return Step(loss=loss, inputs=kind, is_update=False, digests={"inputs": batch})


def inputs(own: float, shuffled: float, *, unseen: float | None = None) -> Result:
    """Batches 1 and 2 were trained on, 3 and 4 were not."""
    steps = [Step(loss=1.0, digests={"inputs": batch}) for batch in (1, 2)]
    for batch in (1, 2, 3, 4):
        steps.append(look(batch, "", own if batch < 3 or unseen is None else unseen))
        steps += [look(batch, "shuffled", shuffled + 0.01 * i) for i in range(4)]
        steps.append(look(batch, "zeros", shuffled))
    return Result(steps=steps, num_optimizers=1, losses=[{"kind": "cross-entropy"}])


def test_inputs_that_matter() -> None:
    assert needs.judge(inputs(0.2, 1.0), Result(), 60.0).verdict == "pass"
    assert needs.judge(inputs(0.2, 1.0, unseen=1.02), Result(), 60.0).verdict == "fail"
    assert needs.judge(inputs(1.0, 0.99), Result(), 60.0).verdict == "not-tested"


def test_looks_end_when_unseen_batches_say_enough() -> None:
    looks = inputs(0.2, 1.0, unseen=0.2)
    assert not needs.is_clear(looks)  # two unseen batches are few
    looks.steps += [look(batch, kind, loss) for batch in (5, 6) for kind, loss in [("", 0.2), *[("shuffled", 1.0)] * 4]]
    assert needs.is_clear(looks)
    assert not needs.is_clear(inputs(0.2, 1.0, unseen=1.02))
    looks.steps.append(look(7, "", float("nan")))
    assert not needs.is_clear(looks)


def test_an_accusation_must_hold_with_more_data() -> None:
    accused = needs.judge(inputs(0.2, 1.0, unseen=1.02), Result(), 60.0)
    assert needs.confirmed(accused, needs.judge(inputs(0.2, 1.0), Result(), 60.0)).verdict == "pass"
    assert needs.confirmed(accused, needs.judge(inputs(1.0, 0.99), Result(), 60.0)).verdict == "fail"


def test_data_is_not_accused_where_a_rule_knows_what_keeps_the_model_from_learning() -> None:
    accused = needs.judge(inputs(0.2, 1.0, unseen=1.02), Result(), 60.0)
    found = needs.left_open(accused, failed(overfit.NAME, "The graph ends.", rule="graph-cut"))
    assert (found.verdict, found.evidence["rule"]) == ("not-tested", "graph-cut")
    assert found.evidence["seen"] == accused.evidence["seen"]
    assert "First mend what overfits-one-batch says" in found.why


@pytest.mark.parametrize(
    ("verdict", "seen", "is_early"), [("not-tested", 4.6, True), ("not-tested", 1.0, False), ("pass", 9.0, False)]
)
def test_what_learns_its_batches_gets_more_steps(verdict: Answer, seen: float, is_early: bool) -> None:
    evidence = {"seen": {"standard_errors": seen}}
    assert needs.is_too_early(Verdict(needs.NAME, verdict, "", evidence)) == is_early
    assert not needs.is_too_early(Verdict(needs.NAME, "not-tested", "no call of a model was seen"))


def test_inputs_that_change_nothing() -> None:
    result = inputs(1.0, 1.0)
    for step in result.steps:
        step.loss = 1.0
    assert "do not reach it" in needs.judge(result, Result(), 60.0).why


def course(weights: list[int], **others: int) -> Result:
    steps = []
    for before, after in pairwise(weights):
        digests = {"weights": before, "optimizer": before, "batch": before, "random numbers": before}
        steps.append(Step(loss=0.1, rate=0.1, digests={**digests, "updated weights": after, **others}))
    return Result(steps=steps, num_saves=1, seeds=["torch.manual_seed"])


@pytest.mark.parametrize(
    ("resumed", "verdict", "differs"),
    [
        (course([3, 4, 5]), "pass", None),
        (course([3, 4, 5], optimizer=99), "fail", "state of the optimizer"),
        (course([3, 4, 5], batch=99), "fail", "data order"),
        (course([3, 4, 5], **{"random numbers": 99}), "pass", None),
        (course([3, 9, 10], **{"random numbers": 99}), "fail", "random numbers"),
        (course([3, 4, 5], schedule=99), "not-tested", "schedule"),
        (course([77, 78]), "fail", "weights"),
        (course([1, 2]), "fail", "weights"),
    ],
)
def test_resumed_runs(resumed: Result, verdict: str, differs: str | None) -> None:
    whole = course([1, 2, 3, 4, 5, 6])
    found = resume.judge(whole, whole, course([1, 2, 3, 4]), resumed, 60.0)
    assert (found.verdict, found.evidence.get("differs")) == (verdict, differs)


def test_resume_is_not_judged_by_runs_that_differ() -> None:
    found = resume.judge(course([1, 2, 3]), course([1, 2, 4]), course([1, 2]), course([2, 3]), 60.0)
    assert "Two uninterrupted runs differ" in found.why
    assert "saved no checkpoint" in resume.judge(*[Result(steps=[Step(loss=1.0)])] * 4, 60.0).why


def test_seeds_that_differ_name_the_operation() -> None:
    one, other = course([1, 2, 3]), course([1, 2, 4])
    traces = [Result(operations=[("", "aten.add", 1, "a.py:3"), ("net", "aten.mm", last, "a.py:7")]) for last in (5, 6)]
    found = equal.judge(one, other, (traces[0], traces[1]))
    assert found.verdict == "fail"
    assert (found.evidence["step"], found.evidence["module"], found.evidence["operation"]) == (2, "net", "aten.mm")
    assert equal.why_not(Result(seeds=["random.seed"])) is not None
    assert equal.why_not(one) is None


def test_gradients_of_other_samples_are_not_compared() -> None:
    small, large = Result(steps=[Step(loss=1.0)], samples=[1, 2]), Result(steps=[Step(loss=1.0)], samples=[1, 3])
    assert accumulate.judge(small, large, (0.0, 1.0), 4, 8, 60.0).verdict == "not-tested"
    assert accumulate.judge(small, small, (1e-6, 1.0), 4, 8, 60.0).verdict == "pass"
    assert "factor of 4" in accumulate.judge(small, small, (3.0, 4.0), 4, 8, 60.0).why
    assert "clip once" in accumulate.judge(small, small, (0.9, 0.3), 4, 8, 60.0).why


def test_modes() -> None:
    def judged(**fields: object) -> str:
        measured = {"num_calls": 1, "layers": [], "differs": False, "left_on": [], **fields}
        return wiring.modes(Result(steps=[Step(loss=1.0)], measured={"modes": measured}), 60.0).verdict

    assert judged() == "pass"
    assert judged(layers=["Dropout"], differs=True) == "pass"
    assert judged(layers=["Dropout"]) == "not-tested"
    assert judged(differs=True) == "not-tested"
    assert judged(left_on=["/a/b.py:3"]) == "fail"


def test_json_has_no_numbers_that_are_none() -> None:
    text = as_json("a.py", [failed("x", "why", loss=float("nan"), losses=[float("inf"), 1.0])])
    assert json.loads(text, parse_constant=pytest.fail)["checks"][0]["evidence"] == {
        "loss": "NaN",
        "losses": ["Infinity", 1],
    }
