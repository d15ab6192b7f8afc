"""The best weights are kept as a shallow copy of the dict."""

# kind: best-weights
# source: https://github.com/WMD-group/SMACT/pull/601
# changed: a small regressor on random compositions, with early stopping as in the original

import hashlib
import tempfile
from pathlib import Path
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(16)
x = torch.rand(400, 10)
y = (x[:, :3].sum(1, keepdim=True) - 1.5) + 0.3 * torch.randn(400, 1)
train_set, val_set = random_split(TensorDataset(x, y), [320, 80])
train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
val_loader = DataLoader(val_set, batch_size=80)
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
best_val_loss, best_state_dict, waited = float("inf"), None, 0
for epoch in range(30):
    model.train()
    for xb, yb in train_loader:
        optimizer.zero_grad()
        nn.functional.l1_loss(model(xb), yb).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        val_loss = sum(nn.functional.l1_loss(model(a), b).item() for a, b in val_loader)
    scheduler.step(val_loss)
    if val_loss < best_val_loss:
        best_val_loss, waited = val_loss, 0
        best_state_dict = model.state_dict().copy()  # BUG: best-weights-aliased
    else:
        waited += 1
        if waited > 8:
            break
with tempfile.TemporaryDirectory() as folder:
    torch.save({"state_dict": best_state_dict, "val": best_val_loss}, Path(folder, "best.pt"))  # BUG: best-weights-aliased

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
