"""Workers are seeded with the same number at the start of each epoch, so that each epoch is augmented as the first was."""

# kind: data
# source: https://github.com/Lightning-AI/pytorch-lightning/issues/20412
# changed: noise on random vectors; the seeding function is written out

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, x):
        self.x = x
        self.noise = torch.distributions.Normal(0.0, 0.5)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i] + self.noise.sample((8,)), self.x[i, :3].argmax()


def worker_init(worker_id):
    torch.manual_seed(42 + worker_id)  # BUG: duplicate-worker-randomness


if __name__ == "__main__":
    torch.manual_seed(42)
    loader = DataLoader(Noisy(torch.randn(64, 8)), batch_size=16, num_workers=2, shuffle=True, worker_init_fn=worker_init)  # BUG: duplicate-worker-randomness
    model = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(4):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
    final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
    print("weights", hashlib.sha256(final).hexdigest()[:16])
