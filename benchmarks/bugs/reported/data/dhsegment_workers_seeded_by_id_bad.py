"""Workers seed numpy with their number alone, so that every epoch is augmented in the same way."""

# kind: data
# source: https://github.com/dhlab-epfl/dhSegment-torch/pull/5
# changed: noisy vectors in place of page images

import hashlib

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pages(Dataset):
    def __init__(self, size=96):
        rng = np.random.default_rng(0)
        self.pages = rng.standard_normal((size, 16)).astype(np.float32)
        self.labels = (self.pages[:, :4].sum(1) > 0).astype(np.int64)

    def __len__(self):
        return len(self.pages)

    def __getitem__(self, index):
        page = self.pages[index]
        if np.random.random() < 0.5:
            page = page[::-1].copy()
        page = page + np.random.normal(0, 0.1, page.shape).astype(np.float32)  # BUG: duplicate-worker-randomness
        return page.astype(np.float32), self.labels[index]


def init_fn(worker_id):
    np.random.seed(worker_id)  # BUG: duplicate-worker-randomness


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(Pages(), batch_size=8, shuffle=True, num_workers=2, worker_init_fn=init_fn)  # BUG: duplicate-worker-randomness
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(4):
        for page, label in loader:  # BUG: duplicate-worker-randomness
            loss = nn.functional.cross_entropy(model(page), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
    final = b"".join(t.detach().numpy().tobytes() for t in model.state_dict().values())
    print("weights", hashlib.sha256(final).hexdigest()[:16])
