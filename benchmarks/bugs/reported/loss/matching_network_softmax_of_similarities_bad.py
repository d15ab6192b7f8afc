"""Attention over the support set gives class probabilities, and cross_entropy takes them for logits."""

# kind: loss
# source: https://github.com/gitabcworld/MatchingNetworks/issues/5
# changed: episodes of random clusters; a small embedding network

import hashlib

import torch
import torch.nn.functional as F
from torch import nn

class AttentionalClassify(nn.Module):
    def forward(self, similarities, support_y):
        attention = similarities.softmax(-1)
        return torch.bmm(attention.unsqueeze(1), support_y).squeeze(1)


class MatchingNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.g = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 16))
        self.classify = AttentionalClassify()

    def forward(self, support_x, support_y, target_x, target_y):
        support, target = self.g(support_x), self.g(target_x)
        similarities = F.cosine_similarity(support, target.unsqueeze(1), dim=-1)
        preds = self.classify(10 * similarities, support_y)
        accuracy = (preds.argmax(1) == target_y).float().mean()
        return accuracy, F.cross_entropy(preds, target_y)  # BUG: softmax-before-cross-entropy


def episode(batch, ways=5, shots=2):
    centres = torch.randn(batch, ways, 12)
    classes = torch.arange(ways).repeat_interleave(shots)
    support = centres[:, classes] + 0.7 * torch.randn(batch, ways * shots, 12)
    onehot = F.one_hot(classes, ways).float().expand(batch, -1, -1)
    target_y = torch.randint(0, ways, (batch,))
    target = centres[torch.arange(batch), target_y] + 0.7 * torch.randn(batch, 12)
    return support, onehot, target, target_y


torch.manual_seed(13)
net = MatchingNetwork()
optim = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(200):
    accuracy, loss = net(*episode(16))
    optim.zero_grad()
    loss.backward()
    optim.step()
    if it % 40 == 0:
        print(it, loss.item(), accuracy.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
