"""The transform changes the stored target, so that each epoch scales it once more."""

# kind: data
# source: https://github.com/mindee/doctr/issues/840
# changed: boxes of random pages as tensors
# gap: targets in a dictionary inside a tuple are not watched, and four numbers are few to compare

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class AbstractDataset(Dataset):
    def __init__(self, n, sample_transforms=None):
        g = torch.Generator().manual_seed(0)
        self.data = []
        for _ in range(n):
            box = torch.rand(4, generator=g) * 10
            page = torch.cat([box / 10, torch.rand(8, generator=g)])
            self.data.append((page, {"boxes": box}))
        self.sample_transforms = sample_transforms

    def __len__(self):
        return len(self.data)

    def _read_sample(self, index):
        page, target = self.data[index]
        return page, target

    def __getitem__(self, index):
        page, target = self._read_sample(index)
        if self.sample_transforms is not None:
            page, target = self.sample_transforms(page, target)  # BUG: dataset-changed-in-place
        return page, target["boxes"]  # BUG: dataset-changed-in-place


def to_relative(page, target):
    target["boxes"] /= 4  # BUG: dataset-changed-in-place
    return page, target


torch.manual_seed(0)
loader = DataLoader(AbstractDataset(200, to_relative), batch_size=20, shuffle=True)  # BUG: dataset-changed-in-place
detector = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(detector.parameters(), lr=3e-3)
for epoch in range(6):
    for page, boxes in loader:  # BUG: dataset-changed-in-place
        loss = nn.functional.smooth_l1_loss(detector(page), boxes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in detector.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
