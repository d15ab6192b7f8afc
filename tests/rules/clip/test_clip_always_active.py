from surefoot.facts import StepFacts
from surefoot.rules.clip.clip_always_active import check
from tests.rules.clip.build import clip
from tests.rules.grad.build import ask, backward, gradient, step


def run(norms: list[float], repeats: int = 9) -> list[StepFacts]:
    return [
        step((n + 1) * (repeats + 1), (backward(1), clip(15, 1, norm=norm)), gradient(1), repeats=repeats)
        for n, norm in enumerate(norms)
    ]


def test_fires_when_nearly_all_of_200_steps_exceed_the_limit_by_far() -> None:
    steps = run([50.0] * 24)
    (evidence,) = ask(check, steps[-1], *steps[:-1])
    assert evidence.numbers["steps"] == 240


def test_silent_in_short_runs_after_a_warm_up_and_under_a_tight_limit() -> None:
    for norms in ([50.0] * 15, [50.0] * 12 + [2.0] * 11 + [50.0], [20.0] * 24, [50.0] * 23 + [float("nan")]):
        steps = run(norms)
        assert not ask(check, steps[-1], *steps[:-1])
