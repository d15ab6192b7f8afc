"""A masked mean written out, one mean per micro-batch."""

import hashlib

import torch
import torch.nn as nn

torch.manual_seed(29)


class Tagger(nn.Module):
    def __init__(self, vocab=15, tags=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, 12)
        self.lstm = nn.LSTM(12, 16, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(32, tags)

    def forward(self, x):
        return self.fc(self.lstm(self.emb(x))[0])


def sample(batch, longest):
    words = torch.randint(0, 15, (batch, longest))
    mask = torch.arange(longest)[None] < torch.randint(1, longest + 1, (batch, 1))
    return words, words % 4, mask


tagger = Tagger()
optim = torch.optim.SGD(tagger.parameters(), lr=0.3)
for it in range(14):
    micro = [sample(5, longest) for longest in (4, 9, 14)]
    total = sum(mask.sum() for *_, mask in micro)
    optim.zero_grad()
    for words, tags, mask in micro:
        scores = tagger(words)[mask]
        loss = nn.functional.cross_entropy(scores, tags[mask])
        loss = loss / len(micro)
        loss.backward()  # BUG: unequal-micro-batches
    optim.step()
    if it % 5 == 0:
        print(it, loss.item())

final = b"".join(t.detach().float().numpy().tobytes() for t in tagger.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
