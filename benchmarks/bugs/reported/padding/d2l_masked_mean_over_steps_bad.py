"""The masked losses of each sentence are averaged over all steps, padding among them."""

# kind: padding
# source: https://github.com/d2l-ai/d2l-en/pull/2707
# changed: a small decoder of made-up sentences, and the sum divided by the number of tokens

import hashlib

import torch
from torch import nn


def sequence_mask(x, valid_len, value=0):
    mask = torch.arange(x.size(1))[None, :] < valid_len[:, None]
    x[~mask] = value
    return x


class MaskedSoftmaxCELoss(nn.CrossEntropyLoss):
    def forward(self, pred, label, valid_len):
        weights = sequence_mask(torch.ones_like(label), valid_len)
        self.reduction = "none"
        unweighted_loss = super().forward(pred.permute(0, 2, 1), label)  # BUG: mean-over-padding, padding-in-loss
        return (unweighted_loss * weights).mean(dim=1)  # BUG: mean-over-padding, padding-in-loss


class Decoder(nn.Module):
    def __init__(self, vocab=40):
        super().__init__()
        self.embed = nn.Embedding(vocab, 24)
        self.rnn = nn.GRU(24, 32, batch_first=True)
        self.dense = nn.Linear(32, vocab)

    def forward(self, x):
        return self.dense(self.rnn(self.embed(x))[0])


torch.manual_seed(0)
net = Decoder()
loss = MaskedSoftmaxCELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(120):
    y = torch.randint(1, 40, (16, 10))
    y_valid_len = torch.randint(3, 11, (16,))
    y = sequence_mask(y, y_valid_len)
    dec_input = torch.cat([torch.ones(16, 1, dtype=torch.long), y[:, :-1]], 1)
    optimizer.zero_grad()
    value = loss(net(dec_input), y, y_valid_len)
    value.sum().backward()  # BUG: mean-over-padding, padding-in-loss
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
print(value.sum().item())
final = b"".join(t.detach().double().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
