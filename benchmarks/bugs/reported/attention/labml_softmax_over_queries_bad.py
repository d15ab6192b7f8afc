"""Attention weights sum to one over the queries."""

# kind: attention
# source: https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/146
# changed: a small denoiser over sets of random pixels
# gap: weights that sum to one over another axis are also meant, as in slot attention

import hashlib
import torch
from torch import nn


class AttentionBlock(nn.Module):
    def __init__(self, n_channels, d_k):
        super().__init__()
        self.projection = nn.Linear(n_channels, 3 * d_k)
        self.output = nn.Linear(d_k, n_channels)
        self.scale = d_k**-0.5

    def forward(self, x):
        q, k, v = self.projection(x).chunk(3, dim=-1)
        attn = torch.einsum("bid,bjd->bij", q, k) * self.scale
        attn = attn.softmax(dim=1)  # BUG: softmax-over-queries
        return x + self.output(torch.einsum("bij,bjd->bid", attn, v))


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 24), AttentionBlock(24, 16), nn.SiLU(), nn.Linear(24, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(100):
    x0, noise, t = torch.randn(24, 1, 3).expand(24, 9, 3), torch.randn(24, 9, 3), torch.rand(24, 1, 1)
    xt = (1 - t) * x0 + t * noise
    loss = nn.functional.mse_loss(noise, model(torch.cat([xt, t.expand(24, 9, 1)], -1)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
