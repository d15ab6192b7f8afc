"""The cosine is 1e10 steps long, so that the rate does not move."""

# kind: schedule
# source: https://github.com/bigmb/Unet-Segmentation-Pytorch-Nest-of-Unets/issues/14
# changed: a small segmentation head on random images

import hashlib
import torch
import torch.nn as nn

torch.manual_seed(0)
images = torch.rand(192, 3, 8, 8)
labels = (images.mean(1, keepdim=True) > 0.5).float()
model_test = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 1, 3, padding=1))
epoch, batch_size, initial_lr = 10, 16, 0.003
opt = torch.optim.Adam(model_test.parameters(), lr=initial_lr)
MAX_STEP = int(1e10)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(opt, MAX_STEP, eta_min=1e-5)  # BUG: schedule-never-finishes

for i in range(epoch):
    order = torch.randperm(192)
    for part in order.split(batch_size):
        opt.zero_grad()
        lossT = nn.functional.binary_cross_entropy_with_logits(model_test(images[part]), labels[part])
        lossT.backward()
        opt.step()
    scheduler.step()  # BUG: schedule-never-finishes
    print(i, lossT.item(), opt.param_groups[0]["lr"])
final = b"".join(t.detach().float().numpy().tobytes() for t in model_test.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
