"""The loop over buffers runs over those of the average itself."""

# kind: ema
# source: https://github.com/lucidrains/ema-pytorch/issues/8
# changed: a small network; the wrapper keeps online and average model side by side

import hashlib
from copy import deepcopy

import torch
from torch import nn


class EMA(nn.Module):
    def __init__(self, model, beta=0.95):
        super().__init__()
        self.beta = beta
        self.online_model = [model]
        self.ema_model = deepcopy(model)
        self.ema_model.requires_grad_(False)

    @torch.no_grad()
    def update(self):
        online = self.online_model[0]
        for ma, current in zip(self.ema_model.parameters(), online.parameters()):
            ma.data.lerp_(current.data, 1.0 - self.beta)
        for (name, current), (_, ma) in zip(online.named_buffers(), self.ema_model.named_buffers()):
            if torch.is_floating_point(ma):
                ma.data.copy_(current.data)

    def forward(self, x):
        return self.ema_model(x)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.Tanh(), nn.Linear(24, 1))
wrapper = EMA(net)
opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
for step in range(150):
    x = torch.randn(32, 6) * 3 + 2
    loss = nn.functional.mse_loss(net(x), x.mean(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
    wrapper.update()
wrapper.eval()
with torch.no_grad():
    x = torch.randn(100, 6) * 3 + 2
    print(nn.functional.mse_loss(wrapper(x), x.mean(1, keepdim=True)).item())
final = b"".join(t.detach().float().numpy().tobytes() for t in wrapper.ema_model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
