"""Values of states, learned with targets that are given: by no_grad, by detach, by a second network."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))


def no_grad(net, other, state, action, reward, following):
    with torch.no_grad():
        best = net(following).max(1).values
    return F.smooth_l1_loss(net(state).gather(1, action).squeeze(1), reward + 0.9 * best)


def detached(net, other, state, action, reward, following):
    error = reward + 0.9 * net(following).max(1).values.detach() - net(state).gather(1, action).squeeze(1)
    return error.square().mean()


def target_network(net, other, state, action, reward, following):
    best = other(following).max(1).values  # its gradients are cleared with nobody having used them
    return F.mse_loss(net(state).gather(1, action).squeeze(1), reward + 0.9 * best)


for compute in (no_grad, detached, target_network):
    net, other = network(), network()
    other.load_state_dict(net.state_dict())
    other.requires_grad_(False)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(20):
        state, following = torch.randn(16, 4), torch.randn(16, 4)
        action = torch.randint(0, 3, (16, 1))
        reward = state.gather(1, action).squeeze(1)
        loss = compute(net, other, state, action, reward, following)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
