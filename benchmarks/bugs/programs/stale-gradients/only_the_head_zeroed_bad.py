"""Two optimizers' worth of parameters, gradients reset on one of the parts."""

import hashlib

import torch
from torch import nn

torch.manual_seed(3)

encoder = nn.Sequential(nn.Linear(10, 24), nn.ReLU())
head = nn.Linear(24, 3)
params = list(encoder.parameters()) + list(head.parameters())
opt = torch.optim.Adam(params, lr=3e-3)

X = torch.randn(300, 10)
Y = X[:, :3].argmax(dim=1)

for it in range(30):
    idx = torch.randint(0, 300, (32,))
    logits = head(encoder(X[idx]))
    loss = nn.functional.cross_entropy(logits, Y[idx])
    head.zero_grad()
    loss.backward()
    opt.step()  # BUG: stale-gradients
    if it % 10 == 0:
        print(it, round(loss.item(), 4))

models = (encoder, head)
final = b"".join(t.detach().float().numpy().tobytes() for m in models for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
