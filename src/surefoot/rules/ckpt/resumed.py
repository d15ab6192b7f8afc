"""What a step reveals about the state that was loaded into its optimizer."""

from surefoot.facts import ResumeFacts

SAME_RATE = 1e-6  # relative difference below which two rates are the same one


def is_same(a: float, b: float) -> bool:
    return abs(a - b) <= SAME_RATE * max(abs(a), abs(b))


def keeps_initial_rate(resume: ResumeFacts) -> bool:
    """Whether the schedule starts from the rates that the saved one had started from."""
    old, new = resume.initial_lrs, resume.initial_lrs_now
    return len(old) == len(new) == len(resume.lrs) > 0 and all(map(is_same, old, new))


def jump(resume: ResumeFacts, lrs: tuple[float, ...]) -> tuple[float, float, float]:
    """The largest ratio of a rate now to the loaded one, with both."""
    return max((new / old if old > 0 else 0.0, old, new) for old, new in zip(resume.lrs, lrs, strict=True))
