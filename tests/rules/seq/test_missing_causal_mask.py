from dataclasses import replace

import pytest

from surefoot.facts import SequenceFacts
from surefoot.rules.seq.missing_causal_mask import check
from tests.rules.seq.build import LOSS, ask, read, sequence, step

AHEAD = sequence(num_batches=2, offsets=((1, 2),), reads=(read(5, 6, 11), read(4, 5, 11)))


def test_a_prediction_that_sees_its_target() -> None:
    (evidence,) = ask(check, step(AHEAD))
    assert evidence.site == LOSS
    assert "the token at position 5 depends on the input up to position 11 of 12" in evidence.message
    assert "is_causal=True" in evidence.fix


def test_a_mask_that_is_off_by_one() -> None:
    (evidence,) = ask(check, step(replace(AHEAD, reads=(read(5, 6, 6), read(4, 5, 5)))))
    assert "by one position" in evidence.fix


@pytest.mark.parametrize(
    "silent",
    [
        replace(AHEAD, reads=AHEAD.reads[:1]),
        replace(AHEAD, reads=(read(5, 6, 5), read(4, 5, 4))),  # causal
        replace(AHEAD, reads=(*AHEAD.reads, read(5, 6, 5, lookup=1))),  # a causal decoder beside its encoder
        replace(AHEAD, reads=tuple(replace(one, is_per_position=False) for one in AHEAD.reads)),  # through one code
        replace(AHEAD, offsets=((0, 2),), reads=(read(5, 5, 11), read(4, 4, 11))),  # an autoencoder
        replace(AHEAD, offsets=((0, 1), (1, 1))),
    ],
)
def test_silent(silent: SequenceFacts) -> None:
    assert ask(check, step(silent)) == []
