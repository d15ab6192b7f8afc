"""Each worker gets a copy of the dataset with the same generator inside."""

# kind: data
# source: https://github.com/TorchDSP/torchsig/pull/361
# changed: random signals with a generator that is seeded when the dataset is made

import hashlib
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Signals(Dataset):
    def __init__(self, n=192, seed=12345):
        self.n = n
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        kind = i % 3
        phase = self.rng.uniform(0, 2 * np.pi)
        t = np.arange(24) * (kind + 1) / 4
        noise = self.rng.normal(0, 0.3, 24)
        return torch.tensor(np.sin(t + phase) + noise, dtype=torch.float32), kind


def seed_worker(worker_id):
    dataset = get_worker_info().dataset
    dataset.rng = np.random.default_rng(torch.initial_seed() % 2**32)


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(Signals(), batch_size=16, shuffle=True, num_workers=2, worker_init_fn=seed_worker)
    model = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(4):
        for signal, kind in loader:
            loss = nn.functional.cross_entropy(model(signal), kind)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
