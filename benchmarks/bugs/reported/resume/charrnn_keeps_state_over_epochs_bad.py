"""The hidden state of the end of the text is carried to its beginning."""

# kind: resume
# source: https://github.com/karpathy/char-rnn/issues/78
# changed: PyTorch in place of Lua; a made-up text of letters
# gap: carrying a state from batch to batch is right but for the first one

import hashlib

import torch
from torch import nn

class CharRNN(nn.Module):
    def __init__(self, vocab=12, hidden=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden)
        self.rnn = nn.LSTM(hidden, hidden)
        self.decode = nn.Linear(hidden, vocab)

    def forward(self, x, state):
        out, state = self.rnn(self.embed(x), state)
        return self.decode(out), state


torch.manual_seed(37)
text = (torch.arange(2400) * 5 + torch.randint(0, 2, (2400,))) % 12
stream = text.view(8, 300).t().contiguous()
model = CharRNN()
optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
state = None
for epoch in range(6):
    for i in range(0, 280, 20):
        x, y = stream[i : i + 20], stream[i + 1 : i + 21]
        if state is not None:
            state = tuple(s.detach() for s in state)
        logits, state = model(x, state)  # BUG: state-over-epochs
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 5)
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
