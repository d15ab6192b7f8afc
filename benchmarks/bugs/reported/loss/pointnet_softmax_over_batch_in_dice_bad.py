"""A Dice loss of four classes whose softmax runs over the samples of the batch."""

# kind: loss
# source: https://github.com/fxia22/pointnet.pytorch/issues/27
# changed: a Dice loss of small images

import hashlib
import torch
from torch import nn

torch.manual_seed(9)


class DiceLoss(nn.Module):
    def forward(self, logits, target):
        probs = logits.softmax(dim=0)  # BUG: softmax-over-batch, samples-mixed-in-batch
        onehot = nn.functional.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2).float()
        inter = (probs * onehot).sum((2, 3))
        union = probs.sum((2, 3)) + onehot.sum((2, 3))
        return 1 - ((2 * inter + 1) / (union + 1)).mean()  # BUG: softmax-over-batch, samples-mixed-in-batch


model = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 4, 3, padding=1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
dice = DiceLoss()
for it in range(100):
    target = torch.randint(4, (6, 4, 4)).repeat_interleave(4, 1).repeat_interleave(4, 2)
    image = target.unsqueeze(1).float() - 1.5 + 0.3 * torch.randn(6, 1, 16, 16)
    loss = dice(model(image), target)  # BUG: softmax-over-batch, samples-mixed-in-batch
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
