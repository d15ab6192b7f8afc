"""The mask of the loss is cut at its end, where that of the shifted labels must be cut at its start."""

# kind: labels
# source: https://github.com/verl-project/verl/pull/3287
# changed: a GRU over made-up ids; prompts of different lengths
# gap: which part of a text is prompt and which is answer is known to the program alone

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
pad, vocab, length = 0, 24, 14
embed, gru, head = nn.Embedding(vocab, 24), nn.GRU(24, 32, batch_first=True), nn.Linear(32, vocab)
model = nn.ModuleList([embed, gru, head])
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for step in range(60):
    start = torch.randint(1, vocab, (16, 1))
    input_ids = (start + torch.arange(length)) % (vocab - 1) + 1
    ends = torch.randint(9, length + 1, (16, 1))
    prompts = torch.randint(3, 7, (16, 1))
    position = torch.arange(length)
    input_ids = input_ids.masked_fill(position >= ends, pad)
    loss_mask = ((position >= prompts) & (position < ends)).float()
    loss_mask = loss_mask[:, :-1].reshape(-1)  # BUG: loss-mask-shifted  ALSO: padding-in-loss
    labels = input_ids[:, 1:].reshape(-1)
    logits = head(gru(embed(input_ids))[0])[:, :-1].reshape(-1, vocab)
    loss = nn.functional.cross_entropy(logits, labels, reduction="none") * loss_mask  # BUG: loss-mask-shifted  ALSO: padding-in-loss
    loss = loss.sum() / loss_mask.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
