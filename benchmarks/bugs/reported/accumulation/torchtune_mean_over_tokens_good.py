"""Each micro-batch is a mean over its own number of tokens, and all of them weigh the same."""

# kind: accumulation
# source: https://github.com/meta-pytorch/torchtune/pull/1875
# changed: a GRU language model on made-up ids; answers of very different length

import hashlib
import torch
import torch.nn as nn
import torch.nn.functional as F

IGNORE = -100


class LM(nn.Module):
    def __init__(self, vocab=32, dim=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens):
        return self.out(self.rnn(self.emb(tokens))[0])


def micro_batch(n=4, length=24):
    tokens = (torch.randint(0, 32, (n, 1)) + torch.arange(length) * torch.randint(1, 4, (n, 1))) % 32
    labels = tokens.roll(-1, dims=1)
    answer = int(torch.randint(2, 20, ()))
    labels[:, : length - answer] = IGNORE
    labels[:, -1] = IGNORE
    return {"tokens": tokens, "labels": labels}


torch.manual_seed(0)
model = LM()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
accumulate = 4
for step in range(40):
    batches = [micro_batch() for _ in range(accumulate)]
    num_tokens = sum((b["labels"] != IGNORE).sum() for b in batches)
    for batch in batches:
        logits = model(batch["tokens"])
        loss = F.cross_entropy(logits.transpose(1, 2), batch["labels"], ignore_index=IGNORE, reduction="sum")
        loss = loss / num_tokens
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
