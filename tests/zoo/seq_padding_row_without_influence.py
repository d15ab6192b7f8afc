"""The row of the padding is overwritten, but masks and lengths keep padding out of the loss."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
WORDS, WIDTH, LENGTH = 20, 16, 10


class Classifier(nn.Module):
    def __init__(self, embedding: nn.Embedding | None = None) -> None:
        super().__init__()
        self.embedding = embedding or nn.Embedding(WORDS, WIDTH, padding_idx=0)
        self.rnn = nn.LSTM(WIDTH, WIDTH, batch_first=True)
        self.layer = nn.TransformerEncoderLayer(WIDTH, 2, 32, dropout=0.0, batch_first=True)
        self.head = nn.Linear(WIDTH, 2)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.embedding(ids).sum(1))


def initialise(model: nn.Module) -> None:
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)


def train(model: nn.Module) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(5):
        lengths = torch.randint(3, LENGTH, (12, 1))
        ids = torch.randint(1, WORDS, (12, LENGTH)) * (torch.arange(LENGTH) < lengths)
        loss = F.cross_entropy(model(ids), (ids == 7).any(1).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Masked(Classifier):
    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.layer(self.embedding(ids), src_key_padding_mask=ids == 0)[:, 0])


class Weighted(Classifier):
    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head((self.embedding(ids) * (ids != 0)[..., None]).sum(1))


class Packed(Classifier):
    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        lengths = (ids != 0).sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(ids), lengths, batch_first=True, enforce_sorted=False)
        return self.head(self.rnn(packed)[1][0][0])


for kind in (Masked, Weighted, Packed):
    model = kind()
    initialise(model)
    train(model)
