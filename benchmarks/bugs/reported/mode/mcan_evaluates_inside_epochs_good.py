"""net.train() is called in each epoch."""

# kind: mode
# source: https://github.com/MILVLG/mcan-vqa/issues/26
# changed: questions are random ids; the evaluation uses the network that is trained

import hashlib

import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, vocab=40, hidden=32, answers=6):
        super().__init__()
        self.embedding = nn.Embedding(vocab, hidden)
        self.lstm = nn.LSTM(hidden, hidden, batch_first=True)
        self.drop = nn.Dropout(0.3)
        self.proj = nn.Linear(hidden, answers)

    def forward(self, question):
        out, _ = self.lstm(self.embedding(question))
        return self.proj(self.drop(out.amax(1)))


class Execution:
    def __init__(self, seed):
        torch.manual_seed(seed)
        question = torch.randint(0, 40, (900, 9))
        answer = question[:, 0] % 6
        self.train_set = (question[:720], answer[:720])
        self.eval_set = (question[720:], answer[720:])
        self.loss_fn = nn.BCEWithLogitsLoss(reduction="sum")

    def train(self):
        net = Net()
        net.train()
        optim = torch.optim.Adam(net.parameters(), lr=2e-3)
        for epoch in range(6):
            net.train()
            for index in torch.randperm(720).split(48):
                optim.zero_grad()
                pred = net(self.train_set[0][index])
                target = nn.functional.one_hot(self.train_set[1][index], 6).float()
                loss = self.loss_fn(pred, target)
                loss.backward()
                optim.step()
            print(epoch, self.eval(net))
        return net

    def eval(self, net):
        net.eval()
        with torch.no_grad():
            return (net(self.eval_set[0]).argmax(-1) == self.eval_set[1]).float().mean().item()


net = Execution(9).train()
final = b"".join(t.detach().double().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
