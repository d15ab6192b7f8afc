"""A loader shuffles its indexes at the end of an epoch, and never looks at them."""

# kind: data
# source: https://github.com/qubvel/segmentation_models/issues/332
# changed: a loader class of our own over random images, in PyTorch
# gap: no DataLoader: the order of samples is known from that alone

import hashlib
import numpy as np
import torch
from torch import nn


class Images:
    def __init__(self, n=192):
        rng = np.random.default_rng(0)
        self.images = rng.normal(size=(n, 1, 6, 6)).astype("float32")
        self.labels = (self.images.mean((1, 2, 3)) > 0).astype("int64")

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


class Dataloader:
    def __init__(self, dataset, batch_size=1, shuffle=False):
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.indexes = np.arange(len(dataset))
        self.on_epoch_end()

    def __getitem__(self, i):
        if i >= len(self):
            raise IndexError(i)
        data = [self.dataset[j] for j in range(i * self.batch_size, (i + 1) * self.batch_size)]  # BUG: unshuffled-training-data, same-order-every-epoch
        return [torch.from_numpy(np.stack(part)) for part in zip(*data)]

    def __len__(self):
        return len(self.indexes) // self.batch_size

    def on_epoch_end(self):
        if self.shuffle:
            self.indexes = np.random.permutation(self.indexes)


torch.manual_seed(0)
np.random.seed(0)
train_dataloader = Dataloader(Images(), batch_size=8, shuffle=True)
net = nn.Sequential(nn.Flatten(), nn.Linear(36, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(6):
    for images, labels in train_dataloader:  # BUG: unshuffled-training-data, same-order-every-epoch
        loss = nn.functional.cross_entropy(net(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    train_dataloader.on_epoch_end()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
