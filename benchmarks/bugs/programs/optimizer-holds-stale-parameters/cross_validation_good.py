"""Five folds; every fold starts from a fresh model."""

import hashlib

import torch
import torch.nn as nn


def make_model():
    return nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))


torch.manual_seed(31)
X = torch.randn(150, 6)
y = (X[:, :1] - X[:, 1:2]).sigmoid()
folds = torch.randperm(150).chunk(5)

criterion = nn.MSELoss()
model = make_model()
scores = []
for k, test_index in enumerate(folds):
    train_index = torch.cat([f for j, f in enumerate(folds) if j != k])
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(3):
        model.train()
        for batch in train_index[torch.randperm(len(train_index))].split(24):
            optimizer.zero_grad()
            loss = criterion(model(X[batch]), y[batch])
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        scores.append(criterion(model(X[test_index]), y[test_index]).item())
    print(f"fold {k}: mse {scores[-1]:.4f}")

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
