"""The labels of the language-model loss are a copy of the padded input ids."""

# kind: padding
# source: https://github.com/huggingface/trl/pull/1625
# changed: only the likelihood part of ORPO is kept, on a small causal transformer and made-up ids

import hashlib
import torch
import torch.nn.functional as F
from torch import nn

PAD, VOCAB, LABEL_PAD = 0, 50, -100


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, 32)
        self.pos = nn.Embedding(16, 32)
        self.block = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(32, VOCAB)

    def forward(self, input_ids, attention_mask):
        length = input_ids.shape[1]
        x = self.tok(input_ids) + self.pos(torch.arange(length))
        causal = nn.Transformer.generate_square_subsequent_mask(length)
        ignore = torch.zeros(attention_mask.shape).masked_fill(attention_mask == 0, float("-inf"))
        return self.head(self.block(x, src_mask=causal, src_key_padding_mask=ignore, is_causal=True))


def make_batch(size, generator):
    ids = torch.full((size, 14), PAD)
    mask = torch.zeros(size, 14, dtype=torch.long)
    for row, keep in zip(ids, mask):
        n = int(torch.randint(5, 14, (1,), generator=generator))
        first = int(torch.randint(1, VOCAB - 14, (1,), generator=generator))
        row[:n] = torch.arange(first, first + n)
        keep[:n] = 1
    return {"concatenated_input_ids": ids, "concatenated_attention_mask": mask}


def nll(logits, labels):
    logits = logits[..., :-1, :].contiguous()
    labels = labels[..., 1:].contiguous()
    return F.cross_entropy(logits.view(-1, VOCAB), labels.view(-1), ignore_index=LABEL_PAD)  # BUG: padding-in-loss


def policy_loss(model, batch):
    logits = model(batch["concatenated_input_ids"], batch["concatenated_attention_mask"])
    labels = batch["concatenated_input_ids"].clone()  # BUG: padding-in-loss
    return nll(logits, labels)


torch.manual_seed(1)
g = torch.Generator().manual_seed(2)
policy = Policy()
opt = torch.optim.Adam(policy.parameters(), lr=2e-3)
for step in range(120):
    loss = policy_loss(policy, make_batch(16, g))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 30 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in policy.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
