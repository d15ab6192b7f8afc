"""Deep Q-learning on a grid world, with replay memory and a target network."""

import copy
import random
import sys
from collections import deque

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
random.seed(0)
torch.manual_seed(0)
side, batch_size, gamma = 6, 32, 0.95
moves = ((0, 1), (0, -1), (1, 0), (-1, 0))


def encode(cell):
    return torch.tensor([cell[0] / side, cell[1] / side, cell[0] * cell[1] / side**2, 1.0])


def go(cell, action):
    row = min(max(cell[0] + moves[action][0], 0), side - 1)
    column = min(max(cell[1] + moves[action][1], 0), side - 1)
    arrived = (row, column) == (side - 1, side - 1)
    return (row, column), 1.0 if arrived else -0.02, arrived


q_net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
target_net = copy.deepcopy(q_net).eval()
optimizer = torch.optim.RMSprop(q_net.parameters(), lr=5e-4)
memory = deque(maxlen=5000)

cell, step, epsilon = (0, 0), 0, 1.0
while step < steps:
    state = encode(cell)
    if random.random() < epsilon:
        action = random.randrange(4)
    else:
        with torch.no_grad():
            action = q_net(state).argmax().item()
    cell, reward, done = go(cell, action)
    memory.append((state, action, reward, encode(cell), float(done)))
    if done:
        cell = (random.randrange(side - 1), random.randrange(side - 1))
    if len(memory) < batch_size:
        continue

    states, actions, rewards, next_states, dones = zip(*random.sample(memory, batch_size))
    with torch.no_grad():
        future = target_net(torch.stack(next_states)).max(dim=1).values
        goals = torch.tensor(rewards) + gamma * (1 - torch.tensor(dones)) * future
    values = q_net(torch.stack(states)).gather(1, torch.tensor(actions)[:, None]).squeeze(1)
    loss = F.smooth_l1_loss(values, goals)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(q_net.parameters(), 100)
    optimizer.step()
    if step % 100 == 0:
        target_net.load_state_dict(q_net.state_dict())
    if step % 500 == 0:
        print(f"step {step}: loss {loss.item():.5f}, epsilon {epsilon:.2f}")
    epsilon = max(0.05, epsilon * 0.999)
    step += 1

print("weights", sum(p.detach().double().abs().sum() for p in q_net.parameters()).item())
