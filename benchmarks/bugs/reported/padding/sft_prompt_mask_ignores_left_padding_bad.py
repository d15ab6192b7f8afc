"""The prompt is masked by its number of columns, though the batch is padded on the left."""

# kind: padding
# source: https://github.com/QwenLM/Qwen3-ASR/pull/212
# changed: a small language model on made-up ids; the prompt keeps its varying length
# gap: which part of a text is prompt and which is answer is known to the program alone

import hashlib
import torch
import torch.nn.functional as F
from torch import nn

PAD, VOCAB, LENGTH = 0, 40, 16


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, 40, padding_idx=PAD)
        self.lstm = nn.LSTM(40, 40, batch_first=True)
        self.fc = nn.Linear(40, VOCAB)

    def forward(self, x):
        return self.fc(self.lstm(self.emb(x))[0])


def sample(rng):
    prefix = torch.randint(1, VOCAB, (int(torch.randint(3, 8, (1,), generator=rng)),), generator=rng)
    answer = prefix.flip(0)[: int(torch.randint(2, 5, (1,), generator=rng))]
    return prefix, answer


def collate(samples):
    ids = torch.full((len(samples), LENGTH), PAD)
    labels = torch.full((len(samples), LENGTH), -100)
    for row, (prefix, answer) in enumerate(samples):
        text = torch.cat([prefix, answer])
        ids[row, -len(text):] = text
        labels[row, -len(text):] = text
        labels[row, : len(prefix)] = -100  # BUG: prompt-in-loss
    return ids, labels


torch.manual_seed(0)
rng = torch.Generator().manual_seed(7)
net = Decoder()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(120):
    ids, labels = collate([sample(rng) for _ in range(16)])
    logits = net(ids)
    loss = F.cross_entropy(logits[:, :-1].transpose(1, 2), labels[:, 1:], ignore_index=-100)  # BUG: prompt-in-loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
