"""best_state is a copy."""

# kind: best-weights
# source: https://github.com/sicara/easy-few-shot-learning/pull/129
# changed: a prototypical network over random clusters

import copy
import hashlib

import torch
from torch import nn

class PrototypicalNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 8))

    def forward(self, support, query):
        prototypes = self.backbone(support).mean(2)
        return -torch.cdist(self.backbone(query), prototypes)


def sample_task(batch=8, ways=4, shots=3):
    centres = torch.randn(batch, ways, 10)
    support = centres.unsqueeze(2) + torch.randn(batch, ways, shots, 10)
    query = centres + torch.randn(batch, ways, 10)
    return support, query, torch.arange(ways).repeat(batch)


def training_epoch(model, optimizer):
    model.train()
    for _ in range(20):
        support, query, labels = sample_task()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(support, query).flatten(0, 1), labels)
        loss.backward()
        optimizer.step()
    return loss.item()


@torch.no_grad()
def evaluate(model):
    model.eval()
    support, query, labels = sample_task(64)
    return (model(support, query).flatten(0, 1).argmax(1) == labels).float().mean().item()


torch.manual_seed(24)
few_shot_classifier = PrototypicalNetwork()
train_optimizer = torch.optim.SGD(few_shot_classifier.parameters(), lr=0.02, momentum=0.9)
best_state = few_shot_classifier.state_dict()
best_validation_accuracy = 0.0
for epoch in range(8):
    average_loss = training_epoch(few_shot_classifier, train_optimizer)
    validation_accuracy = evaluate(few_shot_classifier)
    if validation_accuracy > best_validation_accuracy:
        best_validation_accuracy = validation_accuracy
        best_state = copy.deepcopy(few_shot_classifier.state_dict())
        print("Ding ding ding! We found a new best model!")
    print(epoch, average_loss, validation_accuracy)
few_shot_classifier.load_state_dict(best_state)
print(evaluate(few_shot_classifier))
final = b"".join(t.detach().double().numpy().tobytes() for t in few_shot_classifier.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
