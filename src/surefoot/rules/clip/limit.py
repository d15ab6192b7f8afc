"""Which calls limit gradients at all, as the rules of this family see them."""

from surefoot.facts import ClipFacts, StepFacts

NO_LIMIT = 1e6  # nobody limits a norm to a million: such calls, like those with inf, only measure


def limits(clip: ClipFacts) -> bool:
    return clip.max_norm < NO_LIMIT


def limiting(step: StepFacts) -> list[ClipFacts]:
    """The calls before this step that limit gradients of its optimizer, outside closures."""
    return [c for c in step.clips if limits(c) and step.optimizer in c.optimizers and c.inside_step is None]


def name_of(clip: ClipFacts) -> str:
    return "clip_grad_norm_" if clip.kind == "norm" else "clip_grad_value_"
