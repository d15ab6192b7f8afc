"""Full-batch training, where each step is an epoch, repeated for several seeds: the rate dies, as was asked for."""

import torch

x = torch.randn(32, 4, generator=torch.Generator().manual_seed(0))


def train(seed):
    torch.manual_seed(seed)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.1)
    for _ in range(15):
        noisy = x + 0.01 * torch.randn_like(x)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(noisy), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        scheduler.step()
    return model


models = [train(seed) for seed in range(3)]
for seed in range(3):
    train(seed)
