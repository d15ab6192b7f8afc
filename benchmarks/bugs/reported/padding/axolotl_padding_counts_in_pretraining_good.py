"""Padding is masked in the labels."""

# kind: padding
# source: https://github.com/axolotl-ai-cloud/axolotl/pull/2227
# changed: a small causal transformer over made-up ids

import hashlib
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

pad_token_id, vocab = 0, 40


def encode_pretraining(texts):
    input_ids = pad_sequence(texts, batch_first=True, padding_value=pad_token_id)
    attention_mask = (input_ids != pad_token_id).long()
    labels = input_ids.clone()
    labels[attention_mask == 0] = -100
    return {"input_ids": input_ids, "attention_mask": attention_mask, "labels": labels}


class CausalLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, 24), nn.Embedding(16, 24)
        self.layer = nn.TransformerEncoderLayer(24, 2, 48, dropout=0.0, batch_first=True)
        self.lm_head = nn.Linear(24, vocab)

    def forward(self, input_ids, attention_mask, labels):
        size = input_ids.shape[1]
        hidden = self.wte(input_ids) + self.wpe.weight[:size]
        mask = torch.triu(torch.ones(size, size, dtype=torch.bool), 1)
        hidden = self.layer(hidden, src_mask=mask, src_key_padding_mask=attention_mask == 0)
        logits = self.lm_head(hidden)
        return nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


torch.manual_seed(0)
texts = [(torch.randint(39, ()) + torch.arange(torch.randint(4, 15, ()))) % 39 + 1 for _ in range(320)]
model = CausalLM()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for step in range(60):
    batch = encode_pretraining([texts[i] for i in torch.randint(320, (16,))])
    loss = model(**batch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
