"""Accumulation and exact resume, both by options; saves every ten updates."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--accumulate", type=int, default=1)
parser.add_argument("--updates", type=int, default=300)
parser.add_argument("--resume", default="")
args = parser.parse_args()

torch.manual_seed(0)
x = torch.randn(1024, 10)
y = x[:, :3].sum(1, keepdim=True) + 0.1 * torch.randn(1024, 1)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.updates)
update = 0
if args.resume:
    state = torch.load(args.resume)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    update = state["update"]

micro, epoch = 0, 0
skip = update * args.accumulate
while update < args.updates:
    order = torch.Generator().manual_seed(epoch)
    loader = DataLoader(TensorDataset(x, y), batch_size=args.batch_size, shuffle=True, generator=order, drop_last=True)
    epoch += 1
    for inputs, targets in loader:
        micro += 1
        if micro <= skip:
            continue
        loss = nn.functional.mse_loss(model(inputs), targets) / args.accumulate
        loss.backward()
        if micro % args.accumulate:
            continue
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        update += 1
        if update % 10 == 0:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
            torch.save({**state, "scheduler": scheduler.state_dict(), "update": update}, "last.pt")
        if update == args.updates:
            break
