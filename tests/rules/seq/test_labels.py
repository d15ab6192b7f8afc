"""Rules on how far targets are moved against the input."""

from dataclasses import replace

import pytest

from surefoot.facts import SequenceFacts
from surefoot.rules.seq.labels_not_shifted import check as not_shifted
from surefoot.rules.seq.labels_shifted_twice import check as shifted_twice
from tests.rules.seq.build import HEAD, LOSS, ask, read, sequence, step

TWICE = sequence(num_batches=2, offsets=((2, 2),), reads=(read(5, 7, 5), read(4, 6, 4)))
COPY = sequence(num_batches=2, offsets=((0, 2),), reads=(read(5, 5, 5), read(4, 4, 4)))
NEXT = sequence(site=HEAD, num_batches=2, offsets=((1, 2),), reads=(read(5, 6, 5),))


def test_shifted_twice() -> None:
    (evidence,) = ask(shifted_twice, step(TWICE))
    assert evidence.site == LOSS
    assert "up to 5 must give the token at position 7" in evidence.message


@pytest.mark.parametrize(
    "silent",
    [
        replace(TWICE, num_batches=1, offsets=((2, 1),)),
        replace(TWICE, offsets=((1, 1), (2, 1))),  # heads for several tokens ahead
        replace(TWICE, reads=()),  # the graph can't be read
        replace(TWICE, reads=(read(5, 7, 6), read(4, 6, 5))),  # it has read the token before the target
        replace(TWICE, reads=(read(5, 7, 11),)),  # it is not causal
        COPY,
        NEXT,
    ],
)
def test_shifted_twice_is_silent(silent: SequenceFacts) -> None:
    assert ask(shifted_twice, step(silent)) == []


def test_not_shifted() -> None:
    (evidence,) = ask(not_shifted, step(COPY))
    assert evidence.site == LOSS
    assert "the token at position 5 has read positions 0 to 5" in evidence.message


@pytest.mark.parametrize(
    "silent",
    [
        replace(COPY, reads=COPY.reads[:1]),
        replace(COPY, reads=(read(5, 5, 11), read(4, 4, 11))),  # an autoencoder
        replace(COPY, reads=(read(5, 5, 4), read(4, 4, 3))),  # shifted inside the model
        replace(COPY, reads=(read(5, 5, 5, earliest=5), read(4, 4, 4, earliest=4))),  # no context at all
        replace(COPY, reads=(*COPY.reads, read(5, 5, 4, lookup=1))),
        replace(COPY, offsets=((0, 1), (1, 1))),
        TWICE,
        NEXT,
    ],
)
def test_not_shifted_is_silent(silent: SequenceFacts) -> None:
    assert ask(not_shifted, step(silent)) == []


def test_a_loss_on_the_next_token_shows_that_others_are_meant() -> None:
    assert ask(shifted_twice, step(TWICE, NEXT)) == []
    assert ask(shifted_twice, step(TWICE, update=2), step(NEXT)) == []
    assert ask(not_shifted, step(COPY, NEXT)) == []
