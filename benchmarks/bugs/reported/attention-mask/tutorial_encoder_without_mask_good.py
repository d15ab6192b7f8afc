"""The encoder makes a causal mask if it is given none."""

# kind: attention-mask
# source: https://github.com/pytorch/tutorials/issues/2478
# changed: made-up text, time first as in the tutorial

import hashlib
import math
import torch
from torch import nn


class TransformerModel(nn.Module):
    def __init__(self, ntoken, d_model):
        super().__init__()
        self.embedding = nn.Embedding(ntoken, d_model)
        self.position = nn.Parameter(0.1 * torch.randn(64, 1, d_model))
        layers = nn.TransformerEncoderLayer(d_model, 2, 64, 0.1)
        self.transformer_encoder = nn.TransformerEncoder(layers, 1)
        self.linear = nn.Linear(d_model, ntoken)
        self.d_model = d_model

    def forward(self, src, src_mask=None):
        src = self.embedding(src) * math.sqrt(self.d_model) + self.position[: len(src)]
        if src_mask is None:
            src_mask = nn.Transformer.generate_square_subsequent_mask(len(src))
        return self.linear(self.transformer_encoder(src, src_mask))


def get_batch(source, i, bptt=12):
    return source[i : i + bptt], source[i + 1 : i + 1 + bptt].reshape(-1)


torch.manual_seed(0)
text = torch.randint(0, 20, (241, 8))
text[1::2] = (3 * text[:-1:2] + 1) % 20
model = TransformerModel(20, 32)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1.0, gamma=0.95)
for epoch in range(3):
    model.train()
    for i in range(0, 240, 12):
        data, targets = get_batch(text, i)
        output = model(data)
        loss = criterion(output.view(-1, 20), targets)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
    scheduler.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
