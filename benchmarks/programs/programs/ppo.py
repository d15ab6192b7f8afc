"""PPO on a batch of carts with poles; a step is one minibatch update."""

import sys

import torch
from torch import nn
from torch.distributions import Categorical

steps = int(sys.argv[1])
torch.manual_seed(0)
num_envs, horizon, epochs, num_minibatches = 8, 64, 4, 4
gamma, gae_lambda, clip, entropy_weight = 0.99, 0.95, 0.2, 0.01


class CartPoles:
    """The classic control problem, for many carts at once."""

    def __init__(self, num):
        self.state = 0.1 * (torch.rand(num, 4) - 0.5)

    def step(self, action):
        x, v, angle, spin = self.state.unbind(1)
        force = 20.0 * action.float() - 10.0
        sin, cos = angle.sin(), angle.cos()
        push = (force + 0.05 * spin**2 * sin) / 1.1
        turn = (9.8 * sin - cos * push) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
        accel = push - 0.05 * turn * cos / 1.1
        state = torch.stack([x + 0.02 * v, v + 0.02 * accel, angle + 0.02 * spin, spin + 0.02 * turn], dim=1)
        done = (state[:, 0].abs() > 2.4) | (state[:, 2].abs() > 0.21)
        fresh = 0.1 * (torch.rand_like(state) - 0.5)
        self.state = torch.where(done[:, None], fresh, state)
        return self.state, torch.ones(len(done)), done.float()


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.policy = nn.Linear(64, 2)
        self.value = nn.Linear(64, 1)

    def forward(self, state):
        hidden = self.body(state)
        return Categorical(logits=self.policy(hidden)), self.value(hidden).squeeze(-1)


@torch.no_grad()
def rollout(agent, envs):
    rows = []
    state = envs.state
    for _ in range(horizon):
        policy, value = agent(state)
        action = policy.sample()
        next_state, reward, done = envs.step(action)
        rows.append((state, action, policy.log_prob(action), value, reward, done))
        state = next_state
    states, actions, log_probs, values, rewards, dones = (torch.stack(column) for column in zip(*rows))
    next_value = agent(state)[1]
    advantages = torch.zeros_like(rewards)
    running = torch.zeros(num_envs)
    for t in reversed(range(horizon)):
        delta = rewards[t] + gamma * next_value * (1 - dones[t]) - values[t]
        running = delta + gamma * gae_lambda * (1 - dones[t]) * running
        advantages[t], next_value = running, values[t]
    return [part.flatten(0, 1) for part in (states, actions, log_probs, advantages, advantages + values)]


agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4, eps=1e-5)
envs = CartPoles(num_envs)
step = 0
while step < steps:
    states, actions, old_log_probs, advantages, returns = rollout(agent, envs)
    for _ in range(epochs):
        for part in torch.randperm(num_envs * horizon).chunk(num_minibatches):
            if step == steps:
                break
            policy, value = agent(states[part])
            advantage = (advantages[part] - advantages[part].mean()) / (advantages[part].std() + 1e-8)
            ratio = (policy.log_prob(actions[part]) - old_log_probs[part]).exp()
            policy_loss = -torch.min(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()
            value_loss = 0.5 * (value - returns[part]).pow(2).mean()
            loss = policy_loss + 0.5 * value_loss - entropy_weight * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
            if step % 200 == 0:
                print(f"step {step}: policy {policy_loss.item():.4f}, value {value_loss.item():.4f}")
            step += 1

print("weights", sum(p.detach().double().abs().sum() for p in agent.parameters()).item())
