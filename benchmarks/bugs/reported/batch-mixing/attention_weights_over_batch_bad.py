"""The attention weights sum to one over the batch and not over the context."""

# kind: batch-mixing
# source: https://github.com/PetrochukM/PyTorch-NLP/issues/2
# changed: retrieval from random contexts
# gap: attention over samples is also built on purpose

import hashlib
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dimensions):
        super().__init__()
        self.linear_in = nn.Linear(dimensions, dimensions, bias=False)
        self.linear_out = nn.Linear(dimensions * 2, dimensions, bias=False)
        self.softmax = nn.Softmax(dim=0)  # BUG: samples-mixed-in-batch, softmax-over-batch

    def forward(self, query, context):
        batch_size, output_len, dimensions = query.size()
        query_len = context.size(1)
        scores = torch.bmm(self.linear_in(query), context.transpose(1, 2))
        weights = self.softmax(scores.view(batch_size * output_len, query_len))  # BUG: samples-mixed-in-batch, softmax-over-batch
        weights = weights.view(batch_size, output_len, query_len)
        mix = torch.bmm(weights, context)
        combined = torch.cat((mix, query), dim=2).view(batch_size * output_len, 2 * dimensions)
        return torch.tanh(self.linear_out(combined)).view(batch_size, output_len, dimensions)


class Model(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.attention = Attention(dim)
        self.out = nn.Linear(dim, 4)

    def forward(self, query, context):
        return self.out(self.attention(query, context)).squeeze(1)


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(120):
    context = torch.randn(32, 5, 16)
    chosen = torch.randint(0, 5, (32,))
    found = context[torch.arange(32), chosen]
    query = (found + 0.2 * torch.randn(32, 16)).unsqueeze(1)
    loss = nn.functional.cross_entropy(model(query, context), found[:, :4].argmax(1))  # BUG: samples-mixed-in-batch, softmax-over-batch
    optimizer.zero_grad()
    loss.backward()  # BUG: samples-mixed-in-batch, softmax-over-batch
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
