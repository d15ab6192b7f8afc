"""fp16 autocast as in the CUDA tutorials, without the scaler part."""

import hashlib

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(256, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 256))

    def forward(self, x):
        return self.layers(x)


torch.manual_seed(83)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(30):
    x = torch.randn(512, 256) * 0.002
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        recon = model(x)
        loss = (recon.float() - x).pow(2).mean()
    loss.backward()  # BUG: fp16-without-scaler
    optimizer.step()  # BUG: fp16-without-scaler  ALSO: lost-half-precision-updates
    if step % 10 == 0:
        print(step, loss.item())

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
