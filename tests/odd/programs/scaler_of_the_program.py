"""A GradScaler whose methods the program overrides, and one that is disabled, over many equal windows."""

import torch
from torch.nn import functional
from training import digest, make_batch, make_net


class Scaler(torch.amp.GradScaler):
    num = 0

    def scale(self, outputs):
        Scaler.num += 1
        return super().scale(outputs)

    def step(self, optimizer, *args, **kwargs):
        Scaler.num += 1
        return super().step(optimizer, *args, **kwargs)

    def unscale_(self, optimizer):
        Scaler.num += 1
        return super().unscale_(optimizer)


for scaler in (Scaler("cpu", init_scale=64.0, growth_interval=7), Scaler("cpu", enabled=False)):
    torch.manual_seed(0)
    model = make_net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for i in range(110):
        x, y = make_batch()
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(x)
        loss = functional.cross_entropy(out.float(), y)
        (functional.relu(scaler.scale(loss)) if i == 100 else scaler.scale([loss])[0]).backward()
        scaler.unscale_(optimizer=optimizer) if i == 99 else scaler.unscale_(optimizer)
        if i == 101:
            model[0].weight.grad.fill_(float("inf"))
        torch.nn.utils.clip_grad_value_(model.parameters(), 0.5)
        returned = scaler.step(optimizer)
        scaler.update()
    print(scaler.get_scale(), Scaler.num, returned, digest(model))
