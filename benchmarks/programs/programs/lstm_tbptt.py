"""A character model with an LSTM, trained by truncated backpropagation through time."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)
num_chars, batch_size, length = 40, 16, 24


class CharModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(num_chars, 32)
        self.lstm = nn.LSTM(32, 96, batch_first=True)
        self.head = nn.Linear(96, num_chars)

    def forward(self, chars, state=None):
        out, state = self.lstm(self.embed(chars), state)
        return self.head(out), state


text = (torch.arange(batch_size * 4096) * 7 % num_chars + torch.randint(0, 3, (batch_size * 4096,))) % num_chars
streams = text.view(batch_size, -1)
model = CharModel()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

state, at = None, 0
for step in range(steps):
    if at + length + 1 > streams.size(1):
        state, at = None, 0
    chars, targets = streams[:, at : at + length], streams[:, at + 1 : at + length + 1]
    at += length
    if state is not None:
        state = tuple(s.detach() for s in state)
    logits, state = model(chars, state)
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step}: loss {loss.item():.4f}")

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
