"""scaled_dot_product_attention takes part where the mask is true, and is given the padding."""

# kind: attention-mask
# source: https://github.com/InseeFrLab/torchTextClassifiers/pull/92
# changed: a small text classifier on made-up ids, with one query for each label

import hashlib
import torch
import torch.nn.functional as F
from torch import nn

PAD = 0


class LabelAttention(nn.Module):
    def __init__(self, dim, labels):
        super().__init__()
        self.queries = nn.Embedding(labels, dim)
        self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, tokens, attention_mask):
        q = self.queries.weight.expand(tokens.shape[0], -1, -1)
        mask = (attention_mask == 1).unsqueeze(1)
        return F.scaled_dot_product_attention(q, self.k(tokens), self.v(tokens), attn_mask=mask)


class TextClassifier(nn.Module):
    def __init__(self, vocab=40, dim=32, labels=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.attention = LabelAttention(dim, labels)
        self.score = nn.Linear(dim, 1)

    def forward(self, input_ids, attention_mask):
        return self.score(self.attention(self.embed(input_ids), attention_mask)).squeeze(-1)


def batch(n=32, length=10):
    ids = torch.randint(1, 40, (n, length))
    mask = (torch.arange(length) < torch.randint(3, length, (n, 1))).long()
    ids = ids * mask
    return ids, mask, (ids % 3).sum(1) % 3


torch.manual_seed(0)
net = TextClassifier()
optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
for step in range(120):
    input_ids, attention_mask, label = batch()
    label = torch.where(input_ids[:, 0] > 13, torch.where(input_ids[:, 0] > 26, 2, 1), 0)
    loss = F.cross_entropy(net(input_ids, attention_mask), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
