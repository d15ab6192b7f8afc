from dataclasses import replace

from surefoot.facts import PaddingRowFacts, Site
from surefoot.rules.seq.padding_row_overwritten import check
from tests.rules.seq.build import HEAD, LOSS, ask, step

INIT = Site("train.py", 3, "<module>")
ROW = PaddingRowFacts(INIT, LOSS, "embedding.weight", 0, 0.5, "xavier_uniform_")


def test_overwritten() -> None:
    (evidence,) = ask(check, replace(step(), padding_rows=(ROW,)))
    assert evidence.site == INIT
    assert evidence.message == (
        "nn.init.xavier_uniform_ overwrote row 0 of embedding.weight, which is that of padding (padding_idx=0) and was "
        "zero: its norm is 0.5, and the loss depends on padded positions"
    )


def test_a_loss_that_is_not_backwarded_is_silent() -> None:
    assert ask(check, replace(step(loss=HEAD), padding_rows=(ROW,))) == []
