"""Which difference is named first, and what the numbers are said to show."""

import json

import pytest
import torch

from surefoot.verify.recording import Recording
from surefoot.verify.samples import matching
from surefoot.verify.text import text
from surefoot.verify.tolerance import EXACT, MARGIN, Tolerances, unit_of
from surefoot.verify.verdict import Verdict, judge, plain
from tests.verify.runs import SAMPLES, call, run, step

GRADIENT = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
HALVES = (SAMPLES[:4], SAMPLES[4:])


def judged(other: list[Recording], again: list[Recording] | None = None) -> Verdict:
    reference = run(step())
    tolerances = Tolerances.measured([reference, again or reference, run(step())], EXACT, EXACT)
    return judge(reference, other, tolerances)


def first(verdict: Verdict) -> tuple[int, str, str]:
    assert verdict.first is not None
    return verdict.first.distance.step, verdict.first.distance.stage, verdict.first.distance.name


def ranks(*gradients: torch.Tensor, **given: object) -> list[Recording]:
    parts = zip(HALVES, gradients, strict=True)
    return run(*(step(calls=[call(rows)], gradient=gradient, **given) for rows, gradient in parts))


def test_equal_runs_agree() -> None:
    verdict = judged(run(step()))
    assert verdict.agrees and verdict.status == 0
    assert "The runs agree: all 7 quantities of the step" in text(verdict)


@pytest.mark.parametrize("split", [HALVES, (SAMPLES[::2], SAMPLES[1::2])], ids=["in a row", "dealt out"])
def test_samples_are_matched_however_they_are_split(split: tuple[torch.Tensor, ...]) -> None:
    over_ranks = run(*(step(calls=[call(rows)]) for rows in split))
    assert judged(over_ranks).agrees
    assert judged(run(step(calls=[call(rows) for rows in split]))).agrees


@pytest.mark.parametrize(
    ("other", "place", "says"),
    [
        (ranks(2 * GRADIENT, 2 * GRADIENT), "gradient", "2 times the reference's, the number of ranks: summed"),
        (ranks(GRADIENT / 2, GRADIENT / 2), "gradient", "1/2 of the reference's, with 2 ranks: averaged twice"),
        (ranks(GRADIENT * 1.5, GRADIENT * 0.5), "gradient", "their mean is the reference's: not reduced"),
        (ranks(GRADIENT * 1.7, GRADIENT * 0.5), "gradient", "they are not reduced"),
        (ranks(GRADIENT * 3, GRADIENT * 3), "gradient", "are 3 times the reference's."),
        (ranks(GRADIENT.flip(0), GRADIENT.flip(0)), "gradient", "no common factor"),
        (ranks(GRADIENT, GRADIENT, rates=[0.2]), "rate", "multiplied by the number of ranks."),
        (ranks(GRADIENT, GRADIENT, rates=[0.4]), "rate", "multiplied by the number of ranks twice"),
        (ranks(GRADIENT, GRADIENT, updates={"body.weight": GRADIENT}), "update", "options differ"),
        (run(step(calls=[call(SAMPLES, 1.01)])), "activation", "All modules that were compared before it agree"),
        (run(step(calls=[call(SAMPLES + 3)])), "inputs", "same samples"),
        (run(step(calls=[call(rows) for rows in HALVES], gradient=2 * GRADIENT)), "gradient", "is not divided"),
        (run(step(calls=[call(rows) for rows in HALVES], gradient=GRADIENT / 2)), "gradient", "divided twice"),
    ],
)
def test_the_first_difference_is_named_and_explained(other: list[Recording], place: str, says: str) -> None:
    verdict = judged(other)
    assert verdict.status == 1
    assert first(verdict)[:2] == (1, place)
    assert says in verdict.likely
    assert verdict.likely.split()[0] in text(verdict)


def test_what_precedes_is_told_before_what_follows() -> None:
    """A wrong activation makes all gradients wrong."""
    verdict = judged(run(step(calls=[call(SAMPLES, 1.01)], gradient=3 * GRADIENT)))
    assert first(verdict) == (1, "activation", "body")


