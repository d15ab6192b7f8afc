from dataclasses import replace

from surefoot.rules.seq.padding_in_loss import check
from tests.rules.seq.build import HEAD, LOSS, ask, sequence, step

PADDED = sequence(
    padding_idx=0, padding_target=0, num_padded=2, num_padding=30, num_counted=120, num_batches=2, offsets=((1, 2),)
)


def test_padding_that_counts() -> None:
    (evidence,) = ask(check, step(PADDED))
    assert evidence.site == LOSS
    assert evidence.message == (
        "30 of 120 targets that count in this cross-entropy loss are padding (25%, in 2 batches): the embedding's "
        "padding_idx is 0, the target of padded positions is 0, and the loss ignores -100"
    )
    assert evidence.fix.startswith("pass ignore_index=0")


def test_a_target_that_others_have_is_not_to_be_ignored() -> None:
    (evidence,) = ask(check, step(replace(PADDED, is_padding_a_class=True)))
    assert "ignore_index" not in evidence.fix


def test_one_batch_is_not_enough() -> None:
    assert ask(check, step(replace(PADDED, num_padded=1))) == []


def test_a_loss_that_is_not_backwarded_is_silent() -> None:
    assert ask(check, step(PADDED, loss=HEAD)) == []


UNNAMED = replace(PADDED, is_padding_named=False, num_padded=4)


def test_padding_without_an_index_is_what_fills_up_rows() -> None:
    (evidence,) = ask(check, step(UNNAMED))
    assert "token 0 fills up the ends of rows of different length" in evidence.message
    assert "padding_idx" not in evidence.message
    assert "ignore_index" not in evidence.fix  # the same token may end a text


def test_padding_without_an_index_must_be_seen_more_often_and_be_more() -> None:
    assert ask(check, step(replace(UNNAMED, num_padded=3))) == []
    assert ask(check, step(replace(UNNAMED, num_padding=5))) == []


def test_labels_of_positions_that_are_not_masked() -> None:
    (evidence,) = ask(check, step(replace(PADDED, mask_token=5)))
    assert evidence.message == (
        "30 of 120 targets that count in this cross-entropy loss are not asked for (25%, in 2 batches): tokens are "
        "asked for where token 5 stands in their place, or mostly there; all other positions are labelled 0, and the "
        "loss ignores -100"
    )
    assert evidence.fix.startswith("pass ignore_index=0")


def test_a_loss_that_is_written_out_has_no_index_to_ignore() -> None:
    (evidence,) = ask(check, step(replace(PADDED, kind="log-likelihood")))
    assert evidence.message.endswith("the target of padded positions is 0, and no mask leaves them out")
    assert "mask" in evidence.fix and "ignore_index" not in evidence.fix
