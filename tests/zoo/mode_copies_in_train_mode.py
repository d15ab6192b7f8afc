"""Copies of the trained model that run in train mode, for the training step or to set their statistics."""

import copy

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)


def network(outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, outputs))


@torch.no_grad()
def follow(average: nn.Module, model: nn.Module) -> None:
    for mine, theirs in zip(average.parameters(), model.parameters(), strict=True):
        mine.lerp_(theirs, 0.1)


def average_with_fresh_statistics() -> None:
    """The average's batch-norm runs over some batches before it is scored."""
    model = network(1)
    average = copy.deepcopy(model).requires_grad_(False).eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(3):
        for _ in range(6):
            x = torch.randn(16, 4)
            loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            follow(average, model)
        average.train()
        with torch.no_grad():
            for _ in range(4):
                average(torch.randn(16, 4))
            average.eval()
            x = torch.randn(32, 4)
            print(epoch, nn.functional.mse_loss(average(x), x.sum(1, keepdim=True)).item())


def old_policy_gathers() -> None:
    """Rollouts of a policy that is set to the new one after several steps on what it gathered."""
    policy = network(2)
    old = network(2)
    old.load_state_dict(policy.state_dict())
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    for _ in range(4):
        states, actions, log_probs = [], [], []
        with torch.no_grad():
            for _ in range(12):
                state = torch.randn(8, 4)
                dist = Categorical(logits=old(state))
                actions.append(dist.sample())
                log_probs.append(dist.log_prob(actions[-1]))
                states.append(state)
        state, action, log_prob = (torch.cat(some) for some in (states, actions, log_probs))
        reward = (action == (state[:, 0] > 0)).float()
        for _ in range(3):
            ratio = (Categorical(logits=policy(state)).log_prob(action) - log_prob).exp()
            advantage = reward - reward.mean()
            loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        old.load_state_dict(policy.state_dict())


def target_network() -> None:
    """Its targets are a part of every step; it is set to the trained one now and then."""
    model, target = network(3), network(3)
    target.load_state_dict(model.state_dict())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(16):
        x, action = torch.randn(16, 4), torch.randint(3, (16,))
        with torch.no_grad():
            goal = x[:, 0] + 0.9 * target(torch.randn(16, 4)).max(1).values
        value = model(x).gather(1, action.unsqueeze(1)).squeeze(1)
        loss = nn.functional.smooth_l1_loss(value, goal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 4 == 3:
            target.load_state_dict(model.state_dict())


average_with_fresh_statistics()
old_policy_gathers()
target_network()
