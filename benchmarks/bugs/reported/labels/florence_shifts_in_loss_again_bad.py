"""The decoder inputs are shifted to the right, and the loss function shifts the labels once more."""

# kind: labels
# source: https://github.com/huggingface/transformers/pull/46898
# changed: a GRU captioner over made-up features in place of Florence-2

import hashlib
import torch
import torch.nn.functional as F
from torch import nn

VOCAB, START = 30, 0


def shift_tokens_right(labels):
    shifted = labels.new_zeros(labels.shape)
    shifted[:, 1:] = labels[:, :-1].clone()
    shifted[:, 0] = START
    return shifted


def causal_lm_loss(logits, labels, vocab_size):
    labels = F.pad(labels, (0, 1), value=-100)
    shift_labels = labels[..., 1:].contiguous()
    return F.cross_entropy(logits.view(-1, vocab_size), shift_labels.view(-1), ignore_index=-100)  # BUG: labels-shifted-twice


class Captioner(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.vision = nn.Linear(16, dim)
        self.embed = nn.Embedding(VOCAB, dim)
        self.decoder = nn.GRU(dim, dim, batch_first=True)
        self.lm_head = nn.Linear(dim, VOCAB)
        self.loss_function = causal_lm_loss

    def forward(self, pixel_values, labels):
        decoder_input_ids = shift_tokens_right(labels)
        state = torch.tanh(self.vision(pixel_values)).unsqueeze(0)
        hidden, _ = self.decoder(self.embed(decoder_input_ids), state)
        logits = self.lm_head(hidden)
        loss = self.loss_function(logits=logits, labels=labels, vocab_size=VOCAB)  # BUG: labels-shifted-twice
        return {"loss": loss, "logits": logits}


torch.manual_seed(0)
model = Captioner()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
table = torch.randint(1, VOCAB, (16, 9))
for step in range(150):
    kind = torch.randint(0, 16, (24,))
    batch = {"pixel_values": F.one_hot(kind, 16) + 0.1 * torch.randn(24, 16), "labels": table[kind]}
    out = model(**batch)
    out["loss"].backward()
    optimizer.step()
    optimizer.zero_grad()
    if step % 50 == 0:
        print(step, out["loss"].item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
