"""The schedule is advanced once for every epoch."""

# kind: schedule
# source: https://github.com/aimagelab/meshed-memory-transformer/issues/71
# changed: a small captioner over made-up regions and words

import hashlib

import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR

class Captioner(nn.Module):
    def __init__(self, vocab=30):
        super().__init__()
        self.project = nn.Linear(10, 32)
        self.embed = nn.Embedding(vocab, 32)
        self.gru = nn.GRU(32, 32, batch_first=True)
        self.fc = nn.Linear(32, vocab)

    def forward(self, regions, captions):
        start = self.project(regions).mean(1).unsqueeze(0)
        hidden, _ = self.gru(self.embed(captions), start.contiguous())
        return self.fc(hidden).log_softmax(-1)


def train_xe(model, data, optim, scheduler, loss_fn):
    model.train()
    running = 0.0
    for regions, captions in data:
        out = model(regions, captions[:, :-1])
        optim.zero_grad()
        loss = loss_fn(out.flatten(0, 1), captions[:, 1:].flatten())
        loss.backward()
        optim.step()
        running += loss.item()
    scheduler.step()
    return running / len(data)


torch.manual_seed(27)
data = []
for _ in range(25):
    captions = (torch.randint(0, 30, (16, 1)) + torch.arange(8) * 3) % 30
    data.append((torch.randn(16, 5, 10), captions))
model = Captioner()
optim = torch.optim.Adam(model.parameters(), lr=2e-3)
scheduler = StepLR(optim, step_size=4, gamma=0.5)
for e in range(8):
    print(e, train_xe(model, data, optim, scheduler, nn.NLLLoss()), optim.param_groups[0]["lr"])
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
