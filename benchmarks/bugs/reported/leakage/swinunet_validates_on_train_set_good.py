"""The validation loader is made of the training set."""

# kind: leakage
# source: https://github.com/HuCaoFighting/Swin-Unet/issues/135
# changed: a small segmentation head on random images

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(13)


class Slices(Dataset):
    def __init__(self, split):
        g = torch.Generator().manual_seed({"train": 0, "val": 1}[split])
        self.images = torch.randn(160 if split == "train" else 48, 1, 12, 12, generator=g)
        self.masks = (self.images[:, 0] > 0.3).long()

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return {"image": self.images[i], "label": self.masks[i]}


db_train, db_val = Slices("train"), Slices("val")
trainloader = DataLoader(db_train, batch_size=16, shuffle=True)
val_loader = DataLoader(db_val, batch_size=16, shuffle=False)
model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 2, 1))
ce = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
best = float("inf")
for epoch in range(8):
    model.train()
    for batch in trainloader:
        loss = ce(model(batch["image"]), batch["label"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    total = 0.0
    with torch.no_grad():
        for batch in val_loader:
            total += ce(model(batch["image"]), batch["label"]).item()
    best = min(best, total)

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
