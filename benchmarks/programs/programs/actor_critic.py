"""Soft actor-critic on a point that seeks the origin: actor, two critics and temperature, an optimizer each."""

import copy
import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)
batch_size, gamma, tau, target_entropy = 64, 0.98, 0.005, -2.0


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, outputs))


actor, critic_1, critic_2 = mlp(2, 4), mlp(4, 1), mlp(4, 1)
target_1, target_2 = copy.deepcopy(critic_1).requires_grad_(False), copy.deepcopy(critic_2).requires_grad_(False)
log_alpha = torch.zeros(1, requires_grad=True)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=3e-4)
critic_1_optimizer = torch.optim.Adam(critic_1.parameters(), lr=3e-4)
critic_2_optimizer = torch.optim.Adam(critic_2.parameters(), lr=3e-4)
alpha_optimizer = torch.optim.Adam([log_alpha], lr=3e-4)


def act(state):
    mean, log_std = actor(state).chunk(2, dim=-1)
    normal = torch.distributions.Normal(mean, log_std.clamp(-5, 2).exp())
    raw = normal.rsample()
    action = torch.tanh(raw)
    log_prob = (normal.log_prob(raw) - torch.log(1 - action.pow(2) + 1e-6)).sum(-1, keepdim=True)
    return action, log_prob


memory = torch.zeros(10_000, 7)
size = 0
position = torch.randn(1, 2)
for step in range(steps):
    with torch.no_grad():
        action, _ = act(position)
        arrived = position + 0.2 * action
        reward = -arrived.norm(dim=1, keepdim=True)
        memory[size % len(memory)] = torch.cat([position, action, reward, arrived], dim=1)
        size += 1
        position = torch.randn(1, 2) if size % 50 == 0 else arrived
    batch = memory[torch.randint(0, min(size, len(memory)), (batch_size,))]
    state, action, reward, next_state = batch[:, :2], batch[:, 2:4], batch[:, 4:5], batch[:, 5:]
    alpha = log_alpha.exp().detach()

    with torch.no_grad():
        next_action, next_log_prob = act(next_state)
        next_pair = torch.cat([next_state, next_action], dim=1)
        goal = reward + gamma * (torch.min(target_1(next_pair), target_2(next_pair)) - alpha * next_log_prob)
    pair = torch.cat([state, action], dim=1)
    for critic, optimizer in ((critic_1, critic_1_optimizer), (critic_2, critic_2_optimizer)):
        critic_loss = F.mse_loss(critic(pair), goal)
        optimizer.zero_grad()
        critic_loss.backward()
        optimizer.step()

    new_action, log_prob = act(state)
    pair = torch.cat([state, new_action], dim=1)
    actor_loss = (alpha * log_prob - torch.min(critic_1(pair), critic_2(pair))).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()

    alpha_loss = -(log_alpha * (log_prob.detach() + target_entropy)).mean()
    alpha_optimizer.zero_grad()
    alpha_loss.backward()
    alpha_optimizer.step()

    with torch.no_grad():
        for net, target in ((critic_1, target_1), (critic_2, target_2)):
            for p, q in zip(net.parameters(), target.parameters()):
                q.lerp_(p, tau)
    if step % 200 == 0:
        print(f"step {step}: critic {critic_loss.item():.4f}, actor {actor_loss.item():.4f}")

weights = [*actor.parameters(), *critic_1.parameters(), *critic_2.parameters(), log_alpha]
print("weights", sum(p.detach().double().abs().sum() for p in weights).item())
