"""The best weights are kept as copies or in a file, and put back in the middle and at the end of a run."""

import copy
import io

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)
best_loss, best, clones, file = float("inf"), None, None, None
for epoch in range(30):
    x = torch.randn(32, 4)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    if loss.item() < best_loss:
        best_loss = loss.item()
        best = copy.deepcopy(model.state_dict())
        clones = {name: value.detach().cpu().clone() for name, value in model.state_dict().items()}
        file = io.BytesIO()
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "loss": best_loss}
        torch.save(state, file)
    optimizer.step()
    scheduler.step()
    if epoch == 15:  # back to the best weights; momentum goes on
        file.seek(0)
        model.load_state_dict(torch.load(file, weights_only=True)["model"])
    if epoch == 20:  # and with it
        file.seek(0)
        checkpoint = torch.load(file, weights_only=True)
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
model.load_state_dict(best)
model.load_state_dict(clones)
