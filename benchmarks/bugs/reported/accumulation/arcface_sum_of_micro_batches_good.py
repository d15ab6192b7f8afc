"""The loss is divided by the number of micro-batches."""

# kind: accumulation
# source: https://github.com/deepinsight/insightface/issues/2258
# changed: angular margins on random vectors, without half precision

import hashlib
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
labels = torch.randint(0, 6, (384,))
images = torch.randn(6, 16)[labels] + 0.5 * torch.randn(384, 16)
loader = DataLoader(TensorDataset(images, labels), batch_size=16, shuffle=True)


class PartialFC(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6, 8) * 0.1)

    def forward(self, feats, target):
        cos = F.linear(F.normalize(feats), F.normalize(self.weight))
        return F.cross_entropy(8 * (cos - 0.2 * F.one_hot(target, 6)), target)


backbone, module_fc = nn.Sequential(nn.Linear(16, 32), nn.PReLU(), nn.Linear(32, 8)), PartialFC()
opt = torch.optim.SGD([*backbone.parameters(), *module_fc.parameters()], lr=0.05, momentum=0.9)
gradient_acc, global_step = 4, 0
for epoch in range(6):
    for img, target in loader:
        global_step += 1
        loss = module_fc(backbone(img), target)
        (loss / gradient_acc).backward()
        if global_step % gradient_acc == 0:
            nn.utils.clip_grad_norm_(backbone.parameters(), 5)
            opt.step()
            opt.zero_grad()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in backbone.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
