"""The training loader is made without shuffle=True."""

# kind: data
# source: https://github.com/joaoamcarvalho/mpd-public/issues/6
# changed: random trajectories in place of recorded ones
# gap: a data set named Trajectories is taken for one whose order is meant

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split


class Trajectories(Dataset):
    def __init__(self, n=320):
        g = torch.Generator().manual_seed(1)
        self.start = torch.randn(n, 4, generator=g)
        self.goal = self.start.flip(1) + 0.1 * torch.randn(n, 4, generator=g)

    def __len__(self):
        return len(self.start)

    def __getitem__(self, i):
        return {"start": self.start[i], "goal": self.goal[i]}


def get_dataset(batch_size=16, val_set_size=0.1):
    full = Trajectories()
    train_subset, val_subset = random_split(full, [1 - val_set_size, val_set_size])
    train_dataloader = DataLoader(train_subset, batch_size=batch_size)  # BUG: unshuffled-training-data
    val_dataloader = DataLoader(val_subset, batch_size=batch_size)
    return train_dataloader, val_dataloader


torch.manual_seed(0)
train_dataloader, val_dataloader = get_dataset()
model = nn.Sequential(nn.Linear(4, 32), nn.SiLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(6):
    model.train()
    for batch in train_dataloader:  # BUG: unshuffled-training-data
        loss = nn.functional.mse_loss(model(batch["start"]), batch["goal"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        val = sum(nn.functional.mse_loss(model(b["start"]), b["goal"]).item() for b in val_dataloader) / len(val_dataloader)
    print(epoch, loss.item(), val)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
