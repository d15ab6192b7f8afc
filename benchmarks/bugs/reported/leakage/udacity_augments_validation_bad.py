"""Training and validation share one data set, so that validation images are rotated and flipped at random, too."""

# kind: leakage
# source: https://github.com/udacity/deep-learning-v2-pytorch/issues/132
# changed: small random images in place of CIFAR-10
# gap: a validation set that shares its transform with training looks like any other

import hashlib

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.sampler import SubsetRandomSampler


class Images(Dataset):
    def __init__(self, transform=None):
        generator = torch.Generator().manual_seed(0)
        self.images = torch.rand(200, 3, 8, 8, generator=generator)
        self.labels = self.images.mean((2, 3)).argmax(1)
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        return (self.transform(image) if self.transform else image), self.labels[index]


def augment(image):
    if torch.rand(()) < 0.5:
        image = image.flip(-1)
    return torch.rot90(image, int(torch.randint(0, 4, ())), (1, 2)) + 0.05 * torch.randn(image.shape)


torch.manual_seed(1)
np.random.seed(1)
train_data = Images(transform=augment)  # BUG: augmented-validation
indices = list(range(len(train_data)))
np.random.shuffle(indices)
split = int(0.2 * len(train_data))
train_loader = DataLoader(train_data, batch_size=20, sampler=SubsetRandomSampler(indices[split:]))
valid_loader = DataLoader(train_data, batch_size=20, sampler=SubsetRandomSampler(indices[:split]))  # BUG: augmented-validation
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(5):
    model.train()
    for data, target in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(data), target)
        loss.backward()
        optimizer.step()
    model.eval()
    valid_loss = 0.0
    with torch.no_grad():
        for data, target in valid_loader:  # BUG: augmented-validation
            valid_loss += criterion(model(data), target).item() * data.size(0)
    print(epoch, valid_loss / split)
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
