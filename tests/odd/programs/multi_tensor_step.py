"""foreach, fused and differentiable optimizers, maximize, and capturable state."""

import torch
from training import digest, make_net, train

torch.manual_seed(0)
for make in (
    lambda p: torch.optim.SGD(p, lr=0.1, foreach=True),
    lambda p: torch.optim.Adam(p, lr=0.01, fused=True),
    lambda p: torch.optim.AdamW(p, lr=0.01, foreach=False, amsgrad=True),
    lambda p: torch.optim.RMSprop(p, lr=0.001, centered=True),
    lambda p: torch.optim.Adagrad(p, lr=0.01),
    lambda p: torch.optim.NAdam(p, lr=0.01),
):
    model = make_net()
    optimizer = make(model.parameters())
    train(model, optimizer, 6)
    print(type(optimizer).__name__, digest(model))
