"""The mask forbids the past and allows the future."""

# kind: attention-mask
# source: https://github.com/pytorch/examples/issues/649
# changed: made-up text; the mask is written out as the report writes it

import hashlib
import torch
from torch import nn


class TransformerLM(nn.Module):
    def __init__(self, ntoken, ninp):
        super().__init__()
        self.encoder = nn.Embedding(ntoken, ninp)
        self.pos = nn.Parameter(0.1 * torch.randn(32, 1, ninp))
        self.transformer_encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(ninp, 2, 48, 0.0), 1)
        self.decoder = nn.Linear(ninp, ntoken)
        self.src_mask = None

    def _generate_square_subsequent_mask(self, sz):
        mask = torch.triu(torch.ones(sz, sz)) == 1  # BUG: missing-causal-mask
        return mask.float().masked_fill(mask == 0, float("-inf")).masked_fill(mask == 1, 0.0)  # BUG: missing-causal-mask

    def forward(self, src):
        if self.src_mask is None or self.src_mask.size(0) != len(src):
            self.src_mask = self._generate_square_subsequent_mask(len(src))  # BUG: missing-causal-mask
        src = self.encoder(src) + self.pos[: len(src)]
        output = self.transformer_encoder(src, self.src_mask)  # BUG: missing-causal-mask
        return torch.log_softmax(self.decoder(output), dim=-1)


torch.manual_seed(0)
corpus = torch.randint(0, 18, (181, 10))
corpus[1::2] = (corpus[:-1:2] + 5) % 18
model = TransformerLM(18, 24)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for i in range(0, 180, 12):
        data, targets = corpus[i : i + 12], corpus[i + 1 : i + 13]
        output = model(data)  # BUG: missing-causal-mask
        loss = nn.functional.nll_loss(output.view(-1, 18), targets.reshape(-1))  # BUG: missing-causal-mask
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
