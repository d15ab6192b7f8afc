"""Snapshots hold networks alone, so that a resumed run begins with empty Adam states."""

# kind: resume
# source: https://github.com/NVlabs/stylegan2-ada-pytorch/issues/108
# changed: both runs in one script, on a small generator of points without a discriminator
# gap: a file of weights alone may be one for inference

import hashlib
import os
import tempfile

import torch
from torch import nn


def training_loop(path, resume=False, kimg=80):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(0.2), nn.Linear(32, 3))
    opt = torch.optim.Adam(net.parameters(), lr=2e-3, betas=(0.0, 0.99))  # BUG: optimizer-not-saved
    start = 0
    if resume:
        snapshot = torch.load(path)
        net.load_state_dict(snapshot["G"])  # BUG: optimizer-not-saved
        start = snapshot["cur_nimg"]
    for cur in range(start, start + kimg):
        z = torch.randn(16, 8)
        loss = nn.functional.mse_loss(net(z), z[:, :3] * z[:, 3:6])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
    torch.save({"G": net.state_dict(), "cur_nimg": start + kimg}, path)  # BUG: optimizer-not-saved
    print(loss.item())
    return net


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "network-snapshot.pt")
    training_loop(path)
    net = training_loop(path, resume=True)
final = b"".join(t.detach().double().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
