"""Summaries are padded to one length, and cross-entropy counts the padding."""

# kind: padding
# source: https://github.com/huggingface/transformers/pull/7828
# changed: an LSTM encoder-decoder on made-up token ids in place of BART on a summarisation set

import hashlib
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

PAD, BOS, EOS, VOCAB = 1, 0, 2, 40


class Summaries(Dataset):
    """A source and a shorter target, which is every second token of it."""

    def __init__(self, n=256):
        g = torch.Generator().manual_seed(3)
        self.rows = [torch.randint(4, VOCAB, (int(torch.randint(4, 13, (1,), generator=g)),), generator=g) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        source = self.rows[i]
        return source, torch.cat([source[::2], torch.tensor([EOS])])


def collate(batch):
    def pad(rows, length):
        out = torch.full((len(rows), length), PAD)
        for row, ids in zip(out, rows):
            row[: len(ids)] = ids
        return out

    src, tgt = zip(*batch)
    return {"input_ids": pad(src, 12), "labels": pad(tgt, 8)}


class Seq2Seq(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.shared = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        self.encoder = nn.LSTM(dim, dim, batch_first=True)
        self.decoder = nn.LSTM(dim, dim, batch_first=True)
        self.lm_head = nn.Linear(dim, VOCAB)
        self.loss_fct = nn.CrossEntropyLoss()  # BUG: padding-in-loss

    def forward(self, input_ids, labels):
        _, state = self.encoder(self.shared(input_ids))
        start = torch.full_like(labels[:, :1], BOS)
        decoder_input_ids = torch.cat([start, labels[:, :-1]], dim=1)
        hidden, _ = self.decoder(self.shared(decoder_input_ids), state)
        logits = self.lm_head(hidden)
        loss = self.loss_fct(logits.view(-1, VOCAB), labels.view(-1))  # BUG: padding-in-loss
        return loss, logits


torch.manual_seed(0)
model = Seq2Seq()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
loader = DataLoader(Summaries(), batch_size=16, shuffle=True, collate_fn=collate)
for epoch in range(6):
    for batch in loader:
        loss, _ = model(**batch)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(epoch, round(loss.item(), 4))
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
