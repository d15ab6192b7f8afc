"""forward makes a new dropout layer each time, which is always in train mode."""

# kind: mode
# source: https://github.com/yangze0930/NTS-Net/issues/14
# changed: a small network on random features in place of a ResNet

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(320, 10)
y = (x[:, 0] * x[:, 1] > 0).long()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(10, 48), nn.ReLU())
        self.p = 0.5
        self.fc = nn.Linear(48, 2)

    def forward(self, inputs):
        h = self.layers(inputs)
        h = nn.Dropout(p=self.p)(h)  # BUG: dropout-active-in-eval
        return self.fc(h)


net = Net()
creterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for epoch in range(8):
    net.train()
    for rows in torch.randperm(256).split(32):
        optimizer.zero_grad()
        creterion(net(x[rows]), y[rows]).backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        hits = sum((net(part).argmax(1) == truth).sum().item() for part, truth in zip(x[256:].split(32), y[256:].split(32)))
print(hits / 64)
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
