"""An autoencoder is trained first; later only a deep classifier on its encoder, which still gets gradients."""

import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
decoder = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8))


def pretrain() -> None:
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
    for _ in range(8):
        x = torch.randn(16, 8)
        optimizer.zero_grad()
        nn.functional.mse_loss(decoder(encoder(x)), x).backward()
        optimizer.step()


pretrain()
classifier = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(classifier.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(16, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(classifier(encoder(x)), x[:, :3].argmax(1)).backward()
    optimizer.step()
