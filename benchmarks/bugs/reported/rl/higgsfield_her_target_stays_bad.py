"""The target network gets the weights of the Q-network once, before training, and never again."""

# kind: rl
# source: https://github.com/higgsfield-ai/higgsfield/issues/14
# changed: the bit-flipping game with random play, without hindsight goals

import hashlib
import random
from collections import deque

import torch
from torch import nn

num_bits = 5


class Model(nn.Module):
    def __init__(self, num_inputs, num_outputs):
        super().__init__()
        self.linear1 = nn.Linear(num_inputs, 64)
        self.linear2 = nn.Linear(64, num_outputs)

    def forward(self, state, goal):
        x = torch.cat([state, goal], 1)
        return self.linear2(torch.relu(self.linear1(x)))


def update_target(current_model, target_model):
    target_model.load_state_dict(current_model.state_dict())


def compute_td_error(batch_size):
    batch = random.sample(buffer, batch_size)
    state, action, reward, next_state, done, goal = (torch.stack(part) for part in zip(*batch))
    q_values = model(state, goal)
    q_value = q_values.gather(1, action.unsqueeze(1)).squeeze(1)
    next_q_values = target_model(next_state, goal)  # BUG: target-never-moved
    next_q_value = next_q_values.max(1)[0].detach()
    expected = reward + 0.99 * next_q_value * (1 - done)
    loss = (q_value - expected).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # BUG: target-never-moved
    return loss


torch.manual_seed(0)
random.seed(0)
buffer = deque(maxlen=2000)
model = Model(2 * num_bits, num_bits)
target_model = Model(2 * num_bits, num_bits)
update_target(model, target_model)  # BUG: target-never-moved
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
losses = []
for episode in range(60):
    state = torch.randint(0, 2, (num_bits,)).float()
    goal = torch.randint(0, 2, (num_bits,)).float()
    for _ in range(num_bits):
        action = torch.tensor(random.randrange(num_bits))
        next_state = state.clone()
        next_state[action] = 1 - next_state[action]
        done = torch.tensor(float(bool((next_state == goal).all())))
        buffer.append((state, action, done - 1, next_state, done, goal))
        state = next_state
        if done:
            break
    if len(buffer) > 40:
        for _ in range(4):
            losses.append(compute_td_error(32).item())
print(sum(losses[-20:]) / 20)
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
