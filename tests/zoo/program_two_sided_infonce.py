"""Symmetric InfoNCE: cross-entropy over rows and over columns of one similarity matrix."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
image, text = nn.Linear(10, 8), nn.Linear(6, 8)
scale = nn.Parameter(torch.tensor(2.0))
optimizer = torch.optim.AdamW([*image.parameters(), *text.parameters(), scale], lr=3e-3)
mix = torch.randn(6, 10)
for _ in range(25):
    t = torch.randn(16, 6)
    a, b = F.normalize(image(t @ mix), dim=1), F.normalize(text(t), dim=1)
    logits = scale.exp() * a @ b.t()
    labels = torch.arange(16)
    by_hand = -(F.log_softmax(logits, 0).diagonal().mean() + F.log_softmax(logits, 1).diagonal().mean()) / 2
    loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 4 + by_hand / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