def test_batch_norm_of_a_part_of_the_batch() -> None:
    parts = [step(calls=[call(rows, 1.1, "BatchNorm2d")]) for rows in HALVES]
    reference = run(step(calls=[call(SAMPLES, 1.0, "BatchNorm2d")]))
    verdict = judge(reference, run(*parts), Tolerances.measured([reference, reference], EXACT, EXACT))
    assert "Use nn.SyncBatchNorm" in verdict.likely


def test_parameters_of_one_run_only() -> None:
    ones = torch.ones(3, dtype=torch.float64)
    both = {"body.weight": ones, "head.weight": ones}
    verdict = judged(run(step(weights_before=both)))
    assert first(verdict) == (1, "weights before", "head.weight")
    assert "Only the other run has it" in text(verdict)


def test_norms_of_shards_are_recognised() -> None:
    clipped = {"unclipped": {"body.weight": GRADIENT}, "clip_factors": [1.0]}
    reference = run(step(norms=[5.0], **clipped))
    other = run(
        *(step(calls=[call(rows)], norms=[norm], **clipped) for rows, norm in zip(HALVES, (3.0, 4.0), strict=True))
    )
    verdict = judge(reference, other, Tolerances.measured([reference, reference], EXACT, EXACT))
    assert first(verdict)[1] == "norm before clipping"
    assert "each is the norm of a shard" in verdict.likely
    assert "on rank 0" in " ".join(text(verdict).split())


def test_equal_masks_of_ranks_are_named() -> None:
    parts = [call(rows) for rows in HALVES]
    for part in parts:
        part.masks = [("drop", 7)]
    assert first(judged(run(*(step(calls=[part]) for part in parts)))) == (1, "dropout", "drop")
    parts[1].masks = [("drop", 8)]
    assert judged(run(*(step(calls=[part]) for part in parts))).agrees


def test_tolerances_follow_what_the_reference_moves_by() -> None:
    reference, moved = run(step()), run(step(gradient=GRADIENT * 1.001))
    other = run(step(gradient=GRADIENT * 1.0015))
    tight = Tolerances.measured([reference, reference, reference], EXACT, EXACT)
    wide = Tolerances.measured([reference, reference, moved], EXACT, EXACT)
    assert first(judge(reference, other, tight))[1] == "gradient"
    assert judge(reference, other, wide).agrees
    assert first(judge(reference, run(step(gradient=GRADIENT * (1 + MARGIN * 0.002))), wide))[1] == "gradient"


def test_a_reference_that_differs_from_itself_is_told() -> None:
    verdict = judged(run(step()), again=run(step(gradient=GRADIENT * 1.01)))
    assert verdict.agrees
    assert "Two equal runs of the reference differ, first at step 1 in gradient of body.weight: by 0.01" in text(
        verdict
    )


def test_values_that_are_not_finite_differ() -> None:
    assert first(judged(run(step(gradient=GRADIENT * float("nan")))))[1] == "gradient"


def test_modules_that_are_not_called_are_told() -> None:
    silent = call(SAMPLES)
    silent.activations = []
    verdict = judged(run(step(calls=[silent])))
    assert verdict.agrees
    assert "Not compared: activations of body (Linear)" in text(verdict)


def test_json_has_every_number() -> None:
    told = json.loads(json.dumps(plain(judged(ranks(2 * GRADIENT, 2 * GRADIENT)))))
    assert told["verdict"] == "differ" and told["ranks"] == [1, 2]
    found = told["first_difference"]
    assert (found["step"], found["quantity"], found["name"]) == (1, "gradient", "body.weight")
    assert found["norms_of_ranks"] == [pytest.approx(2 * found["norm"], rel=1e-5)] * 2


def test_the_unit_is_that_of_the_least_precise_type() -> None:
    assert unit_of(["torch.float32", "torch.bfloat16"]) == 2**-8
    assert unit_of(["torch.float64"]) == EXACT


def test_matching_tells_repeated_samples_apart() -> None:
    assert matching([5, 6, 5], [5, 5, 6]) == [0, 2, 1]
    assert matching([5, 6], [5, 5]) is None
