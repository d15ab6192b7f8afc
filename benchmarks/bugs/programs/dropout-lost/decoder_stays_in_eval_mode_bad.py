"""Training goes on after an evaluation with only half of the model back in train mode."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Dropout(0.3))
decoder = nn.Sequential(nn.Linear(24, 24), nn.ReLU(), nn.Dropout(0.3), nn.Linear(24, 2))
model = nn.ModuleDict({"encoder": encoder, "decoder": decoder})
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def run(x, y):
    return nn.functional.mse_loss(decoder(encoder(x)), y)  # BUG: dropout-lost, training-in-eval-mode


def evaluate():
    encoder.eval()
    decoder.eval()  # BUG: dropout-lost, training-in-eval-mode
    with torch.no_grad():
        x = torch.randn(64, 6)
        loss = run(x, x[:, :2])
    encoder.train()
    return loss.item()


for _ in range(5):
    for _ in range(12):
        x = torch.randn(16, 6)
        optimizer.zero_grad()
        loss = run(x, x[:, :2])  # BUG: dropout-lost, training-in-eval-mode
        loss.backward()  # BUG: dropout-lost, training-in-eval-mode
        optimizer.step()  # BUG: dropout-lost, training-in-eval-mode
    print(evaluate())

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
