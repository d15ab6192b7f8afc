"""A convolution bank takes its batch-norm settings from TensorFlow's defaults."""

# kind: batchnorm
# source: https://github.com/r9y9/tacotron_pytorch/issues/19
# changed: random sequences in place of spectrograms

import hashlib
import torch
from torch import nn


class BatchNormConv1d(nn.Module):
    def __init__(self, in_dim, out_dim, kernel_size):
        super().__init__()
        self.conv1d = nn.Conv1d(in_dim, out_dim, kernel_size, padding=kernel_size // 2, bias=False)
        # Following tensorflow's default parameters
        self.bn = nn.BatchNorm1d(out_dim, momentum=0.01, eps=1e-3)

    def forward(self, x):
        return self.bn(torch.relu(self.conv1d(x)))


class CBHG(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.bank = nn.ModuleList([BatchNormConv1d(dim, 12, k) for k in (1, 3, 5)])
        self.project = nn.Conv1d(36, dim, 1)

    def forward(self, x):
        return x + self.project(torch.cat([conv(x) for conv in self.bank], dim=1))


torch.manual_seed(0)
cbhg = CBHG()
opt = torch.optim.Adam(cbhg.parameters(), lr=2e-3)
for step in range(100):
    x = torch.randn(16, 8, 20) * (1 + torch.rand(16, 1, 1))
    smooth = nn.functional.avg_pool1d(x, 5, 1, 2)
    loss = nn.functional.l1_loss(cbhg(x), smooth)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 24:
        cbhg.eval()
        with torch.no_grad():
            print(step, nn.functional.l1_loss(cbhg(x), smooth).item())
        cbhg.train()
final = b"".join(t.detach().float().numpy().tobytes() for t in cbhg.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
