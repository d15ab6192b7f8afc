"""The model ends in a softmax, and its output goes into CrossEntropyLoss."""

# kind: loss
# source: https://github.com/lansinuote/Huggingface_Toturials/issues/6
# changed: a small frozen encoder in place of BERT, over made-up ids

import hashlib

import torch
from torch import nn

class Pretrained(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(60, 24)
        layer = nn.TransformerEncoderLayer(24, 4, 48, batch_first=True, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, 1)

    def forward(self, input_ids):
        return self.encoder(self.embed(input_ids))


torch.manual_seed(12)
pretrained = Pretrained()
for param in pretrained.parameters():
    param.requires_grad_(False)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(24, 3)

    def forward(self, input_ids):
        with torch.no_grad():
            out = pretrained(input_ids)
        out = self.fc(out[:, 0])
        out = out.softmax(dim=1)  # BUG: softmax-before-cross-entropy
        return out


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
model.train()
for i in range(200):
    input_ids = torch.randint(0, 60, (16, 10))
    labels = input_ids[:, 0] % 3
    out = model(input_ids)
    loss = criterion(out, labels)  # BUG: softmax-before-cross-entropy
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if i % 50 == 0:
        print(i, loss.item(), (out.argmax(1) == labels).float().mean().item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
