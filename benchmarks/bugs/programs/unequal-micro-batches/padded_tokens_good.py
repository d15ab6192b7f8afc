"""Language-model loss with padding, accumulated over micro-batches."""

import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(17)
VOCAB, PAD, LENGTH = 20, 0, 12
IGNORE = -100


def make_batch(size=6):
    tokens = torch.randint(1, VOCAB, (size, LENGTH + 1))
    tokens[:, 1:] = (tokens[:, :1] + torch.arange(1, LENGTH + 1)) % (VOCAB - 1) + 1
    lengths = torch.randint(2, LENGTH + 1, (size,))
    targets = tokens[:, 1:].clone()
    targets[torch.arange(LENGTH)[None, :] >= lengths[:, None]] = IGNORE
    return tokens[:, :-1], targets


class RNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, 16)
        self.gru = nn.GRU(16, 32, batch_first=True)
        self.out = nn.Linear(32, VOCAB)

    def forward(self, ids):
        hidden, _ = self.gru(self.embed(ids))
        return self.out(hidden)


model = RNN()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
accumulation = 4

for update in range(15):
    batches = [make_batch() for _ in range(accumulation)]
    num_tokens = sum((targets != IGNORE).sum() for _, targets in batches)
    for ids, targets in batches:
        logits = model(ids)
        loss = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=IGNORE, reduction="sum")
        (loss / num_tokens).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    if update % 5 == 0:
        print(update, loss.item())

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
