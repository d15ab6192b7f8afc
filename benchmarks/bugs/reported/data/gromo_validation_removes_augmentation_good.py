"""The second part is cut from a copy of the data set."""

# kind: data
# source: https://github.com/growingnet/gromo/pull/58
# changed: flips of random images

import copy
import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split


class Images(Dataset):
    def __init__(self, images, transform=None):
        self.images, self.transform = images, transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = self.images[i]
        label = int(image[0].mean() > image[1].mean())
        return (self.transform(image) if self.transform else image), label


def augment(image):
    return torch.flip(image, [2]) if torch.rand(()) < 0.5 else image + 0.1 * torch.randn_like(image)


torch.manual_seed(0)
train_set, val_set = random_split(Images(torch.randn(192, 2, 6, 6)), [160, 32])
train_set.dataset.transform = augment
val_set.dataset = copy.copy(val_set.dataset)
val_set.dataset.transform = None
model = nn.Sequential(nn.Conv2d(2, 8, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(288, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
for epoch in range(4):
    model.train()
    for x, y in DataLoader(train_set, batch_size=16, shuffle=True):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        correct = sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(val_set, batch_size=16))
    print(epoch, correct / len(val_set))
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
