"""What is read of sequence losses, by small real programs."""

from pathlib import Path

import pytest

from surefoot.facts import SequenceFacts, StepFacts
from tests.watch.record import records_of

PREAMBLE = """import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
embedding, rnn, head = nn.Embedding(9, 8, padding_idx=0), nn.LSTM(8, 8, batch_first=True), nn.Linear(8, 9)
model = nn.ModuleList([embedding, rnn, head])
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
def scores(ids): return head(rnn(embedding(ids))[0])
for i in range(3):
    ids = torch.randint(1, 9, (6, 8))
"""


def told(loss: str, tmp_path: Path, before: str = "pass") -> SequenceFacts | None:
    body = f"    {before}\n    loss = {loss}\n    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"
    records = records_of(PREAMBLE + body, tmp_path / "program.py")
    sequences = [one for r in records if isinstance(r, StepFacts) for one in r.sequences]
    return sequences[-1] if sequences else None


@pytest.mark.parametrize(
    ("loss", "offset"),
    [
        ("F.cross_entropy(scores(ids).reshape(-1, 9), ids.reshape(-1))", 0),
        ("F.cross_entropy(scores(ids)[:, 1:].reshape(-1, 9), ids[:, 1:].reshape(-1))", 0),
        ("F.cross_entropy(scores(ids[:, :-1]).transpose(1, 2), ids[:, 1:])", 1),
        ("F.cross_entropy(scores(ids)[:, :-1].reshape(-1, 9), ids[:, 1:].reshape(-1))", 1),
        ("F.cross_entropy(scores(ids)[:, 1:-1].reshape(-1, 9), ids[:, 2:].reshape(-1))", 1),
        ("F.nll_loss(scores(ids).log_softmax(2)[:, :-2].reshape(-1, 9), ids[:, 2:].reshape(-1))", 2),
        ("-scores(ids[:, :-1]).log_softmax(2).gather(2, ids[:, 1:, None]).mean()", 1),
        (
            "-(scores(ids).log_softmax(2)[:, :-2].gather(2, ids[:, 2:, None]).squeeze(2) * (ids[:, 2:] > 1)).sum() / 9",
            2,
        ),
        ("F.cross_entropy(scores(ids)[:, :-2].transpose(0, 1).reshape(-1, 9), ids[:, 2:].t().reshape(-1))", 2),
    ],
)
def test_how_far_targets_are_ahead(loss: str, offset: int, tmp_path: Path) -> None:
    sequence = told(loss, tmp_path)
    assert sequence is not None
    assert sequence.offsets == ((offset, 3),)
    reads = [read for read in sequence.reads if read.earliest == 0]
    assert len(reads) == 2
    assert all(read.target - read.row == offset and read.latest == read.row for read in reads)


@pytest.mark.parametrize(
    "loss",
    [
        "F.cross_entropy(scores(ids).transpose(1, 2), (3 * ids + 1) % 9)",
        "F.cross_entropy(scores(ids).transpose(1, 2), ids.clamp(max=3) // 3)",
        "F.cross_entropy(scores(ids)[:, -1], ids[:, 0])",
    ],
)
def test_targets_of_their_own(loss: str, tmp_path: Path) -> None:
    sequence = told(loss, tmp_path)
    assert sequence is not None
    assert sequence.offsets == () and sequence.reads == ()


def test_without_an_embedding_nothing_is_told(tmp_path: Path) -> None:
    assert told("F.cross_entropy(head(torch.randn(6, 8)), ids[:, 0])", tmp_path) is None


def test_padding_is_counted_without_the_first(tmp_path: Path) -> None:
    pad = "ids[0, 4:] = 0; ids[1, 6:] = 0; ids[2, 7:] = 0"
    sequence = told("F.cross_entropy(scores(ids[:, :-1]).transpose(1, 2), ids[:, 1:])", tmp_path, pad)
    assert sequence is not None
    assert (sequence.padding_idx, sequence.padding_target, sequence.num_padded) == (0, 0, 3)
    assert (sequence.num_padding, sequence.num_counted) == (3 * (3 + 1), 3 * 42)


def test_an_index_inside_a_text_is_no_padding(tmp_path: Path) -> None:
    pad = "ids[0, 4:] = 0; ids[1, 6:] = 0; ids[2, 3] = 0 if i == 2 else 1"
    sequence = told("F.cross_entropy(scores(ids[:, :-1]).transpose(1, 2), ids[:, 1:])", tmp_path, pad)
    assert sequence is not None
    assert sequence.num_padded == 0 and sequence.padding_idx is None


PAD = "ids[0, 4:] = 0; ids[1, 6:] = 0; ids[2, 7:] = 0"
PICKED = "scores(ids[:, :-1]).log_softmax(2).gather(2, ids[:, 1:, None]).squeeze(2)"


def test_padding_counts_in_a_loss_that_is_written_out(tmp_path: Path) -> None:
    sequence = told(f"-{PICKED}.mean()", tmp_path, PAD)
    assert sequence is not None and sequence.kind == "log-likelihood"
    assert (sequence.num_padded, sequence.num_padding, sequence.num_counted) == (3, 3 * (3 + 1), 3 * 42)


@pytest.mark.parametrize(
    "loss",
    [
        f"-({PICKED} * (ids[:, 1:] != 0)).sum() / (ids != 0).sum()",
        f"-{PICKED}.masked_fill(ids[:, 1:] == 0, 0.0).sum() / 30",
        f"-{PICKED}[ids[:, 1:] != 0].mean()",
    ],
)
def test_padding_that_a_mask_leaves_out_does_not_count(loss: str, tmp_path: Path) -> None:
    sequence = told(loss, tmp_path, PAD)
    assert sequence is not None and sequence.offsets == ((1, 3),)
    assert sequence.num_padded == 0


@pytest.mark.parametrize(
    "loss",
    [
        f"-({PICKED} * torch.randn(6, 7)).mean()",  # advantages
        "-scores(ids).log_softmax(2).gather(2, ids[:, :, None].repeat(1, 1, 2)).mean()",
        "-scores(ids).log_softmax(2).gather(1, ids[:, :1, None].repeat(1, 1, 9) % 8).mean()",
    ],
)
def test_a_likelihood_with_weights_or_without_one_target_a_row_tells_nothing(loss: str, tmp_path: Path) -> None:
    sequence = told(loss, tmp_path)
    assert sequence is None or sequence.offsets == ()
