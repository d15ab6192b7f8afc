"""NLL loss gets softmax in place of log-softmax."""

# kind: loss
# source: https://github.com/AnubhavGupta3377/Text-Classification-Models-Pytorch/issues/9
# changed: a small convolution over one-hot sequences

import hashlib
import torch
from torch import nn

torch.manual_seed(10)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 16, 3)
        self.fc = nn.Linear(16, 4)

    def forward(self, seq):
        pooled = torch.relu(self.conv(seq)).amax(-1)
        return nn.Softmax(dim=1)(self.fc(pooled))  # BUG: logits-into-nll-loss


model = Policy()
criterion = nn.NLLLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
for i in range(120):
    y = torch.randint(4, (32,))
    seq = torch.randn(32, 4, 12)
    seq[torch.arange(32), y] += 0.7
    loss = criterion(model(seq), y)  # BUG: logits-into-nll-loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
