"""Optuna: rates that are far too high are pruned."""

import optuna
import torch
from torch import nn

from surefoot.integrations.optuna import watched


def objective(trial):
    torch.manual_seed(0)
    rate = trial.suggest_float("lr", 1e-3, 1.0, log=True)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    x = torch.randn(256, 10)
    with watched(trial, model, optimizer):
        for _ in range(100):
            loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return loss.item()


study = optuna.create_study(study_name="rates", sampler=optuna.samplers.RandomSampler(seed=0))
study.optimize(objective, n_trials=8)
for trial in study.trials:
    print(trial.number, trial.state.name, f"{trial.params['lr']:.3g}", trial.user_attrs.get("surefoot", ""))
