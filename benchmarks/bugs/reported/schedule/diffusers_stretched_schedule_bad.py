"""The schedule is stretched by the number of micro-batches, and advances once an update."""

# kind: schedule
# source: https://github.com/huggingface/diffusers/issues/4387
# changed: the accelerator is written out; a linear decay with warm-up on a small denoiser

import hashlib
import argparse

import torch
import torch.nn.functional as F
from torch import nn


def get_cosine_schedule(optimizer, num_warmup_steps, num_training_steps):
    from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR

    warmup = LinearLR(optimizer, start_factor=0.1, total_iters=num_warmup_steps)
    cosine = CosineAnnealingLR(optimizer, T_max=num_training_steps - num_warmup_steps)
    return SequentialLR(optimizer, [warmup, cosine], milestones=[num_warmup_steps])  # BUG: schedule-never-finishes


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--learning_rate", type=float, default=2e-3)
    parser.add_argument("--lr_warmup_steps", type=int, default=5)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=4)
    parser.add_argument("--max_train_steps", type=int, default=60)
    return parser.parse_args()


args = parse_args()
torch.manual_seed(0)
controlnet = nn.Sequential(nn.Linear(9, 48), nn.SiLU(), nn.Linear(48, 8))
optimizer = torch.optim.AdamW(controlnet.parameters(), lr=args.learning_rate)
lr_scheduler = get_cosine_schedule(  # BUG: schedule-never-finishes
    optimizer,
    num_warmup_steps=args.lr_warmup_steps * args.gradient_accumulation_steps,
    num_training_steps=args.max_train_steps * args.gradient_accumulation_steps,
)
for global_step in range(args.max_train_steps):
    for _ in range(args.gradient_accumulation_steps):
        latents, noise, t = torch.randn(16, 8) * 0.5, torch.randn(16, 8), torch.rand(16, 1)
        pred = controlnet(torch.cat([latents + t * noise, t], 1))
        loss = F.mse_loss(pred, noise) / args.gradient_accumulation_steps
        loss.backward()
    optimizer.step()
    lr_scheduler.step()  # BUG: schedule-never-finishes
    optimizer.zero_grad()
print(loss.item(), lr_scheduler.get_last_lr()[0])
final = b"".join(t.detach().float().numpy().tobytes() for t in controlnet.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
