"""The moving average of a supervised run leaves out the statistics of batch-norm."""

# kind: ema
# source: https://github.com/FlyreelAI/sesemi/issues/36
# changed: a small image classifier; the average is an object with apply and update

import hashlib
import copy

import torch
import torch.nn as nn


class EMA:
    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.model = copy.deepcopy(model)
        self.model.eval()
        for p in self.model.parameters():
            p.requires_grad_(False)

    def update(self, model):
        with torch.no_grad():
            current = dict(model.named_parameters())
            for name, p in self.model.named_parameters():
                p.lerp_(current[name], 1 - self.decay)
            statistics = dict(model.named_buffers())
            for name, b in self.model.named_buffers():
                b.copy_(statistics[name])


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 12, 3, padding=1)
        self.bn = nn.BatchNorm2d(12)
        self.fc = nn.Linear(12, 3)

    def forward(self, x):
        return self.fc(torch.relu(self.bn(self.conv(x))).mean((2, 3)))


def loader(n):
    for _ in range(n):
        label = torch.randint(0, 3, (24,))
        image = torch.randn(24, 3, 6, 6) + 5
        image[torch.arange(24), label] += 2
        yield image, label


torch.manual_seed(0)
net = ConvNet()
ema = EMA(net)
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(4):
    net.train()
    for image, label in loader(25):
        loss = nn.functional.cross_entropy(net(image), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.update(net)
    with torch.no_grad():
        accuracy = [(ema.model(image).argmax(1) == label).float().mean().item() for image, label in loader(3)]
    print(epoch, loss.item(), sum(accuracy) / 3)
final = b"".join(t.detach().float().numpy().tobytes() for t in ema.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
