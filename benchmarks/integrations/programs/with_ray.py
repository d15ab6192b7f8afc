"""Ray Tune: a rate that is far too high is ended."""

import torch
from ray import tune
from torch import nn

from surefoot.integrations.ray import watched


def train(config):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=config["lr"])
    x = torch.randn(256, 10)
    with watched(config, model, optimizer):
        for _ in range(100):
            loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    tune.report({"loss": loss.item()})


tuner = tune.Tuner(train, param_space={"lr": tune.grid_search([0.01, 10.0])})
for result in tuner.fit():
    print(result.config, result.metrics.get("loss"), result.error)
