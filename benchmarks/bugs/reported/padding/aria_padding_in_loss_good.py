"""The loss ignores padding."""

# kind: padding
# source: https://github.com/EleutherAI/aria/pull/40
# changed: a small GRU over made-up notes, padded with an id of their own

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

PAD, VOCAB, LENGTH = 31, 32, 20


class Notes(Dataset):
    def __init__(self, n):
        generator = torch.Generator().manual_seed(0)
        self.rows = []
        for _ in range(n):
            length = int(torch.randint(8, LENGTH, (1,), generator=generator))
            start, step = torch.randint(0, 31, (2,), generator=generator).tolist()
            notes = (start + torch.arange(length) * (1 + step % 3)) % 31
            self.rows.append(torch.cat([notes, torch.full((LENGTH - length,), PAD)]))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i][:-1], self.rows[i][1:]


class MusicModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok_embeddings = nn.Embedding(VOCAB, 32, padding_idx=PAD)
        self.gru = nn.GRU(32, 48, batch_first=True)
        self.lm_head = nn.Linear(48, VOCAB)

    def forward(self, src):
        return self.lm_head(self.gru(self.tok_embeddings(src))[0])


torch.manual_seed(33)
model = MusicModel()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
loss_fn = nn.CrossEntropyLoss(ignore_index=PAD)
loader = DataLoader(Notes(320), batch_size=32, shuffle=True)
for epoch in range(8):
    for src, tgt in loader:
        logits = model(src)
        loss = loss_fn(logits.transpose(1, 2), tgt)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
