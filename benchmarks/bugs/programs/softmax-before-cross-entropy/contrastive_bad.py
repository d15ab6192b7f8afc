"""SimCLR on vectors: two noisy views of each sample, the other one is the right class."""

import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class SimCLR(nn.Module):
    def __init__(self, in_dim, hidden, out_dim):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(in_dim, hidden), nn.BatchNorm1d(hidden), nn.ReLU())
        self.projector = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, out_dim))

    def forward(self, x):
        return F.normalize(self.projector(self.backbone(x)), dim=1)


def info_nce(features, n_views, temperature):
    batch = features.shape[0] // n_views
    labels = torch.cat([torch.arange(batch) for _ in range(n_views)])
    labels = (labels.unsqueeze(0) == labels.unsqueeze(1)).float()
    similarity = features @ features.T

    mask = torch.eye(labels.shape[0], dtype=torch.bool)
    labels = labels[~mask].view(labels.shape[0], -1)
    similarity = similarity[~mask].view(similarity.shape[0], -1)
    positives = similarity[labels.bool()].view(labels.shape[0], -1)
    negatives = similarity[~labels.bool()].view(similarity.shape[0], -1)

    logits = torch.cat([positives, negatives], dim=1) / temperature
    logits = torch.softmax(logits, dim=1)
    return logits, torch.zeros(logits.shape[0], dtype=torch.long)


def augment(x):
    return x + 0.1 * torch.randn_like(x)


torch.manual_seed(5)
data = torch.randn(192, 12)
loader = DataLoader(TensorDataset(data), batch_size=32, shuffle=True, drop_last=True)
model = SimCLR(12, 32, 16)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-4, weight_decay=1e-4)
criterion = nn.CrossEntropyLoss()

for epoch_counter in range(3):
    for (x,) in loader:
        views = torch.cat([augment(x), augment(x)], dim=0)
        logits, labels = info_nce(model(views), n_views=2, temperature=0.07)
        loss = criterion(logits, labels)  # BUG: softmax-before-cross-entropy
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"Epoch: {epoch_counter}\tLoss: {loss.item():.3f}")

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
