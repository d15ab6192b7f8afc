"""F.dropout without training=self.training."""

import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 32)
        self.fc2 = nn.Linear(32, 3)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.dropout(x, 0.5)  # BUG: dropout-active-in-eval
        return self.fc2(x)


torch.manual_seed(0)
x = torch.randn(240, 8)
y = x[:, :3].argmax(dim=1)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    model.train()
    for idx in torch.randperm(200).split(20):
        loss = F.cross_entropy(model(x[idx]), y[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        accuracy = (model(x[200:]).argmax(1) == y[200:]).float().mean()  # BUG: dropout-active-in-eval
    print(epoch, loss.item(), accuracy.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
