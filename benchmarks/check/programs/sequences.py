"""A recurrent network that classifies sequences, with a Dataset of its own."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(3)


class Waves(Dataset):
    def __init__(self, num):
        self.kinds = torch.randint(0, 3, (num,))
        self.noise = 0.3 * torch.randn(num, 20, 2)
        self.phase = 6.28 * torch.rand(num)

    def __len__(self):
        return len(self.kinds)

    def __getitem__(self, i):
        t = torch.arange(20) * (0.3 + 0.4 * self.kinds[i]) + self.phase[i]
        return self.noise[i] + torch.stack([t.sin(), t.cos()], 1), self.kinds[i]


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(2, 24, batch_first=True)
        self.out = nn.Linear(24, 3)

    def forward(self, x):
        states, _ = self.rnn(x)
        return self.out(states[:, -1])


model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()
for _ in range(4):
    for x, y in DataLoader(Waves(800), batch_size=32, shuffle=True):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
