"""A masked loss averages over everything first, and multiplies the one number that is left by the mask."""

# kind: padding
# source: https://github.com/WindChimeRan/OpenJERE/issues/6
# changed: a small tagger of made-up sentences

import hashlib

import torch
from torch import nn


class MaskedBCE(nn.Module):
    def __init__(self):
        super().__init__()
        self.BCE = nn.BCEWithLogitsLoss()  # BUG: mask-after-reduction

    def forward(self, logits, gt, mask):
        loss = self.BCE(logits, gt)  # BUG: mask-after-reduction
        return torch.sum(loss.mul(mask)) / torch.sum(mask)  # BUG: mask-after-reduction


class Tagger(nn.Module):
    def __init__(self, vocab=50):
        super().__init__()
        self.embed = nn.Embedding(vocab, 24, padding_idx=0)
        self.lstm = nn.LSTM(24, 24, batch_first=True, bidirectional=True)
        self.subject = nn.Linear(48, 1)

    def forward(self, tokens):
        return self.subject(self.lstm(self.embed(tokens))[0]).squeeze(-1)


torch.manual_seed(5)
model = Tagger()
mBCE = MaskedBCE()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(120):
    tokens = torch.randint(1, 50, (16, 15))
    lengths = torch.randint(3, 16, (16,))
    mask = (torch.arange(15) < lengths[:, None]).float()
    tokens = tokens * mask.long()
    gt = ((tokens % 5 == 0) & (tokens > 0)).float()
    loss = mBCE(model(tokens), gt, mask)  # BUG: mask-after-reduction
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
