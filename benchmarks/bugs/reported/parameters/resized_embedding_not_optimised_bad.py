"""The embedding is resized after the optimizer has been made."""

# kind: parameters
# source: https://github.com/huggingface/transformers/pull/3532
# changed: a small language model with tied-free embedding; new tokens are added to a made-up vocabulary

import hashlib
import torch
import torch.nn as nn
import torch.nn.functional as F


class LM(nn.Module):
    def __init__(self, vocab_size, dim=32):
        super().__init__()
        self.embeddings = nn.Embedding(vocab_size, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.decoder = nn.Linear(dim, 24)

    def resize_token_embeddings(self, new_size):
        old = self.embeddings
        self.embeddings = nn.Embedding(new_size, old.embedding_dim)  # BUG: optimizer-holds-stale-parameters, parameter-replaced, parameters-not-in-optimizer
        self.embeddings.weight.data[: old.num_embeddings] = old.weight.data

    def forward(self, ids):
        return self.decoder(self.rnn(self.embeddings(ids))[0])


def train(model, tokens, steps=120):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)  # BUG: optimizer-holds-stale-parameters, parameter-replaced, parameters-not-in-optimizer
    model.resize_token_embeddings(24)  # BUG: optimizer-holds-stale-parameters, parameter-replaced, parameters-not-in-optimizer
    for step in range(steps):
        ix = torch.randint(0, len(tokens) - 13, (16,))
        batch = torch.stack([tokens[i : i + 13] for i in ix])
        loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        loss.backward()  # BUG: optimizer-holds-stale-parameters, parameter-replaced, parameters-not-in-optimizer
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()  # BUG: optimizer-holds-stale-parameters, parameter-replaced, parameters-not-in-optimizer
        model.zero_grad()
    print(loss.item())


torch.manual_seed(0)
tokens = torch.cumsum(torch.randint(1, 4, (2000,)), 0) % 24
model = LM(20)
train(model, tokens)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
