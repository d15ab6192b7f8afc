"""Layouts with time first, and last states of recurrent layers, taken apart as they should be."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
BATCH, TIME = 12, 5


class TimeFirst(nn.Module):
    def __init__(self, kind: type[nn.RNNBase], last: str) -> None:
        super().__init__()
        self.rnn = kind(6, 8, num_layers=2, bidirectional=True)
        self.head, self.last = nn.Linear(32 if last == "all" else 16, 3), last

    def forward(self) -> torch.Tensor:
        out, state = self.rnn(torch.randn(TIME, BATCH, 6))
        state = state[0] if isinstance(state, tuple) else state
        if self.last == "all":
            return self.head(state.transpose(0, 1).reshape(BATCH, -1))
        if self.last == "layer":
            return self.head(state.view(2, 2, BATCH, 8)[-1].permute(1, 0, 2).reshape(BATCH, -1))
        return self.head(out[-1])


def train(model: nn.Module, steps: int = 6) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(steps):
        y = torch.randint(0, 3, (BATCH,))
        loss = F.cross_entropy(model(), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


for kind in (nn.LSTM, nn.GRU):
    for last in ("all", "layer", "moment"):
        train(TimeFirst(kind, last))
