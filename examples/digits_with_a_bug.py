"""The same training, with two lines in the wrong order."""

import torch
from digits import EPOCHS, accuracy, load, make_model
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    train, test = load()
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=EPOCHS * len(train))
    for epoch in range(1, EPOCHS + 1):
        model.train()
        for x, y in train:
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.zero_grad()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
        if epoch % 5 == 0:
            print(f"epoch {epoch:2}: loss {loss.item():.3f}, test accuracy {accuracy(model, test):.1%}")


if __name__ == "__main__":
    main()
