"""Channels and frames are reshaped as if they stood in the other order."""

# kind: batch-mixing
# source: https://github.com/PKU-YuanGroup/Open-Sora-Plan/issues/171
# changed: small random videos; a classifier after the attention
# gap: the batch has as many samples as the layer has channels, and the shapes could also put whole rows together

import hashlib

import torch
from torch import nn

class AttnBlock3D(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.norm = nn.GroupNorm(2, c)
        self.q, self.k, self.v, self.proj = (nn.Conv3d(c, c, 1) for _ in range(4))

    def forward(self, x):
        h_ = self.norm(x)
        q, k, v = self.q(h_), self.k(h_), self.v(h_)
        b, c, t, h, w = q.shape
        q, k, v = (z.reshape(b * t, c, h * w) for z in (q, k, v))  # BUG: view-in-place-of-transpose
        w_ = torch.bmm(q.transpose(1, 2), k) * c**-0.5
        h_ = torch.bmm(v, w_.softmax(2).transpose(1, 2))
        h_ = h_.reshape(b, c, t, h, w)
        return x + self.proj(h_)


class Video(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv3d(1, 8, 3, padding=1)
        self.attn = AttnBlock3D(8)
        self.head = nn.Linear(8, 3)

    def forward(self, clip):
        return self.head(self.attn(self.stem(clip)).mean((2, 3, 4)))


torch.manual_seed(30)
net = Video()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for step in range(80):
    clip = torch.randn(8, 1, 4, 6, 6)
    y = clip.mean((1, 3, 4))[:, :3].argmax(-1)
    loss = nn.functional.cross_entropy(net(clip), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print(step, loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
