"""The scale is used in ways that look wrong: divided later, multiplied by hand, divided by hand, a direct step."""

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=256.0)


def loss_of() -> torch.Tensor:
    x = torch.randn(16, 4)
    with torch.autocast("cpu", dtype=torch.float16):
        return torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))


for step in range(20):
    optimizer.zero_grad()
    way = step % 5
    if way == 0:
        for _ in range(2):
            (scaler.scale(loss_of()) / 2).backward()
        scaler.step(optimizer)
        scaler.update()
    elif way == 1:
        (loss_of() * scaler.get_scale()).backward()
        scaler.step(optimizer)
        scaler.update()
    elif way == 2:
        scaler.scale(loss_of()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0 * scaler.get_scale())
        scaler.step(optimizer)
        scaler.update()
    elif way == 3:
        scaler.scale(loss_of()).backward()
        for p in model.parameters():
            p.grad /= scaler.get_scale()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    else:
        scaler.scale(loss_of()).backward()
        scaler.unscale_(optimizer)
        optimizer.step()
        scaler.update()
