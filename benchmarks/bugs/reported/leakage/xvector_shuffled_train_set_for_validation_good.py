"""The validation loader is made of the training set, and shuffles."""

# kind: leakage
# source: https://github.com/KrishnaDN/x-vector-pytorch/issues/8
# changed: random features of made-up speakers, with the loop in functions

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(14)


class SpeechDataset(Dataset):
    def __init__(self, seed, n):
        g = torch.Generator().manual_seed(seed)
        self.items = [(torch.randn(10, 6, generator=g) + (i % 4), i % 4) for i in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        x, y = self.items[i]
        return x, y


def speech_collate(batch):
    return torch.stack([b[0] for b in batch]), torch.tensor([b[1] for b in batch])


class XVector(nn.Module):
    def __init__(self):
        super().__init__()
        self.frame, self.out = nn.Linear(6, 24), nn.Linear(48, 4)

    def forward(self, x):
        h = torch.relu(self.frame(x))
        return self.out(torch.cat([h.mean(1), h.std(1)], 1))


def train(loader, epoch):
    model.train()
    for x, y in loader:
        opt.zero_grad()
        loss_fun(model(x), y).backward()
        opt.step()


def validation(loader, epoch):
    model.eval()
    with torch.no_grad():
        losses, right = [], 0
        for x, y in loader:
            out = model(x)
            losses.append(loss_fun(out, y).item())
            right += (out.argmax(1) == y).sum().item()
    print(epoch, sum(losses) / len(losses), right)


dataset_train, dataset_val = SpeechDataset(0, 240), SpeechDataset(1, 80)
dataloader_train = DataLoader(dataset_train, batch_size=24, shuffle=True, collate_fn=speech_collate)
dataloader_val = DataLoader(dataset_val, batch_size=24, shuffle=True, collate_fn=speech_collate)
model = XVector()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fun = nn.CrossEntropyLoss()
for epoch in range(6):
    train(dataloader_train, epoch)
    validation(dataloader_val, epoch)

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
