"""Heads for the next tokens, one after another or all in one loss."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
WORDS, WIDTH = 20, 16


class LanguageModel(nn.Module):
    def __init__(self, padding_idx: int | None = None, *, causal: bool = True) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH, padding_idx=padding_idx)
        self.positions = nn.Embedding(32, WIDTH)
        self.layer = nn.TransformerEncoderLayer(WIDTH, 2, 32, dropout=0.0, batch_first=True)
        self.head = nn.Linear(WIDTH, WORDS)
        self.further = nn.ModuleList([nn.Linear(WORDS, WORDS) for _ in range(3)])
        self.causal = causal

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        length = ids.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length) if self.causal else None
        x = self.embedding(ids) + self.positions(torch.arange(length))
        return self.head(self.layer(x, src_mask=mask))


def train(loss_of, steps: int = 8, **settings) -> None:
    model = LanguageModel(**settings)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(steps):
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def in_one_line(model):
    ids = torch.randint(0, WORDS, (8, 14))
    scores = model(ids)
    heads = [head(scores) for head in model.further]
    losses = [F.cross_entropy(s[:, :-k].reshape(-1, WORDS), ids[:, k:].reshape(-1)) for k, s in enumerate(heads, 1)]
    return torch.stack(losses).mean()


def in_two_lines(model):
    ids = torch.randint(0, WORDS, (8, 14))
    scores = model(ids)
    second = F.cross_entropy(scores[:, :-2].reshape(-1, WORDS), ids[:, 2:].reshape(-1))
    first = F.cross_entropy(scores[:, :-1].reshape(-1, WORDS), ids[:, 1:].reshape(-1))
    return first + 0.1 * second


for loss_of in (in_one_line, in_two_lines):
    train(loss_of)
