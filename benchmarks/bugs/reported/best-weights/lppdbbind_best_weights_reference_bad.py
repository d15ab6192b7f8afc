"""The best weights of a run are kept by reference, and are those of its end."""

# kind: best-weights
# source: https://github.com/THGLab/LP-PDBBind/pull/1
# changed: a small affinity regressor on random features

import copy
import hashlib

import torch
from torch import nn


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(model(x).squeeze(1), y).item()


def train(model, train_set, val_set, num_epochs=30):
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    best_mse, best_epoch, best_weights = float("inf"), -1, None
    for epoch in range(num_epochs):
        model.train()
        for x, y in torch.utils.data.DataLoader(train_set, batch_size=16, shuffle=True):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x).squeeze(1), y)
            loss.backward()
            optimizer.step()
        mse = evaluate(model, *val_set)
        if mse < best_mse:
            best_mse, best_epoch = mse, epoch
            best_weights = model.state_dict()  # BUG: best-weights-aliased
    model.load_state_dict(best_weights)  # BUG: best-weights-aliased
    print("best", best_epoch, best_mse)
    return model


torch.manual_seed(0)
x, val_x = torch.randn(64, 20), torch.randn(64, 20)
y, val_y = x[:, 0] + 0.5 * torch.randn(64), val_x[:, 0]
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 1))
model = train(model, torch.utils.data.TensorDataset(x, y), (val_x, val_y))
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
