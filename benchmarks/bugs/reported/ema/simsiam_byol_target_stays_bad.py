"""The target network has a function that moves it, and nobody calls it."""

# kind: ema
# source: https://github.com/PatrickHua/SimSiam/issues/26
# changed: small networks on random vectors in place of a ResNet

import copy
import hashlib
import torch
from torch import nn


class BYOL(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.online_encoder = nn.Sequential(backbone, nn.Linear(24, 16))
        self.target_encoder = copy.deepcopy(self.online_encoder)  # BUG: target-never-moved
        for p in self.target_encoder.parameters():
            p.requires_grad = False
        self.online_predictor = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))

    @torch.no_grad()
    def update_moving_average(self, tau=0.99):
        for online, target in zip(self.online_encoder.parameters(), self.target_encoder.parameters()):
            target.data = tau * target.data + (1 - tau) * online.data

    def forward(self, x1, x2):
        p1, p2 = (self.online_predictor(self.online_encoder(x)) for x in (x1, x2))
        with torch.no_grad():
            z1, z2 = self.target_encoder(x1), self.target_encoder(x2)
        cos = nn.functional.cosine_similarity
        return -(cos(p1, z2).mean() + cos(p2, z1).mean()) / 2


torch.manual_seed(0)
data = torch.randn(512, 10)
model = BYOL(nn.Sequential(nn.Linear(10, 24), nn.ReLU()))
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.05, momentum=0.9)
for epoch in range(6):
    model.train()
    for index in torch.randperm(512).split(32):
        x = data[index]
        loss = model(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # BUG: target-never-moved
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
