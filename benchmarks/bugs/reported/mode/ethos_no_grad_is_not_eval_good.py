"""The loss is estimated under inference_mode, and eval() is nowhere called."""

# kind: mode
# source: https://github.com/ipolharvard/ethos-ares/issues/20
# changed: a small GPT on made-up event streams

import hashlib
import torch
import torch.nn.functional as F
from torch import nn


class GPT(nn.Module):
    def __init__(self, vocab=30, dim=32, dropout=0.3):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        layer = nn.TransformerEncoderLayer(dim, 4, 64, dropout=dropout, batch_first=True)
        self.blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(dim, vocab)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.head(self.blocks(self.embed(x), mask=mask, is_causal=True))


def timelines(n, g):
    start = torch.randint(0, 30, (n, 1), generator=g)
    jumps = torch.randint(1, 3, (n, 16), generator=g)
    return (start + jumps.cumsum(1)) % 30


@torch.inference_mode()
def estimate_loss(model, g, iters=3):
    model.eval()
    losses = []
    for _ in range(iters):
        batch = timelines(16, g)
        logits = model(batch[:, :-1])
        losses.append(F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten()).item())
    model.train()
    return sum(losses) / len(losses)


torch.manual_seed(0)
train_rng, val_rng = torch.Generator().manual_seed(1), torch.Generator().manual_seed(2)
model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(100):
    if step % 25 == 0 and step:
        print(step, "val", estimate_loss(model, val_rng))
    batch = timelines(16, train_rng)
    loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
