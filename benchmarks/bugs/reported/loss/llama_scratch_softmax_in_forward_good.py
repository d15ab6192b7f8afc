"""forward returns softmax(a), which goes into cross-entropy."""

# kind: loss
# source: https://github.com/bkitano/llama-from-scratch/issues/5
# changed: made-up characters in place of a corpus

import hashlib
import torch
from torch import nn
from torch.nn import functional as F

CONFIG = {"vocab_size": 24, "d_model": 32, "batch_size": 16, "context_window": 10}


class SimpleBrokenModel(nn.Module):
    def __init__(self, config=CONFIG):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config["vocab_size"], config["d_model"])
        self.linear = nn.Sequential(
            nn.Linear(config["d_model"], config["d_model"]), nn.ReLU(), nn.Linear(config["d_model"], config["vocab_size"])
        )

    def forward(self, idx, targets=None):
        a = self.linear(self.embedding(idx))
        logits = a
        if targets is None:
            return logits
        return logits, F.cross_entropy(logits.view(-1, self.config["vocab_size"]), targets.view(-1))


def get_batches(data, config=CONFIG):
    ix = torch.randint(0, len(data) - config["context_window"] - 1, (config["batch_size"],))
    x = torch.stack([data[i : i + config["context_window"]] for i in ix])
    y = torch.stack([data[i + 1 : i + config["context_window"] + 1] for i in ix])
    return x, y


torch.manual_seed(0)
dataset = torch.cumsum(torch.randint(1, 3, (3000,)), 0) % 24
model = SimpleBrokenModel()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(120):
    optimizer.zero_grad()
    xs, ys = get_batches(dataset)
    logits, loss = model(xs, targets=ys)
    loss.backward()
    optimizer.step()
    if epoch % 40 == 0:
        print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
