"""A hook that runs between backward and step clips."""

# kind: clip
# source: https://github.com/simchowitzlabpublic/nano-world-model/pull/22
# changed: hooks of a small trainer in place of the library's; a predictor of random states

import hashlib
import torch
from torch import nn


class WorldModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 64), nn.GELU(), nn.Linear(64, 6))

    def training_step(self, batch):
        state, action = batch
        loss = nn.functional.mse_loss(self.net(torch.cat([state, action], 1)), state * action[:, :1])
        return loss

    def configure_gradient_clipping(self):
        torch.nn.utils.clip_grad_norm_(self.parameters(), 0.1)


def fit(module, optimizer, batches):
    for batch in batches:
        loss = module.training_step(batch)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        module.configure_gradient_clipping()
        optimizer.step()
    print(loss.item())


torch.manual_seed(0)
model = WorldModel()
fit(model, torch.optim.AdamW(model.parameters(), lr=1e-3), [(torch.randn(32, 6), torch.randn(32, 2)) for _ in range(100)])
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
