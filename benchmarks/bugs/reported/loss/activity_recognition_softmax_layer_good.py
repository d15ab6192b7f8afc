"""The last layer of the network is a softmax, and the criterion is CrossEntropyLoss."""

# kind: loss
# source: https://github.com/jindongwang/Deep-learning-activity-recognition/issues/10
# changed: windows of random signals in place of sensor data

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Sequential(nn.Conv1d(3, 16, 5), nn.ReLU(), nn.MaxPool1d(2))
        self.fc1 = nn.Sequential(nn.Linear(16 * 8, 40), nn.ReLU())
        self.fc2 = nn.Linear(40, 4)

    def forward(self, x):
        out = self.fc2(self.fc1(self.conv1(x).flatten(1)))
        return out


def train(model, optimizer, loader, epochs):
    criterion = nn.CrossEntropyLoss()
    for e in range(epochs):
        model.train()
        correct = total = 0
        for sample, target in loader:
            output = model(sample)
            loss = criterion(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            correct += (output.argmax(1) == target).sum().item()
            total += len(target)
        print(e, loss.item(), correct / total)


torch.manual_seed(0)
t = torch.arange(20.0)
activity = torch.randint(0, 4, (512,))
signal = torch.sin(t * (activity[:, None, None] + 1) / 3 + torch.rand(512, 3, 1) * 6) + 0.3 * torch.randn(512, 3, 20)
model = Network()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
train(model, optimizer, DataLoader(TensorDataset(signal, activity), batch_size=32, shuffle=True), epochs=5)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
