"""Loaded adapters are trainable."""

# kind: graph
# source: https://github.com/ludwig-ai/ludwig/pull/3572
# changed: an adapter around a frozen layer; the loss is a plain cross-entropy

import hashlib

import torch
from torch import nn

class LoraLinear(nn.Module):
    def __init__(self, base, rank=4):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.lora_a = nn.Linear(base.in_features, rank, bias=False)
        self.lora_b = nn.Linear(rank, base.out_features, bias=False)
        nn.init.zeros_(self.lora_b.weight)

    def forward(self, x):
        return self.base(x) + self.lora_b(self.lora_a(x))


def load_adapter(model, weights, is_trainable):
    model.load_state_dict(weights, strict=False)
    for name, p in model.named_parameters():
        if "lora_" in name:
            p.requires_grad = is_trainable


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.0)

    def train_step(self, inputs, targets):
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(inputs), targets)
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(14)
model = nn.Sequential(LoraLinear(nn.Linear(8, 32)), nn.ReLU(), LoraLinear(nn.Linear(32, 4)))
adapter = {k: v.clone() for k, v in model.state_dict().items() if "lora_" in k}
load_adapter(model, adapter, is_trainable=True)
trainer = Trainer(model, 5e-3)
for step in range(150):
    x = torch.randn(32, 8)
    loss = trainer.train_step(x, x[:, :4].argmax(-1))
    if step % 30 == 0:
        print(step, loss)
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
