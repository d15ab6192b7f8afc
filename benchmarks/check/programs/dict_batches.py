"""Batches are dicts, and the model returns an object with loss and logits, as in transformers."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(5)


@dataclass
class Output:
    loss: torch.Tensor
    logits: torch.Tensor


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 32, padding_idx=0)
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
        self.head = nn.Linear(32, 2)

    def forward(self, input_ids, attention_mask, labels=None):
        hidden = self.layer(self.embed(input_ids), src_key_padding_mask=attention_mask == 0)
        weights = attention_mask.unsqueeze(-1).float()
        logits = self.head((hidden * weights).sum(1) / weights.sum(1))
        return Output(nn.functional.cross_entropy(logits, labels), logits)


def make(num):
    samples = []
    for _ in range(num):
        length = int(torch.randint(5, 13, ()))
        ids = torch.zeros(12, dtype=torch.long)
        ids[:length] = torch.randint(1, 50, (length,))
        label = (ids[:length] < 15).sum() > length * 0.3
        samples.append({"input_ids": ids, "attention_mask": (ids > 0).long(), "labels": label.long()})
    return samples


model = Classifier()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 100))
loader = DataLoader(make(1200), batch_size=16, shuffle=True)
model.train()
for _ in range(3):
    for batch in loader:
        outputs = model(**batch)
        outputs.loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
