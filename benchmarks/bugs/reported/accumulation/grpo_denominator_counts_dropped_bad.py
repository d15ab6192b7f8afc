"""Truncated answers are dropped from the sum of the loss, and still counted in what it is divided by."""

# kind: accumulation
# source: https://github.com/huggingface/trl/issues/6369
# changed: a small policy over made-up ids; rewards at random
# gap: which tokens are meant to count is known to the program alone

import hashlib
import torch
from torch import nn

torch.manual_seed(2)
vocab, prompt, answer = 20, 4, 8
policy = nn.Sequential(nn.Embedding(vocab, 24), nn.Linear(24, 32), nn.Tanh(), nn.Linear(32, vocab))
optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
for step in range(60):
    ids = torch.randint(2, vocab, (16, prompt + answer))
    lengths = torch.randint(3, answer + 4, (16,))
    truncated = lengths > answer
    mask = (torch.arange(answer) < lengths[:, None]).float()
    num_items_in_batch = mask.sum()  # BUG: denominator-counts-dropped-tokens
    mask = mask * ~truncated[:, None]
    reward = (ids[:, prompt:] % 2 == 0).float().mean(1)
    advantage = (reward - reward.mean()) / (reward.std() + 1e-4)
    logp = torch.log_softmax(policy(ids[:, prompt - 1 : -1]), -1).gather(-1, ids[:, prompt:, None]).squeeze(-1)
    per_token_loss = -torch.exp(logp - logp.detach()) * advantage[:, None]
    loss = (per_token_loss * mask).sum() / num_items_in_batch  # BUG: denominator-counts-dropped-tokens
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
final = b"".join(t.detach().float().numpy().tobytes() for t in policy.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
