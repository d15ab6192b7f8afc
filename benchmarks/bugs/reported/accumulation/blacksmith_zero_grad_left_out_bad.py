"""zero_grad was left out of the trainer."""

# kind: accumulation
# source: https://github.com/tenstorrent/tt-blacksmith/pull/711
# changed: a small language model with adapters on a CPU

import hashlib
from dataclasses import dataclass

import torch
from torch import nn

@dataclass
class TrainingConfig:
    learning_rate: float = 1e-3
    max_steps: int = 150
    batch_size: int = 16


class LoraLM(nn.Module):
    def __init__(self, vocab=24, width=32, rank=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, width).requires_grad_(False)
        self.base = nn.Linear(width, width).requires_grad_(False)
        self.a = nn.Linear(width, rank, bias=False)
        self.b = nn.Linear(rank, width, bias=False)
        nn.init.zeros_(self.b.weight)
        self.head = nn.Linear(width, vocab)

    def forward(self, ids, labels):
        h = self.embed(ids)
        h = torch.tanh(self.base(h) + 2.0 * self.b(self.a(h)))
        logits = self.head(h)
        return nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten()), logits


class Trainer:
    def __init__(self, model, config):
        self.model, self.config = model, config
        params = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(params, lr=config.learning_rate)

    def train(self):
        for step in range(self.config.max_steps):
            start = torch.randint(0, 24, (self.config.batch_size, 1))
            ids = (start + 5 * torch.arange(10)) % 24
            loss, _ = self.model(ids, ids)
            loss.backward()  # BUG: stale-gradients  ALSO: loss-oscillating, loss-diverging
            self.optimizer_step()
            if step % 50 == 0:
                print(step, loss.item())

    def optimizer_step(self):
        self.optimizer.step()  # BUG: stale-gradients  ALSO: loss-oscillating, loss-diverging


torch.manual_seed(34)
model = LoraLM()
Trainer(model, TrainingConfig()).train()
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
