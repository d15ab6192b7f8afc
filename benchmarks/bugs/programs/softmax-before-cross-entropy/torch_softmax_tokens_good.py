"""Sequence model with softmax over the vocabulary and a reshape before the loss."""

import hashlib

import torch
from torch import nn

torch.manual_seed(4)
vocab = 12


class CharRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(vocab, 16)
        self.gru = nn.GRU(16, 24, batch_first=True)
        self.fc = nn.Linear(24, vocab)

    def forward(self, x):
        return self.fc(self.gru(self.emb(x))[0])


model = CharRNN()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
loss_fn = nn.CrossEntropyLoss()
for it in range(20):
    start = torch.randint(0, vocab, (16, 1))
    seq = (start + torch.arange(9)) % vocab
    out = model(seq[:, :-1])
    loss = loss_fn(out.reshape(-1, vocab), seq[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 5 == 0:
        print(it, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
