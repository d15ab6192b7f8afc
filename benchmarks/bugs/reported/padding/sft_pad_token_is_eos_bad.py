"""Padding is the end token, and the labels are the input ids as they are."""

# kind: padding
# source: https://github.com/open-jarvis/OpenJarvis/pull/521
# changed: a GRU language model that takes labels as Hugging Face models do, in place of a LoRA fine-tune

import hashlib
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    vocab: int = 32
    hidden: int = 48
    max_length: int = 20
    eos: int = 1
    lr: float = 2e-3
    steps: int = 100
    batch_size: int = 16


class Output:
    def __init__(self, loss, logits):
        self.loss, self.logits = loss, logits


class CausalLM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.hidden)
        self.rnn = nn.GRU(cfg.hidden, cfg.hidden, batch_first=True)
        self.head = nn.Linear(cfg.hidden, cfg.vocab)

    def forward(self, input_ids, attention_mask=None, labels=None):
        hidden, _ = self.rnn(self.embed(input_ids))
        logits = self.head(hidden)
        shifted = labels[:, 1:].reshape(-1)
        loss = F.cross_entropy(logits[:, :-1].reshape(-1, logits.shape[-1]), shifted)  # BUG: padding-in-loss
        return Output(loss, logits)


class SFTTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = CausalLM(cfg)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)

    def tokenize(self, texts):
        ids = torch.full((len(texts), self.cfg.max_length), self.cfg.eos)
        mask = torch.zeros_like(ids)
        for i, text in enumerate(texts):
            ids[i, : len(text)] = text
            mask[i, : len(text) + 1] = 1
        return ids, mask

    def train(self, texts):
        for step in range(self.cfg.steps):
            picks = torch.randint(0, len(texts), (self.cfg.batch_size,)).tolist()
            input_ids, attention_mask = self.tokenize([texts[i] for i in picks])
            labels = input_ids  # BUG: padding-in-loss
            outputs = self.model(input_ids=input_ids, attention_mask=attention_mask, labels=labels)
            outputs.loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
        print("loss", outputs.loss.item())


torch.manual_seed(0)
texts = [(torch.arange(int(n)) * int(k)) % 30 + 2 for n, k in torch.stack([torch.randint(3, 9, (200,)), torch.randint(1, 7, (200,))], 1)]
trainer = SFTTrainer(Config())
trainer.train(texts)
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
