from dataclasses import replace

from surefoot.facts import MaskFacts, Site, StepFacts
from surefoot.rules.seq.padding_mask_inverted import check
from tests.rules.seq.build import HEAD, LOSS, ask, step

INVERTED = MaskFacts(LOSS, 1, num_tokens=60, num_padding=40, num_batches=2)


def with_mask(mask: MaskFacts, now: StepFacts) -> StepFacts:
    return replace(now, masks=(mask,))


def test_inverted() -> None:
    (evidence,) = ask(check, with_mask(INVERTED, step()))
    assert evidence.site == LOSS
    assert evidence.message == (
        "attention behind this loss sees padding only, in 2 batches: in padded sequences it leaves out every token "
        "(in the last batch 60) and attends to the positions of padding_idx=1 (40)"
    )
    assert "ids == 1" in evidence.fix


def test_names_the_line_of_the_mask() -> None:
    given = Site("train.py", 7)
    (evidence,) = ask(check, with_mask(replace(INVERTED, given=given), step()))
    assert evidence.site == given
    assert evidence.message.startswith(f"attention behind the loss of line {LOSS.line} sees padding only")


def test_silent() -> None:
    assert ask(check, with_mask(replace(INVERTED, num_batches=1), step())) == []
    assert ask(check, with_mask(INVERTED, step(loss=HEAD))) == []
