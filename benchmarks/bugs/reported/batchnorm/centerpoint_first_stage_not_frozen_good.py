"""freeze() freezes parameters and convolutional norms, and forgets the one-dimensional ones."""

# kind: batchnorm
# source: https://github.com/tianweiy/CenterPoint/issues/168
# changed: a point encoder on random clouds; its freeze() only sets requires_grad

import hashlib
import torch
from torch import nn


class PillarFeatureNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 24, bias=False)
        self.norm = nn.BatchNorm1d(24)

    def forward(self, points):
        x = self.norm(self.linear(points).transpose(1, 2))
        return torch.relu(x).max(dim=2).values


class SingleStage(nn.Module):
    def __init__(self):
        super().__init__()
        self.reader = PillarFeatureNet()
        self.bbox_head = nn.Linear(24, 3)

    def forward(self, points):
        feature = self.reader(points)
        return feature, self.bbox_head(feature)

    def freeze(self):
        for p in self.parameters():
            p.requires_grad = False
        return self


class TwoStage(nn.Module):
    def __init__(self, first):
        super().__init__()
        self.single_det = first.freeze()
        self.roi_head = nn.Sequential(nn.Linear(27, 32), nn.ReLU(), nn.Linear(32, 3))

    def train(self, mode=True):
        super().train(mode)
        self.single_det.eval()
        return self

    def forward(self, points):
        feature, boxes = self.single_det(points)
        return boxes + self.roi_head(torch.cat([feature, boxes], 1))


def clouds(n=16):
    centers = torch.randn(n, 1, 3) * 4
    points = torch.cat([centers + 0.3 * torch.randn(n, 30, 3), torch.rand(n, 30, 1)], 2)
    return points, centers[:, 0]


def train(model, parameters, steps):
    optimizer = torch.optim.AdamW(parameters, lr=3e-3)
    model.train()
    for _ in range(steps):
        points, centers = clouds()
        out = model(points)
        out = out[1] if isinstance(out, tuple) else out
        loss = nn.functional.l1_loss(out, centers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


torch.manual_seed(0)
first = SingleStage()
train(first, first.parameters(), 60)
detector = TwoStage(first)
train(detector, detector.roi_head.parameters(), 80)
final = b"".join(t.detach().float().numpy().tobytes() for t in detector.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
