"""The wrapped training step updates the model, and the loop steps once more."""

# kind: accumulation
# source: https://github.com/NVIDIA/physicsnemo/issues/1911
# changed: a small regressor; the wrapper does without a captured graph

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class StaticTraining:
    """Runs a function that gives the loss, then backward and update."""

    def __init__(self, optim, function):
        self.optim, self.function = optim, function
        self.scaler = torch.amp.GradScaler("cpu", enabled=False)

    def __call__(self, *args):
        self.optim.zero_grad(set_to_none=True)
        loss = self.function(*args)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optim)
        self.scaler.update()
        return loss.detach()


class DefaultTrainingLoop:
    def __init__(self, model, optimizer, enable_static_capture=True):
        self.model, self.optimizer = model, optimizer
        self.enable_static_capture = enable_static_capture

    def train_step(self, x, y):
        return nn.functional.mse_loss(self.model(x), y)

    def __call__(self, loader, epochs):
        step = StaticTraining(self.optimizer, self.train_step) if self.enable_static_capture else self.train_step
        for epoch in range(epochs):
            for x, y in loader:
                loss = step(x, y)
                if not self.enable_static_capture:
                    self.optimizer.zero_grad()
                    loss.backward()
                self.optimizer.step()  # BUG: step-without-backward, stale-gradients
            print(epoch, loss.item())


torch.manual_seed(0)
x = torch.randn(320, 6)
model = nn.Sequential(nn.Linear(6, 32), nn.SiLU(), nn.Linear(32, 2))
loader = DataLoader(TensorDataset(x, x[:, :2] * x[:, 2:4]), batch_size=16, shuffle=True)
DefaultTrainingLoop(model, torch.optim.Adam(model.parameters(), lr=1e-3))(loader, 5)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
