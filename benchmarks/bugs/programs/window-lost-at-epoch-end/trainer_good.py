"""Trainer class whose epoch starts clean."""

import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Config:
    epochs = 3
    micro_batch = 6
    grad_accum = 5
    lr = 2e-3


class Trainer:
    def __init__(self, model, dataset, config):
        self.model = model
        self.config = config
        self.loader = DataLoader(dataset, batch_size=config.micro_batch, shuffle=True)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr)

    def train_epoch(self):
        self.optimizer.zero_grad(set_to_none=True)
        self.model.train()
        losses = []
        for step, (ids, labels) in enumerate(self.loader, start=1):
            loss = F.cross_entropy(self.model(ids), labels)
            losses.append(loss.item())
            (loss / self.config.grad_accum).backward()
            if step % self.config.grad_accum == 0:
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)
        return sum(losses) / len(losses)

    def fit(self):
        for epoch in range(self.config.epochs):
            print(f"epoch {epoch} loss {self.train_epoch():.4f}")


torch.manual_seed(9)
ids = torch.randint(0, 20, (90, 5))
labels = (ids == 3).any(dim=1).long()
model = nn.Sequential(nn.Embedding(20, 12), nn.Flatten(), nn.Linear(60, 2))
Trainer(model, TensorDataset(ids, labels), Config()).fit()
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
