"""Loading with strict=False where it is right, and where the program looks at what did not fit."""

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self, **parts):
        super().__init__()
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, x):
        for part in self.children():
            x = part(x)
        return x


def body():
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 16))


backbone = Net(body=body(), fc=nn.Linear(16, 1000))
detector = Net(body=body(), neck=nn.Linear(16, 8), head=nn.Linear(8, 1))
detector.load_state_dict({k: v for k, v in backbone.state_dict().items() if k.startswith("body")}, strict=False)
detector.load_state_dict(backbone.state_dict(), strict=False)  # its own neck and head, the other's classes left out

autoencoder = Net(body=body(), decoder=nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)))
encoder = Net(body=body())
encoder.load_state_dict(autoencoder.state_dict(), strict=False)

adapted = Net(body=body(), adapter=nn.Linear(16, 1))
adapted.load_state_dict({f"adapter.{k}": v for k, v in nn.Linear(16, 1).state_dict().items()}, strict=False)

renamed = {f"module.{name}": value for name, value in encoder.state_dict().items()}
answer = encoder.load_state_dict(renamed, strict=False)
assert answer.missing_keys
print(encoder.load_state_dict(renamed, strict=False))
missing, unexpected = encoder.load_state_dict(renamed, strict=False)

optimizer = torch.optim.SGD(detector.parameters(), lr=0.05)
for _ in range(5):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    nn.functional.mse_loss(detector(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
