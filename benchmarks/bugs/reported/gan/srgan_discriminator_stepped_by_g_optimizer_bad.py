"""The discriminator's turn steps the generator's optimizer."""

# kind: gan
# source: https://github.com/Lornatang/SRGAN-PyTorch/issues/85
# changed: rows of numbers in place of images

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 16))
D = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
g_optimizer = torch.optim.Adam(G.parameters(), lr=1e-3)
d_optimizer = torch.optim.Adam(D.parameters(), lr=1e-3)  # BUG: parameters-not-in-optimizer, optimizer-never-steps
bce, mse = nn.BCEWithLogitsLoss(), nn.MSELoss()


def train_discriminator(gt, sr):
    D.zero_grad(set_to_none=True)
    loss = bce(D(gt), torch.ones(len(gt), 1)) + bce(D(sr.detach()), torch.zeros(len(gt), 1))
    loss.backward()  # BUG: optimizer-never-steps
    g_optimizer.step()  # BUG: optimizer-never-steps, step-without-backward, backward-misses-optimizer, stale-gradients
    return loss


def train_generator(lr, gt):
    G.zero_grad(set_to_none=True)
    sr = G(lr)
    loss = mse(sr, gt) + 1e-2 * bce(D(sr), torch.ones(len(gt), 1))
    loss.backward()
    g_optimizer.step()
    return sr, loss


for step in range(100):
    lr = torch.rand(16, 4)
    gt = lr.repeat_interleave(4, 1) + 0.1 * torch.sin(torch.arange(16.0))
    sr, g_loss = train_generator(lr, gt)
    d_loss = train_discriminator(gt, sr)
print(g_loss.item(), d_loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in D.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
