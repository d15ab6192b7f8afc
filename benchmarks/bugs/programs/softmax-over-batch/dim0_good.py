"""softmax(dim=0) on a (batch, classes) tensor, trained with the log-likelihood."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
to_log_probs = nn.LogSoftmax(dim=1)
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
nll = nn.NLLLoss()
for step in range(25):
    x = torch.randn(32, 6)
    y = x[:, :3].argmax(dim=1)
    log_probs = to_log_probs(net(x))
    loss = nll(log_probs, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 8 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
