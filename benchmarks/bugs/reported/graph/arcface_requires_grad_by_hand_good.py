"""The loss is computed from the logits."""

# kind: graph
# source: https://github.com/ronghuaiyang/arcface-pytorch/issues/56
# changed: angular margins over random vectors; the logits are taken out of the graph as numpy

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(400, 8)
labels = x[:, :4].argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.PReLU(), nn.Linear(32, 16))
weight = nn.Parameter(torch.randn(4, 16))
optimizer = torch.optim.SGD([*model.parameters(), weight], lr=0.1, momentum=0.9)
criterion = nn.CrossEntropyLoss()


def metric_fc(feature, label, s=8.0, m=0.1):
    cosine = nn.functional.normalize(feature) @ nn.functional.normalize(weight).t()
    return s * (cosine - m * nn.functional.one_hot(label, 4))


for epoch in range(5):
    for index in torch.randperm(400).split(25):
        feature = model(x[index])
        output = metric_fc(feature, labels[index])
        assert output.shape == (25, 4)
        loss = criterion(output, labels[index])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
