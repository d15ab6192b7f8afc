"""Padding gets the label of a token that was not replaced, and counts in the loss of the discriminator."""

# kind: padding
# source: https://github.com/voidism/DiffCSE/issues/25
# changed: a small encoder and random replacements in place of two transformers

import hashlib

import torch
from torch import nn

PAD = 0


class Discriminator(nn.Module):
    def __init__(self, vocab=60, width=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, width, padding_idx=PAD)
        self.encoder = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.electra_head = nn.Linear(2 * width, 2)

    def forward(self, ids):
        return self.electra_head(self.encoder(self.embed(ids))[0])


def make_batch(size=16, length=14):
    ids = torch.randint(1, 60, (size, length))
    ids[:, 1::2] = (ids[:, ::2] * 3) % 59 + 1
    lengths = torch.randint(4, length + 1, (size,))
    attention_mask = (torch.arange(length) < lengths[:, None]).long()
    return ids * attention_mask, attention_mask


torch.manual_seed(0)
model = Discriminator()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
loss_fct = nn.CrossEntropyLoss()
for step in range(120):
    input_ids, attention_mask = make_batch()
    e_inputs = torch.where(torch.rand(input_ids.shape) < 0.3, torch.randint(1, 60, input_ids.shape), input_ids)
    e_inputs = e_inputs * attention_mask
    replaced = (e_inputs != input_ids) * attention_mask
    e_labels = replaced.long()
    e_labels = e_labels.masked_fill(attention_mask == 0, -100)
    prediction_scores = model(e_inputs)
    loss = loss_fct(prediction_scores.view(-1, 2), e_labels.view(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
