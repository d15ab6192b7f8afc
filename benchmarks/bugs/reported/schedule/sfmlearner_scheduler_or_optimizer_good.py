"""With a scheduler the loop advances that in place of the optimizer."""

# kind: schedule
# source: https://github.com/ClementPinard/SfmLearner-Pytorch/issues/5
# changed: a small depth regressor on random features

import argparse
import hashlib

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--scheduler", default="step")
args = parser.parse_args([])

torch.manual_seed(0)
disp_net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(disp_net.parameters(), lr=2e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=60, gamma=0.5) if args.scheduler == "step" else None
generator = torch.Generator().manual_seed(1)
frames = torch.randn(400, 10, generator=generator)
depth = frames[:, :3].abs().sum(1, keepdim=True)
for epoch in range(6):
    for i in range(0, 400, 20):
        loss = nn.functional.l1_loss(disp_net(frames[i : i + 20]), depth[i : i + 20])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if scheduler:
            scheduler.step()
    print(epoch, loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in disp_net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
