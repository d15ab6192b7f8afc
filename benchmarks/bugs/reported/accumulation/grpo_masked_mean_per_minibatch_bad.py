"""A masked mean divides by the response tokens of the micro-batch in place of those of the whole batch."""

# kind: accumulation
# source: https://github.com/allenai/open-instruct/pull/1161
# changed: a policy over made-up states; rewards, masks and accumulation as reported
# gap: a mean over the response tokens of each micro-batch is what some methods ask for

import hashlib
import torch
from torch import nn


def masked_mean(values, mask, denominator=None):
    if denominator is None:
        denominator = mask.sum()
    return (values * mask).sum() / denominator


class Policy(nn.Module):
    def __init__(self, vocab=20, dim=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Linear(dim, vocab)

    def log_probs(self, tokens):
        hidden, _ = self.rnn(self.embed(tokens[:, :-1]))
        return self.head(hidden).log_softmax(-1).gather(-1, tokens[:, 1:, None]).squeeze(-1)


torch.manual_seed(4)
policy = Policy()
optim = torch.optim.AdamW(policy.parameters(), lr=1e-3)
num_mini_batches = 4
for update in range(40):
    tokens = torch.randint(0, 20, (num_mini_batches, 2, 17))
    lengths = torch.randint(2, 17, (num_mini_batches, 2, 1))
    response_masks = (torch.arange(16) < lengths).float()
    rewards = (tokens == 7).float().mean(-1)
    advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
    for i in range(num_mini_batches):
        new_logprobs = policy.log_probs(tokens[i])
        ratio = torch.exp(new_logprobs - new_logprobs.detach())
        pg_loss = torch.max(-advantages[i, :, None] * ratio, -advantages[i, :, None] * ratio.clamp(0.8, 1.2))
        loss = masked_mean(pg_loss, response_masks[i])
        loss = loss / num_mini_batches
        loss.backward()  # BUG: unequal-micro-batches
    optim.step()  # BUG: unequal-micro-batches
    optim.zero_grad()
    if update % 10 == 0:
        print(update, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in policy.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
