"""A DataLoader with workers, persistent and not, whose workers tell their seeds."""

import torch
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset, get_worker_info
from training import digest, make_net


class Noise(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        return torch.randn(8), i, get_worker_info().seed


torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
seen = []
for persistent in (True, False):
    loader = DataLoader(Noise(), batch_size=6, shuffle=True, num_workers=2, persistent_workers=persistent)
    for _ in range(2):
        for x, i, seed in loader:
            optimizer.zero_grad()
            functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
            optimizer.step()
            seen.append((i.tolist(), seed.tolist()))
print(digest(seen), digest(model))
