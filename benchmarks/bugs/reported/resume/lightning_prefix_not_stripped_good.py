"""The keys of the checkpoint begin with model., and strict=False loads none of them."""

# kind: resume
# source: https://github.com/pytorch/examples/issues/1029
# changed: both trainings in one script; the first wraps the network as Lightning does

import hashlib
import io

import torch
from torch import nn


def make_net():
    return nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))


class LitModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = make_net()

    def training_step(self, x, y):
        return nn.functional.cross_entropy(self.model(x), y)


def train(parameters, step, n=60):
    optimizer = torch.optim.Adam(parameters, lr=3e-3)
    for _ in range(n):
        x = torch.randn(32, 10)
        loss = step(x, x[:, :4].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


torch.manual_seed(0)
lit = LitModel()
print("pretraining", train(lit.parameters(), lit.training_step))
ckpt = io.BytesIO()
torch.save({"state_dict": lit.state_dict()}, ckpt)
ckpt.seek(0)

state_dict = torch.load(ckpt)["state_dict"]
net = make_net()
net.load_state_dict({k.removeprefix("model."): v for k, v in state_dict.items()})
print("fine-tuning", train(net.parameters(), lambda x, y: nn.functional.cross_entropy(net(x), y)))
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
