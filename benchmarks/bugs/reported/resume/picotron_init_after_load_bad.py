"""The checkpoint is loaded, and then the parameters are initialised."""

# kind: resume
# source: https://github.com/huggingface/picotron/issues/32
# changed: pre-training and fine-tuning in one script, on a small network

import hashlib
import math
import tempfile
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(24, 32)
        self.up_proj = nn.Linear(32, 64)
        self.down_proj = nn.Linear(64, 24)

    def forward(self, ids):
        return self.down_proj(F.silu(self.up_proj(self.embedding(ids))))


def init_model_parameters(model):
    for module in model.modules():
        if isinstance(module, nn.Linear):
            bound = math.sqrt(1.0 / module.in_features)
            nn.init.uniform_(module.weight, -bound, bound)  # BUG: initialised-after-load  ALSO: loads-its-own-weights
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, mean=0.0, std=1.0)  # BUG: initialised-after-load  ALSO: loads-its-own-weights


def load(model, path):
    model.load_state_dict(torch.load(path))  # BUG: initialised-after-load  ALSO: loads-its-own-weights
    init_model_parameters(model)  # BUG: initialised-after-load  ALSO: loads-its-own-weights
    return model


def train(model, steps):
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        ids = torch.randint(0, 24, (64,))
        loss = F.cross_entropy(model(ids), (ids * 5 + 1) % 24)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())


torch.manual_seed(0)
with tempfile.TemporaryDirectory() as name:
    path = Path(name) / "weights.pth"
    pretrained = Model()
    train(pretrained, 60)
    torch.save(pretrained.state_dict(), path)
    model = load(Model(), path)
    train(model, 60)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
