"""A frozen backbone is in train mode while a linear head is fitted."""

# kind: batchnorm
# source: https://github.com/kdexd/virtex/issues/16
# changed: a small convolutional backbone, which is pretrained for a moment first

import hashlib
import torch
import torch.nn as nn

torch.manual_seed(0)
backbone = nn.Sequential(
    nn.Conv2d(3, 16, 3, stride=2), nn.BatchNorm2d(16), nn.ReLU(),
    nn.Conv2d(16, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
)
pretext = nn.Linear(16, 4)
images = torch.randn(400, 3, 10, 10) * torch.rand(400, 3, 1, 1) * 3
turns = torch.randint(0, 4, (400,))
optimizer = torch.optim.SGD([*backbone.parameters(), *pretext.parameters()], lr=0.02)
for idx in torch.randperm(400).split(20):
    rotated = torch.stack([torch.rot90(images[i], int(turns[i]), (1, 2)) for i in idx])
    loss = nn.functional.cross_entropy(pretext(backbone(rotated)), turns[idx])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

for param in backbone.parameters():
    param.requires_grad = False
model = nn.Sequential(backbone, nn.Linear(16, 3))
targets = images.mean((2, 3)).abs().argmax(1)
optimizer = torch.optim.SGD(model[1].parameters(), lr=0.05, momentum=0.9)
for epoch in range(4):
    model.train()
    backbone.eval()
    for idx in torch.randperm(400).split(20):
        loss = nn.functional.cross_entropy(model(images[idx] * 1.5), targets[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
