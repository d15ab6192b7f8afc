"""A custom activation with a wrong derivative."""

import hashlib

# surefoot options: --gradcheck
import torch
from torch import nn


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        s = torch.sigmoid(x)
        ctx.save_for_backward(x, s)
        return x * s

    @staticmethod
    def backward(ctx, grad):
        x, s = ctx.saved_tensors
        return grad * s * (1 - s)  # BUG: wrong-custom-backward


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(5, 24), nn.Linear(24, 1)

    def forward(self, x):
        return self.b(Swish.apply(self.a(x)))  # BUG: wrong-custom-backward


torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(25):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(net(x), x.sum(dim=1, keepdim=True))
    opt.zero_grad()
    loss.backward()  # BUG: wrong-custom-backward
    opt.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
