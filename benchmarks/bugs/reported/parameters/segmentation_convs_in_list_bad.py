"""Inner convolutions and their batch-norms are appended to plain lists."""

# kind: parameters
# source: https://github.com/kanezaki/pytorch-unsupervised-segmentation/pull/6
# changed: the network segments a random image; the clustering is by argmax as in the original

import hashlib
import torch
import torch.nn as nn
import torch.nn.functional as F


class MyNet(nn.Module):
    def __init__(self, input_dim, n_channel=16, n_conv=2):
        super().__init__()
        self.conv1 = nn.Conv2d(input_dim, n_channel, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(n_channel)
        self.conv2 = []  # BUG: unregistered-module, parameters-not-in-optimizer
        self.bn2 = []  # BUG: unregistered-module, parameters-not-in-optimizer
        for _ in range(n_conv - 1):
            self.conv2.append(nn.Conv2d(n_channel, n_channel, 3, padding=1))  # BUG: unregistered-module, parameters-not-in-optimizer
            self.bn2.append(nn.BatchNorm2d(n_channel))  # BUG: unregistered-module, parameters-not-in-optimizer
        self.conv3 = nn.Conv2d(n_channel, n_channel, 1)
        self.bn3 = nn.BatchNorm2d(n_channel)

    def forward(self, x):
        x = self.bn1(F.relu(self.conv1(x)))
        for conv, bn in zip(self.conv2, self.bn2):
            x = bn(F.relu(conv(x)))  # BUG: unregistered-module, parameters-not-in-optimizer
        return self.bn3(self.conv3(x))


torch.manual_seed(0)
image = F.interpolate(torch.rand(1, 3, 4, 4), size=24, mode="nearest") + 0.05 * torch.randn(1, 3, 24, 24)
model = MyNet(3)
model.train()
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)  # BUG: unregistered-module, parameters-not-in-optimizer
for batch_idx in range(60):
    optimizer.zero_grad()
    output = model(image)[0].permute(1, 2, 0).reshape(-1, 16)
    target = output.detach().argmax(1)
    loss = loss_fn(output, target)
    loss.backward()  # BUG: unregistered-module, parameters-not-in-optimizer
    optimizer.step()  # BUG: unregistered-module, parameters-not-in-optimizer
print(batch_idx, len(target.unique()), loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
