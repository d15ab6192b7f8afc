"""The generator's backward leaves gradients in the discriminator, and its step uses them."""

# kind: gan
# source: https://github.com/Lightning-AI/pytorch-lightning/issues/591
# changed: a loop over two optimizers written out, on points in the plane

import hashlib

import torch
from torch import nn

class GAN:
    def __init__(self):
        self.generator = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))
        self.discriminator = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
        self.adversarial_loss = nn.BCEWithLogitsLoss()

    def configure_optimizers(self):
        g = torch.optim.Adam(self.generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
        d = torch.optim.Adam(self.discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
        return [g, d]

    def training_step(self, batch, optimizer_idx):
        z = torch.randn(len(batch), 4)
        if optimizer_idx == 0:
            return self.adversarial_loss(self.discriminator(self.generator(z)), torch.ones(len(batch), 1))
        real = self.adversarial_loss(self.discriminator(batch), torch.ones(len(batch), 1))
        fake = self.adversarial_loss(self.discriminator(self.generator(z).detach()), torch.zeros(len(batch), 1))
        return (real + fake) / 2


class Trainer:
    def __init__(self, steps):
        self.steps = steps

    def fit(self, model):
        optimizers = model.configure_optimizers()
        for step in range(self.steps):
            angle = torch.rand(64) * 6.28
            batch = torch.stack([angle.cos(), angle.sin()], 1) + 0.05 * torch.randn(64, 2)
            for idx, optimizer in enumerate(optimizers):
                loss = model.training_step(batch, idx)
                loss.backward()
                optimizer.step()  # BUG: gradient-leak-between-optimizers
                optimizer.zero_grad()
            if step % 50 == 0:
                print(step, loss.item())


torch.manual_seed(20)
gan = GAN()
Trainer(200).fit(gan)
final = b"".join(t.detach().double().numpy().tobytes() for t in gan.discriminator.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
