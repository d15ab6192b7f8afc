"""The rate that was tuned for another optimizer is kept with RMSprop."""

import argparse
import hashlib

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1.0)
args = parser.parse_args()

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(12, 48), nn.Tanh(), nn.Linear(48, 5))
optimizer = torch.optim.RMSprop(model.parameters(), lr=args.lr, alpha=0.5)  # BUG: update-too-large  ALSO: loss-spike-at-start, loss-oscillating, saturated-activations
for step in range(150):
    x = torch.randn(32, 12)
    loss = nn.functional.cross_entropy(model(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # BUG: update-too-large
    if step % 50 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
