"""replicas-diverged, same-data-on-every-rank and unequal-rank-weights on hand-written notes."""

from typing import Any

from surefoot.facts import RanksFacts, ReplicaFacts, Site
from surefoot.rules.dist.replicas_diverged import check as replicas_diverged
from surefoot.rules.dist.same_data_on_every_rank import check as same_data
from surefoot.rules.dist.unequal_rank_weights import check as unequal_weights
from tests.rules.dist.build import LOSS, STEP, ask, note

UPDATES = (1, 2, 4, 8)


def ranks(*notes: ReplicaFacts) -> RanksFacts:
    return RanksFacts(0, notes)


# --- weights


def weights(rank: int, *sums: float, update: int = 1, **fields: Any) -> ReplicaFacts:
    given: dict[str, Any] = {
        "num_elements": 100, "checksum": hash(sums), "sums": sums, "sizes": (10.0,) * len(sums),
        "names": ("first.weight", "last.weight"), "resolution": 1.2e-7,
    } | fields  # fmt: skip
    return note(rank, update, **given)


def test_names_the_first_update_and_the_block_that_differs() -> None:
    equal = [weights(rank, 1.0, 2.0) for rank in (0, 1, 2)]
    later = [weights(rank, 1.5, 2.0 + 0.1 * rank, update=2) for rank in (0, 1, 2)]
    latest = [weights(rank, 1.5, 3.0 * rank, update=4) for rank in (0, 1, 2)]
    (found,) = ask(replicas_diverged, ranks(*latest, *equal, *later))
    assert (
        found.message == "before update 2 the weights of ranks 0 and 2 differ by 0.02 of their size, near last.weight"
    )
    assert (found.site, found.step) == (STEP, 2)


def test_weights_averaged_by_hand_are_to_be_sent_first() -> None:
    (found,) = ask(replicas_diverged, ranks(*(weights(rank, 1.0 + rank, 2.0, model="") for rank in (0, 1))))
    assert "dist.broadcast()" in found.fix


def beside(rank: int, update: int, *sums: float) -> ReplicaFacts:
    return weights(rank, 1.0, 2.0, update=update, beside=weights(rank, *sums, update=update, site=None))


def test_weights_beside_a_wrapper_that_were_equal_and_are_not() -> None:
    first = [beside(rank, 1, 3.0, 4.0) for rank in (0, 1)]
    later = [beside(rank, 2, 3.0, 4.0 + rank) for rank in (0, 1)]
    latest = [beside(rank, 4, 3.0, 5.0 + rank) for rank in (0, 1)]
    (found,) = ask(replicas_diverged, ranks(*first, *later, *latest))
    assert "outside of DistributedDataParallel, near last.weight" in found.message
    assert (found.site, found.step) == (STEP, 2)


def test_weights_beside_a_wrapper_that_never_were_equal_are_the_ranks_own() -> None:
    experts = [beside(rank, update, 3.0 + rank, 4.0) for update in (1, 2) for rank in (0, 1)]
    assert ask(replicas_diverged, ranks(*experts)) == []
    some = [beside(0, 1, 3.0, 4.0), weights(1, 1.0, 2.0), beside(0, 2, 3.0, 4.0), beside(1, 2, 9.0, 9.0)]
    assert ask(replicas_diverged, ranks(*some)) == []


def test_rounding_is_no_difference() -> None:
    assert ask(replicas_diverged, ranks(weights(0, 1.0, 2.0), weights(1, 1.0, 2.0 + 1e-5))) == []
    coarse = [weights(rank, 1.0, 2.0 + 0.05 * rank, resolution=0.0078) for rank in (0, 1)]
    assert ask(replicas_diverged, ranks(*coarse)) == []


def test_what_need_not_be_equal_is_not_compared() -> None:
    one = weights(0, 1.0, 2.0)
    assert ask(replicas_diverged, ranks(one, weights(1, 5.0, 2.0, checksum=None))) == []
    assert ask(replicas_diverged, ranks(one, weights(1, 5.0, 2.0, num_elements=50))) == []
    assert ask(replicas_diverged, ranks(one, weights(1, 5.0, 2.0, optimizer=2))) == []
    assert ask(replicas_diverged, ranks(one)) == []


# --- data


def test_two_of_three_ranks_with_the_same_inputs_are_named() -> None:
    notes = [note(rank, update, marks=(update, 7 if rank else rank)) for update in UPDATES for rank in (0, 1, 2)]
    (found,) = ask(same_data, ranks(*notes))
    assert found.message.startswith("ranks 1, 2 gave Net the same inputs at all 4 updates")
    assert found.numbers == {"ranks": [1, 2], "updates": [1, 2, 4, 8]}


def test_the_same_inputs_are_told_where_their_loader_was_made() -> None:
    made = Site("train.py", 3)
    notes = [note(rank, update, marks=(update, 7), loader=made) for update in UPDATES for rank in (0, 1)]
    assert [one.site for one in ask(same_data, ranks(*notes))] == [made]


def test_one_batch_for_all_updates_is_left_alone() -> None:
    notes = [note(rank, update, marks=(5, 6)) for update in UPDATES for rank in (0, 1)]
    assert ask(same_data, ranks(*notes)) == []


def test_inputs_that_differ_once_or_were_not_read_are_left_alone() -> None:
    once = [note(rank, update, marks=(update, rank * (update == 8))) for update in UPDATES for rank in (0, 1)]
    assert ask(same_data, ranks(*once)) == []
    unread = [note(rank, update, marks=(0, 0)) for update in UPDATES for rank in (0, 1)]
    assert ask(same_data, ranks(*unread)) == []
    few = [note(rank, update, marks=(update,)) for update in (1, 2) for rank in (0, 1)]
    assert ask(same_data, ranks(*few)) == []


# --- items


def items(*counts: int, factors: tuple[float, ...] = (1.0, 1.0), updates: tuple[int, ...] = UPDATES) -> RanksFacts:
    return ranks(
        *(note(rank, update, num_items=counts[rank], factor=factors[rank]) for update in updates for rank in (0, 1))
    )


def test_means_over_different_counts_that_count_the_same() -> None:
    (found,) = ask(unequal_weights, items(8, 24))
    assert "ranks 0, 1 average over 8, 24 items" in found.message
    assert found.site == LOSS


def test_weighted_means_equal_counts_and_single_updates_are_left_alone() -> None:
    assert ask(unequal_weights, items(8, 24, factors=(0.5, 1.5))) == []
    assert ask(unequal_weights, items(100, 104)) == []
    assert ask(unequal_weights, items(8, 24, updates=(1, 2))) == []
    assert ask(unequal_weights, items(8, 24, factors=(1.0, -1.0))) == []
    mostly_equal = [note(rank, update, num_items=16) for update in range(1, 9) for rank in (0, 1)]
    short = [note(rank, update, num_items=8 + 8 * rank) for update in range(9, 12) for rank in (0, 1)]
    assert ask(unequal_weights, ranks(*mostly_equal, *short)) == []


def test_counts_that_are_not_known_are_left_alone() -> None:
    notes = [note(rank, update, num_items=8 if rank else None) for update in UPDATES for rank in (0, 1)]
    assert ask(unequal_weights, ranks(*notes)) == []
