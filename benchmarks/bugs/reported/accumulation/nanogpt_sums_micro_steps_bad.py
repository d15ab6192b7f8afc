"""The losses of the micro-steps are summed up and never divided by their number."""

# kind: accumulation
# source: https://github.com/karpathy/nanoGPT/issues/206
# changed: a bigram model on made-up text in place of GPT-2

import hashlib
import torch
import torch.nn as nn
from torch.nn import functional as F

gradient_accumulation_steps = 5
batch_size = 12
block_size = 16
learning_rate = 1e-3
max_iters = 60
grad_clip = 1.0

torch.manual_seed(1337)
data = torch.cumsum(torch.randint(1, 3, (5000,)), 0) % 30


def get_batch():
    ix = torch.randint(len(data) - block_size, (batch_size,))
    return torch.stack([data[i : i + block_size] for i in ix]), torch.stack([data[i + 1 : i + 1 + block_size] for i in ix])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(30, 32)
        self.mlp = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 30))

    def forward(self, idx, targets):
        logits = self.mlp(self.wte(idx))
        return logits, F.cross_entropy(logits.view(-1, 30), targets.view(-1))


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
X, Y = get_batch()
for iter_num in range(max_iters):
    for micro_step in range(gradient_accumulation_steps):
        logits, loss = model(X, Y)
        X, Y = get_batch()
        loss.backward()  # BUG: accumulation-not-averaged
    optimizer.step()  # BUG: accumulation-not-averaged
    optimizer.zero_grad(set_to_none=True)
    if iter_num % 20 == 0:
        print(iter_num, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
