"""Only what follows a prompt is trained: scores and targets are cut at different places."""

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


def cut(model, first: int):
    ids = torch.randint(0, WORDS, (8, 14))
    return F.cross_entropy(model(ids)[:, first - 1 : -1].reshape(-1, WORDS), ids[:, first:].reshape(-1))


def cut_after_log_softmax(model):
    ids = torch.randint(0, WORDS, (8, 14))
    return F.nll_loss(F.log_softmax(model(ids), -1).permute(0, 2, 1)[:, :, 1:-1], ids[:, 2:])


train(lambda model: cut(model, 1))
train(lambda model: cut(model, 2))
train(lambda model: cut(model, 3))
train(cut_after_log_softmax)
