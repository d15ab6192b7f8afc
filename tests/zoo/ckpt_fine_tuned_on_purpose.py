"""New training from a checkpoint's weights: another rate, another head, another optimizer, weights only."""

import io

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))


def train(model, optimizer):
    for _ in range(8):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), x[:, 0].gt(0).long()).backward()
        optimizer.step()


def load(saved):
    saved.seek(0)
    return torch.load(saved, weights_only=True)


torch.manual_seed(0)
model = build()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
train(model, optimizer)
whole, weights = io.BytesIO(), io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}, whole)
torch.save(model.state_dict(), weights)

slower = build()
slower.load_state_dict(load(whole)["model"])
train(slower, torch.optim.AdamW(slower.parameters(), lr=1e-3))

with_head = build()
with_head.load_state_dict(load(whole)["model"])
with_head[2] = nn.Linear(16, 2)
train(with_head, torch.optim.AdamW(with_head.parameters(), lr=1e-2))

probe = build()
probe.load_state_dict(load(whole)["model"])
probe[0].requires_grad_(False)
train(probe, torch.optim.AdamW(probe[2].parameters(), lr=1e-2))

plain = build()
plain.load_state_dict(load(whole)["model"])
train(plain, torch.optim.SGD(plain.parameters(), lr=1e-2))

again = build()
again.load_state_dict(load(weights))
train(again, torch.optim.AdamW(again.parameters(), lr=1e-2))

teacher, student = build(), build()
teacher.load_state_dict(load(whole)["model"])
train(student, torch.optim.AdamW(student.parameters(), lr=1e-2))
