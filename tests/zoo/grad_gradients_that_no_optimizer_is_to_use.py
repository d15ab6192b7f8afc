"""Gradients for adversarial inputs, for an importance of weights, for updates by hand: the optimizer at hand rests."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)


def build() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    model = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.Tanh(), torch.nn.Linear(12, 3))
    return model, torch.optim.Adam(model.parameters(), lr=1e-3)


x = torch.randn(32, 6)
y = x[:, :3].argmax(1)

model, optimizer = build()
for _ in range(12):  # an attack; gradients of the weights come about beside that of the input
    attacked = x.clone().requires_grad_()
    F.cross_entropy(model(attacked), y).backward()
    x = (x + 0.01 * attacked.grad.sign()).detach()

model, optimizer = build()
importance = {name: torch.zeros_like(p) for name, p in model.named_parameters()}
for inputs, label in zip(x, y, strict=True):  # the diagonal of a Fisher matrix
    optimizer.zero_grad()
    F.cross_entropy(model(inputs[None]), label[None]).backward()
    for name, p in model.named_parameters():
        importance[name] += p.grad.square()

model, optimizer = build()
for _ in range(20):  # plain descent, written out
    model.zero_grad()
    F.cross_entropy(model(x), y).backward()
    with torch.no_grad():
        for p in model.parameters():
            p.data -= 0.1 * p.grad
