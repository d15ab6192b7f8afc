"""Log of a softmax over the wrong axis, picked by hand."""

import hashlib

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 4))

    def forward(self, x):
        return torch.log_softmax(self.fc(x), 0)  # BUG: softmax-over-batch


torch.manual_seed(14)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(25):
    x = torch.randn(40, 5)
    loss = nn.functional.nll_loss(net(x), x[:, :4].argmax(1))  # BUG: softmax-over-batch
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
