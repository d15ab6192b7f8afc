"""train_start() is called after each validation."""

# kind: mode
# source: https://github.com/fartashf/vsepp/issues/4
# changed: encoders of random vectors in place of images and captions

import hashlib
import torch
from torch import nn


class VSE:
    def __init__(self):
        self.img_enc = nn.Sequential(nn.Linear(20, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 12))
        self.txt_enc = nn.Sequential(nn.Linear(14, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 12))
        self.params = [*self.img_enc.parameters(), *self.txt_enc.parameters()]
        self.optimizer = torch.optim.Adam(self.params, lr=2e-3)
        self.Eiters = 0

    def train_start(self):
        self.img_enc.train()
        self.txt_enc.train()

    def val_start(self):
        self.img_enc.eval()
        self.txt_enc.eval()

    def forward_emb(self, images, captions):
        unit = nn.functional.normalize
        return unit(self.img_enc(images), dim=1), unit(self.txt_enc(captions), dim=1)

    def train_emb(self, images, captions, margin=0.2):
        self.Eiters += 1
        img, cap = self.forward_emb(images, captions)
        scores = img @ cap.t()
        cost = (margin + scores - scores.diag()[:, None]).clamp(min=0)
        loss = cost.masked_fill(torch.eye(len(scores)) > 0.5, 0).sum() / len(scores)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.params, 2.0)
        self.optimizer.step()


def validate(model, images, captions):
    model.val_start()
    with torch.no_grad():
        img, cap = model.forward_emb(images, captions)
        return ((img @ cap.t()).argmax(1) == torch.arange(len(img))).float().mean().item()


torch.manual_seed(0)
source = torch.randn(640, 14)
images = source @ torch.randn(14, 20)
model = VSE()
for epoch in range(3):
    model.train_start()
    for index in torch.randperm(576).split(32):
        model.train_emb(images[index], source[index])
        if model.Eiters % 5 == 0:
            print(epoch, validate(model, images[576:], source[576:]))
            model.train_start()
final = b"".join(t.detach().float().numpy().tobytes() for t in model.img_enc.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
