"""A rollout in the middle of training switches the policy to eval mode, and leaves it there."""

# kind: mode
# source: https://github.com/huggingface/lerobot/issues/3668
# changed: behaviour cloning of random observations in place of a robot

import hashlib

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(12, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 3)
        )

    def forward(self, batch):
        loss = nn.functional.l1_loss(self.net(batch["observation"]), batch["action"])  # BUG: training-in-eval-mode
        return loss, {"l1_loss": loss.item()}

    @torch.no_grad()
    def select_action(self, observation):
        return self.net(observation)


def eval_policy(policy, episodes=2):
    policy.eval()  # BUG: training-in-eval-mode
    total = 0.0
    for _ in range(episodes):
        observation = torch.randn(1, 12)
        for _ in range(5):
            action = policy.select_action(observation)
            total += float(-(action - observation[:, :3]).abs().sum())
            observation = observation * 0.9 + 0.01
    return {"avg_sum_reward": total / episodes}


def update_policy(policy, batch, optimizer):
    loss, info = policy.forward(batch)  # BUG: training-in-eval-mode
    loss.backward()  # BUG: training-in-eval-mode
    grad_norm = torch.nn.utils.clip_grad_norm_(policy.parameters(), 10.0)
    optimizer.step()  # BUG: training-in-eval-mode
    optimizer.zero_grad()
    return info, grad_norm.item()


torch.manual_seed(1000)
policy = Policy()
optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3, weight_decay=1e-4)
policy.train()
for step in range(1, 121):
    observation = torch.randn(32, 12)
    batch = {"observation": observation, "action": torch.tanh(observation[:, :3] + observation[:, 3:6])}
    info, norm = update_policy(policy, batch, optimizer)
    if step % 40 == 0:
        print(step, info, eval_policy(policy))
final = b"".join(t.detach().double().numpy().tobytes() for t in policy.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
