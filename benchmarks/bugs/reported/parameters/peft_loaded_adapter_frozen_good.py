"""An adapter that was loaded is trainable."""

# kind: parameters
# source: https://github.com/huggingface/transformers/issues/26098
# changed: an adapter around small layers; the classifier on top trains in both twins

import hashlib

import torch
from torch import nn

class Lora(nn.Module):
    def __init__(self, base, rank=4):
        super().__init__()
        self.base = base
        self.lora_A = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.lora_A.t() @ self.lora_B.t()


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())
        self.score = nn.Linear(48, 5)

    def forward(self, x):
        return self.score(self.layers(x))


def from_pretrained(model, is_trainable=False):
    for p in model.layers.parameters():
        p.requires_grad = False
    for i in (0, 2):
        model.layers[i] = Lora(model.layers[i])
        model.layers[i].lora_A.requires_grad = is_trainable
        model.layers[i].lora_B.requires_grad = is_trainable
    return model


torch.manual_seed(35)
model = from_pretrained(Classifier(), is_trainable=True)
optimizer = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()), lr=3e-3)
for step in range(150):
    x = torch.randn(32, 12)
    loss = nn.functional.cross_entropy(model(x), (x[:, :5] * x[:, 5:10]).argmax(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(step, loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
