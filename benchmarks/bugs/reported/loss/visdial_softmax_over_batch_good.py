"""The scores of the answers are normalised over the batch."""

# kind: loss
# source: https://github.com/batra-mlp-lab/visdial-challenge-starter-pytorch/issues/1
# changed: random dialogs; the log of the probabilities goes into NLLLoss

import hashlib
import torch
from torch import nn


class DiscriminativeDecoder(nn.Module):
    def __init__(self, dim=16, options=6):
        super().__init__()
        self.enc = nn.Linear(dim, 32)
        self.opt = nn.Linear(dim, 32)
        self.log_softmax = nn.LogSoftmax(dim=1)

    def forward(self, enc_out, options):
        scores = torch.bmm(self.opt(options), self.enc(enc_out).unsqueeze(2)).squeeze(2)
        return self.log_softmax(scores)


torch.manual_seed(0)
decoder = DiscriminativeDecoder()
criterion = nn.NLLLoss()
optimizer = torch.optim.Adam(decoder.parameters(), lr=2e-3)
for it in range(120):
    enc_out, options = torch.randn(24, 16), torch.randn(24, 6, 16)
    ans_ind = torch.randint(0, 6, (24,))
    options[torch.arange(24), ans_ind] = enc_out + 0.5 * torch.randn(24, 16)
    output = decoder(enc_out, options)
    loss = criterion(output, ans_ind)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 40 == 0:
        print(it, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in decoder.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
