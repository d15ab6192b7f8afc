"""Gradients are clipped after the update that used them."""

# kind: clip
# source: https://github.com/VGraphRNN/VGRNN/issues/4
# changed: a small recurrent network over made-up graph snapshots

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.GRU(10, 16)
out = nn.Linear(16, 10)
parameters = [*rnn.parameters(), *out.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-2)
clip = 10
graphs = (torch.rand(12, 4, 10) < 0.3).float()
for k in range(60):
    optimizer.zero_grad()
    hidden, _ = rnn(graphs[:-1])
    loss = nn.functional.binary_cross_entropy_with_logits(out(hidden), graphs[1:])
    loss.backward()
    optimizer.step()  # BUG: clip-after-step
    torch.nn.utils.clip_grad_norm_(parameters, clip)  # BUG: clip-after-step
print(loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in rnn.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
