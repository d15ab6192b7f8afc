"""The row of the padding has a vector of its own: loaded, copied, or made before the layer."""

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


pretrained = torch.randn(WORDS, WIDTH)
loaded, copied = Classifier(), Classifier()
for model in (loaded, copied):
    initialise(model)
loaded.load_state_dict({**loaded.state_dict(), "embedding.weight": pretrained})
copied.embedding.weight.data.copy_(pretrained)
made = nn.init.normal_(torch.empty(WORDS, WIDTH), std=0.02)
for model in (loaded, copied, Classifier(nn.Embedding.from_pretrained(made, freeze=False, padding_idx=0))):
    train(model)
