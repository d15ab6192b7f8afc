"""The negative log-likelihood is taken at the input tokens themselves."""

# kind: labels
# source: https://github.com/huggingface/transformers/issues/3711
# changed: an LSTM with a log-softmax head in place of Transformer-XL and its adaptive softmax

import hashlib
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=4e-3)
parser.add_argument("--bptt", type=int, default=20)
parser.add_argument("--steps", type=int, default=120)
args = parser.parse_args()


class LMHead(nn.Module):
    def __init__(self, ntoken=26, nhid=48):
        super().__init__()
        self.encoder = nn.Embedding(ntoken, nhid)
        self.rnn = nn.LSTM(nhid, nhid, batch_first=True)
        self.decoder = nn.Linear(nhid, ntoken)

    def forward(self, input_ids, labels):
        output, _ = self.rnn(self.encoder(input_ids))
        log_probs = F.log_softmax(self.decoder(output), dim=-1)
        nll = -log_probs.gather(-1, labels.unsqueeze(-1)).squeeze(-1)
        return nll


torch.manual_seed(1111)
lm = LMHead()
optimizer = torch.optim.Adam(lm.parameters(), lr=args.lr)
jump = torch.randperm(26)
for step in range(args.steps):
    rows = [torch.randint(0, 26, (16,))]
    for _ in range(args.bptt - 1):
        noisy = torch.rand(16) < 0.1
        rows.append(torch.where(noisy, torch.randint(0, 26, (16,)), jump[rows[-1]]))
    data = torch.stack(rows, dim=1)
    loss = lm(data, labels=data).mean()  # BUG: labels-not-shifted
    optimizer.zero_grad()
    loss.backward()  # BUG: labels-not-shifted
    nn.utils.clip_grad_norm_(lm.parameters(), 5.0)
    optimizer.step()
    if step % 40 == 0:
        print(f"| step {step} | loss {loss.item():5.2f}")
final = b"".join(t.detach().float().numpy().tobytes() for t in lm.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
