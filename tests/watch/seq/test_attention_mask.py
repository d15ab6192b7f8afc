"""Which masks are found to be inverted, by small real programs."""

from pathlib import Path

import pytest

from surefoot.facts import MaskFacts, StepFacts
from tests.watch.record import records_of

PREAMBLE = """import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
embedding, attention, head = nn.Embedding(9, 8, padding_idx=0), nn.MultiheadAttention(8, 2), nn.Linear(8, 2)
layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
model = nn.ModuleList([embedding, attention, layer, head])
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(2):
    ids = torch.randint(1, 9, (4, 6))
    ids[0, 4:], ids[1, 5:], ids[2, 3:], ids[3, 2:] = 0, 0, 0, 0
    x, t = embedding(ids), embedding(ids.t())
"""


def told(hidden: str, tmp_path: Path) -> list[MaskFacts]:
    body = f"    loss = F.mse_loss(head({hidden}), torch.zeros(()))\n"
    body += "    loss.backward()\n    optimizer.step()\n"
    records = records_of(PREAMBLE + body, tmp_path / "program.py")
    return [one for r in records if isinstance(r, StepFacts) for one in r.masks]


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize(
    "hidden",
    [
        "layer(x, src_key_padding_mask=ids {})",
        "attention(t, t, t, key_padding_mask=ids {})[0]",
        "attention(t, t, t, key_padding_mask=ids {}, need_weights=False)[0]",
        "(x @ x.mT).masked_fill((ids {})[:, None], -1e9).softmax(-1) @ x",
        "(x.sum(2).masked_fill(ids {}, -1e4).softmax(1)[..., None] * x).sum(1)",
        "(x.sum(2, keepdim=True).masked_fill((ids {})[..., None], -1e9).softmax(1) * x).sum(1)",
        "F.scaled_dot_product_attention(x, x, x, attn_mask=~(ids {})[:, None])",
    ],
)
def test_inverted(hidden: str, tmp_path: Path) -> None:
    *_, found = told(hidden.format("!= 0"), tmp_path)
    assert (found.padding_idx, found.num_tokens, found.num_padding, found.num_batches) == (0, 14, 10, 2)
    is_given = any(word in hidden for word in ("key_padding_mask", "attn_mask", "masked_fill"))
    assert (found.given.line if found.given is not None else None) == (13 if is_given else None)
    assert told(hidden.format("== 0"), tmp_path) == []
