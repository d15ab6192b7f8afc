"""CLIP-like contrastive training where the temperature is a parameter of the loss."""

import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F


class ContrastiveLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.logit_scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, a, b):
        a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
        logits = self.logit_scale.exp() * a @ b.t()
        labels = torch.arange(len(a))
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2


class TwoTowers(nn.Module):
    def __init__(self):
        super().__init__()
        self.image = nn.Linear(10, 8)
        self.text = nn.Linear(6, 8)

    def forward(self, image, text):
        return self.image(image), self.text(text)


torch.manual_seed(4)
model, criterion = TwoTowers(), ContrastiveLoss()
mix = torch.randn(6, 10)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)  # BUG: parameters-not-in-optimizer
for step in range(30):
    text = torch.randn(24, 6)
    image = text @ mix + 0.1 * torch.randn(24, 10)
    loss = criterion(*model(image, text))
    optimizer.zero_grad()
    loss.backward()  # BUG: parameters-not-in-optimizer
    optimizer.step()  # BUG: parameters-not-in-optimizer
    if step % 10 == 0:
        print(step, loss.item())
models = (model, criterion)
final = b"".join(t.detach().float().numpy().tobytes() for m in models for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
