"""Losses of sequences written out with gather: masked, of clamped labels, of sampled tokens with advantages."""

import torch
from torch import nn

torch.manual_seed(0)
WORDS, WIDTH, PAD, END = 20, 16, 0, 1


class LanguageModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.positions = nn.Embedding(32, WIDTH)
        self.layer = nn.TransformerEncoderLayer(WIDTH, 2, 32, dropout=0.0, batch_first=True)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, ids):
        length = ids.shape[1]
        causal = torch.ones(length, length, dtype=torch.bool).triu(1)
        x = self.embedding(ids) + self.positions(torch.arange(length))
        return self.head(self.layer(x, src_mask=causal, src_key_padding_mask=ids == PAD)).log_softmax(-1)


def padded():
    """Every text ends with the same token, and padding follows it."""
    texts = [torch.cat([torch.randint(2, WORDS, (int(n),)), torch.tensor([END])]) for n in torch.randint(4, 13, (8,))]
    return nn.utils.rnn.pad_sequence(texts, batch_first=True, padding_value=PAD)


def masked_mean(model):
    ids = padded()
    mask = (ids[:, 1:] != PAD).float()
    picked = model(ids[:, :-1]).gather(-1, ids[:, 1:, None])[..., 0]
    return -(picked * mask).sum() / mask.sum()


def per_sequence(model):
    ids = padded()
    mask = ids[:, 1:] != PAD
    picked = model(ids)[:, :-1].gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)
    return -(picked.masked_fill(~mask, 0.0).sum(1) / mask.sum(1)).mean()


def clamped_labels(model):
    ids = padded()
    labels = ids.masked_fill(ids == PAD, -100)[:, 1:]
    picked = model(ids)[:, :-1].gather(2, labels.clamp(min=0)[..., None]).squeeze(2)
    return -picked[labels != -100].mean()


def sampled(model):
    """Tokens that the model wrote, weighted by advantages, as in policy gradients."""
    ids = torch.randint(2, WORDS, (8, 10))
    advantages = torch.randn(8, 1)
    return -(model(ids)[:, :-1].gather(2, ids[:, 1:, None]).squeeze(2) * advantages).mean()


def copied(model):
    """The rest of a row repeats its start: positions are predicted from afar, with the right shift."""
    half = torch.randint(2, WORDS, (8, 6))
    ids = torch.cat([half, half], 1)
    return -model(ids[:, :-1]).gather(2, ids[:, 1:, None]).mean()


for loss_of in (masked_mean, per_sequence, clamped_labels, sampled, copied):
    model = LanguageModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(10):
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
