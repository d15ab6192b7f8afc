"""F.dropout is called without telling it the mode."""

# kind: mode
# source: https://github.com/facebookresearch/DME/issues/3
# changed: sums of two small embeddings of made-up words

import argparse
import hashlib
import torch
from torch import nn
import torch.nn.functional as F


class Embedder(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.args = args
        self.tables = nn.ModuleList(nn.Embedding(80, 12) for _ in range(2))
        self.attention = nn.Linear(12, 1)

    def forward(self, words):
        out = torch.stack([table(words) for table in self.tables], 2)
        out = (torch.softmax(self.attention(out), 2) * out).sum(2)
        if self.args.emb_dropout > 0.0:
            out = F.dropout(out, p=self.args.emb_dropout)  # BUG: dropout-active-in-eval
        return out


class Classifier(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.embedder = Embedder(args)
        self.lstm = nn.LSTM(12, 16, batch_first=True)
        self.out = nn.Linear(16, 2)

    def forward(self, words):
        return self.out(self.lstm(self.embedder(words))[0].max(1).values)


torch.manual_seed(0)
words = torch.randint(0, 80, (400, 8))
labels = (words[:, 3] > 40).long()
model = Classifier(argparse.Namespace(emb_dropout=0.2))
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
for epoch in range(4):
    model.train()
    for index in torch.randperm(320).split(32):
        loss = F.cross_entropy(model(words[index]), labels[index])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        correct = sum((model(words[i : i + 40]).argmax(1) == labels[i : i + 40]).sum().item() for i in (320, 360))  # BUG: dropout-active-in-eval
    print(epoch, correct / 80)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
