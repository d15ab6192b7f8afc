"""__getitem__ normalises and flips the stored image itself."""

# kind: data
# source: https://github.com/facebookresearch/pycls/pull/21
# changed: random images in place of CIFAR

import hashlib
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

MEAN, SD = 0.6, 0.25


class Cifar(Dataset):
    def __init__(self, n=240):
        rng = np.random.default_rng(3)
        self._labels = rng.integers(0, 3, n)
        self._inputs = rng.random((n, 3, 6, 6)).astype(np.float32)
        self._inputs[np.arange(n), self._labels] += 0.3

    def __len__(self):
        return len(self._inputs)

    def _transform(self, im):
        for i in range(3):
            im[i] -= MEAN
            im[i] /= SD
        if np.random.uniform() < 0.5:
            im = im[:, :, ::-1].copy()
        return im

    def __getitem__(self, index):
        im, label = self._inputs[index].copy(), self._labels[index]
        return self._transform(im), label


torch.manual_seed(0)
np.random.seed(0)
loader = DataLoader(Cifar(), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Conv2d(3, 12, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
for epoch in range(4):
    for inputs, labels in loader:
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
