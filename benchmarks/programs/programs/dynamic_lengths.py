"""Sentences of different lengths, padded and packed batch by batch, through a GRU."""

import random
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

steps = int(sys.argv[1])
random.seed(0)
torch.manual_seed(0)
vocabulary = 200


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, 32, padding_idx=0)
        self.gru = nn.GRU(32, 48, batch_first=True)
        self.head = nn.Linear(48, 2)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.embed(tokens), lengths, batch_first=True, enforce_sorted=False)
        _, last = self.gru(packed)
        return self.head(last[-1])


sentences = [torch.randint(1, vocabulary, (random.randint(3, 40),)) for _ in range(2000)]
labels = torch.tensor([int(s.float().mean() > vocabulary / 2) for s in sentences])
model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for step in range(steps):
    batch = random.sample(range(len(sentences)), random.randint(8, 24))
    tokens = pad_sequence([sentences[i] for i in batch], batch_first=True)
    lengths = torch.tensor([len(sentences[i]) for i in batch])
    loss = F.cross_entropy(model(tokens, lengths), labels[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step}: loss {loss.item():.4f}, {tokens.size(1)} tokens wide")

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
