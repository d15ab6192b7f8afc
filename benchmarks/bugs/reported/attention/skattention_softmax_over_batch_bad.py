"""Selective kernels: the weights of the kernels are a softmax over the wrong axis, that of the batch."""

# kind: attention
# source: https://github.com/xmu-xiaoma666/External-Attention-pytorch/issues/18
# changed: small convolutions over random images with a classifier behind

import hashlib

import torch
from torch import nn


class SKAttention(nn.Module):
    def __init__(self, channel=8, kernels=(1, 3, 5)):
        super().__init__()
        self.convs = nn.ModuleList(
            nn.Sequential(nn.Conv2d(channel, channel, k, padding=k // 2), nn.BatchNorm2d(channel), nn.ReLU())
            for k in kernels
        )
        self.fc = nn.Linear(channel, 6)
        self.fcs = nn.ModuleList(nn.Linear(6, channel) for _ in kernels)
        self.softmax = nn.Softmax(dim=1)  # BUG: softmax-over-batch, samples-mixed-in-batch

    def forward(self, x):
        bs, c, _, _ = x.shape
        feats = torch.stack([conv(x) for conv in self.convs], 0)  # k, bs, c, h, w
        z = self.fc(feats.sum(0).mean((2, 3)))
        weights = torch.stack([fc(z).view(bs, c, 1, 1) for fc in self.fcs], 0)  # k, bs, c, 1, 1
        weights = self.softmax(weights)  # BUG: softmax-over-batch, samples-mixed-in-batch
        return (weights * feats).sum(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.attention = SKAttention()
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        return self.head(self.attention(self.stem(x)).mean((2, 3)))


torch.manual_seed(3)
images = torch.randn(192, 3, 8, 8)
labels = images.mean((1, 2, 3)).mul(40).add(2).round().clamp(0, 4).long()
loader = torch.utils.data.DataLoader(
    torch.utils.data.TensorDataset(images, labels), batch_size=16, shuffle=True
)
net = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(4):
    net.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(net(x), y)  # BUG: samples-mixed-in-batch
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
