"""The dataset shifts the labels, and so does the model."""

# kind: labels
# source: https://github.com/huggingface/transformers/pull/44642
# changed: a model written out that shifts inside, as the library's do

import hashlib
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Blocks(Dataset):
    def __init__(self, stream, block_size):
        self.stream, self.block_size = stream, block_size

    def __len__(self):
        return (len(self.stream) - 1) // self.block_size

    def __getitem__(self, idx):
        start = idx * self.block_size
        chunk = self.stream[start : start + self.block_size + 1]
        return {"input_ids": chunk[:-1], "labels": chunk[1:]}  # BUG: labels-shifted-twice


class TinyGPT(nn.Module):
    def __init__(self, vocab, width=48, context=32):
        super().__init__()
        self.wte = nn.Embedding(vocab, width)
        self.wpe = nn.Embedding(context, width)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.h = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.ln_f = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, vocab, bias=False)
        self.register_buffer("mask", torch.triu(torch.ones(context, context, dtype=torch.bool), 1))

    def forward(self, input_ids, labels=None):
        t = input_ids.size(1)
        x = self.wte(input_ids) + self.wpe(torch.arange(t))
        logits = self.lm_head(self.ln_f(self.h(x, mask=self.mask[:t, :t])))
        # the token at n + 1 is predicted from those up to n
        loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())  # BUG: labels-shifted-twice
        return loss, logits


torch.manual_seed(42)
table = torch.stack([torch.randperm(25) for _ in range(2)])
stream = [3]
for i in range(6400):
    stream.append(int(table[int(torch.rand(()) < 0.2), stream[-1]]))
loader = DataLoader(Blocks(torch.tensor(stream), 32), batch_size=8, shuffle=True)
model = TinyGPT(25)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for epoch in range(4):
    for batch in loader:
        loss, _ = model(**batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.3f}")
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
