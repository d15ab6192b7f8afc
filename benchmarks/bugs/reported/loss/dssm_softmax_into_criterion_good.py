"""The similarities enter CrossEntropyLoss as they are."""

# kind: loss
# source: https://github.com/nishnik/Deep-Semantic-Similarity-Model-PyTorch/issues/2
# changed: one query at a time, as in the original, on made-up bags of letters

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
J = 4


class CDSSM(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.doc = (nn.Sequential(nn.Linear(30, 24), nn.Tanh(), nn.Linear(24, 12), nn.Tanh()) for _ in "qd")
        self.learn_gamma = nn.Parameter(torch.tensor(4.0))

    def forward(self, q, pos, negs):
        q_s = self.query(q)
        documents = [self.doc(d) for d in (pos, *negs)]
        dots = torch.stack([nn.functional.cosine_similarity(q_s, d, dim=0) for d in documents])
        with_gamma = dots * self.learn_gamma
        return with_gamma


model = CDSSM()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
documents = torch.randn(120, 30)
queries = documents + 0.3 * torch.randn(120, 30)
target = torch.zeros(1, dtype=torch.long)
for i in range(200):
    index = torch.randperm(120)
    one, others = index[0], index[1 : J + 1]
    y_pred = model(queries[one], documents[one], documents[others])
    loss = criterion(y_pred.unsqueeze(0), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
