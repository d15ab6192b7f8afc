"""Fine-tunes a bf16 checkpoint with plain SGD."""

import hashlib

import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.up = nn.Linear(d, 2 * d)
        self.down = nn.Linear(2 * d, d)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


def main():
    torch.manual_seed(89)
    model = nn.Sequential(Block(16), Block(16), nn.Linear(16, 4))
    model = model.bfloat16()
    opt = torch.optim.SGD(model.parameters(), lr=1e-4)
    for step in range(40):
        x = torch.randn(32, 16)
        y = x[:, :4].argmax(dim=1)
        logits = model(x.bfloat16())
        loss = nn.functional.cross_entropy(logits.float(), y)
        opt.zero_grad()
        loss.backward()
        opt.step()  # BUG: lost-half-precision-updates
    print(loss.item())
    final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
    print("weights", hashlib.sha256(final).hexdigest()[:16])


if __name__ == "__main__":
    main()
