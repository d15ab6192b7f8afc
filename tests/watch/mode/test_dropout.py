"""Dropout that eval mode does not reach."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from tests.watch.mode.program import evaluations, train
from tests.watch.watching import watching


class Net(nn.Module):
    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way
        self.first, self.last = nn.Linear(4, 8), nn.Linear(8, 1)
        self.layer = nn.Dropout(0.2)
        self.hidden = [nn.Dropout(0.2)]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.drop(self.first(x))
        result: torch.Tensor = self.last(x)
        return result

    def drop(self, x: torch.Tensor) -> torch.Tensor:
        match self.way:
            case "training left out":
                return F.dropout(x, 0.2)
            case "made in forward":
                return nn.Dropout(0.2)(x)  # type: ignore[no-any-return]
            case "kept in a list":
                return self.hidden[0](x)  # type: ignore[no-any-return]
            case "attention":
                x = x.unsqueeze(1)
                return F.scaled_dot_product_attention(x, x, x, dropout_p=0.2).squeeze(1)
            case "written out":
                return F.dropout(x, 0.2, training=True)
            case "by the mode":
                return F.dropout(x, 0.2, training=self.training)
            case "no chance":
                return F.dropout(x, 0.0)
            case _:
                return self.layer(x)  # type: ignore[no-any-return]


def sites_of(way: str, *, gradient: bool) -> set[str]:
    model = Net(way)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        for _ in range(2):
            model.train()
            train(model, optimizer)
            model.eval()
            with torch.set_grad_enabled(gradient):
                model(torch.randn(8, 4))
        model.train()
        train(model, optimizer, num_steps=1)
    return {str(site.function) for e in evaluations(watched) for site in e.dropout_in_eval}


@pytest.mark.parametrize("gradient", [True, False])
@pytest.mark.parametrize("way", ["training left out", "made in forward", "kept in a list", "attention"])
def test_out_of_reach(way: str, gradient: bool) -> None:
    assert sites_of(way, gradient=gradient) == {"Net.drop"}


@pytest.mark.parametrize("gradient", [True, False])
@pytest.mark.parametrize("way", ["written out", "by the mode", "no chance", "layer"])
def test_within_reach_or_on_purpose(way: str, gradient: bool) -> None:
    assert sites_of(way, gradient=gradient) == set()


def test_layers_put_into_train_mode_one_by_one_are_within_reach() -> None:
    model = Net("layer")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        train(model, optimizer)
        model.eval()
        model.layer.train()
        with torch.no_grad():
            model(torch.randn(8, 4))
        model.train()
        train(model, optimizer, num_steps=1)
    assert [(e.in_train, e.dropout_in_eval) for e in evaluations(watched)] == [(False, ())]
