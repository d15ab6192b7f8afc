"""Some batches consist of padding only."""

import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
vocab, pad = 10, 0
emb, head = nn.Embedding(vocab, 16), nn.Linear(16, vocab)
optimizer = torch.optim.SGD([*emb.parameters(), *head.parameters()], lr=0.1)
for step in range(20):
    ids = torch.randint(1, vocab, (8, 6))
    target = (ids + 1) % vocab
    target[target == 0] = 1
    if step % 5 == 4:
        target[:] = pad
    logits = head(emb(ids))
    loss = F.cross_entropy(
        logits.view(-1, vocab), target.view(-1), ignore_index=pad, reduction="sum"
    )  # BUG: no-valid-targets
    loss = loss / max(1, int((target != pad).sum()))
    optimizer.zero_grad()
    loss.backward()  # BUG: no-valid-targets
    optimizer.step()
print(loss.item())
models = (emb, head)
final = b"".join(t.detach().float().numpy().tobytes() for m in models for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
