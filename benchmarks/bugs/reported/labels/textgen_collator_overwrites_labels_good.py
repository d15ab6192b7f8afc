"""The collator pads the labels that the data set gives."""

# kind: labels
# source: https://github.com/oobabooga/textgen/issues/4031
# changed: a GRU over made-up ids

import hashlib
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

pad = 0


def tokenize(text):
    prompt = len(text) // 2
    return {"input_ids": text, "labels": torch.cat([torch.full((prompt,), -100), text[prompt:]])}


def collate(features):
    input_ids = pad_sequence([f["input_ids"] for f in features], True, pad)
    labels = pad_sequence([f["labels"] for f in features], True, -100)
    return input_ids, labels


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.gru, self.head = nn.Embedding(30, 24), nn.GRU(24, 32, batch_first=True), nn.Linear(32, 30)

    def forward(self, ids, labels):
        logits = self.head(self.gru(self.embed(ids))[0])
        return nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


torch.manual_seed(0)
texts = [(torch.randint(29, ()) + torch.arange(torch.randint(6, 15, ()))) % 29 + 1 for _ in range(240)]
loader = DataLoader([tokenize(text) for text in texts], batch_size=16, shuffle=True, collate_fn=collate)
model = LM()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for epoch in range(3):
    for ids, labels in loader:
        loss = model(ids, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
