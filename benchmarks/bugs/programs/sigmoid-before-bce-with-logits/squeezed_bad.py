"""torch.sigmoid and squeeze before binary_cross_entropy_with_logits."""

import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 8, 3, padding=1)
        self.out = nn.Linear(8 * 10, 1)

    def forward(self, x):
        h = F.leaky_relu(self.conv(x.unsqueeze(1)), 0.1)
        return torch.sigmoid(self.out(h.flatten(1)))


torch.manual_seed(10)
model = Discriminator()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(25):
    signal = torch.randn(32, 10)
    label = (signal.diff(dim=1).abs().mean(dim=1) > 1.1).float()
    score = model(signal).squeeze(1)
    loss = F.binary_cross_entropy_with_logits(score, label)  # BUG: sigmoid-before-bce-with-logits
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
