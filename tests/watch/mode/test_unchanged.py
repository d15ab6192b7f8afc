"""The wrappers change nothing: not the results, not what compilers and TorchScript see, and they are taken off."""

import pickle

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tests.watch.watching import watching


class Everything(nn.Module):
    """All that is wrapped."""

    def __init__(self, *, recurrent: bool) -> None:
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.norm = nn.BatchNorm1d(8)
        self.drop = nn.Dropout(0.2)
        self.alpha = nn.AlphaDropout(0.1)
        self.attention = nn.MultiheadAttention(8, 2, dropout=0.1, batch_first=True)
        self.recurrent = nn.LSTM(8, 8, 2, dropout=0.1, batch_first=True) if recurrent else None
        self.last = nn.Linear(8, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.alpha(self.drop(self.norm(self.first(x)))).unsqueeze(1)
        if self.recurrent is not None:
            x = self.recurrent(x)[0]
        x = self.attention(x, x, x)[0]
        x = F.scaled_dot_product_attention(x, x, x, dropout_p=0.1 if self.training else 0.0)
        result: Tensor = self.last(F.dropout(x.squeeze(1), 0.1, self.training))
        return result


def run(backend: str | None) -> list[Tensor]:
    """Weights, statistics, predictions and the random state after two epochs."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    model = Everything(recurrent=backend is None)
    called = model if backend is None else torch.compile(model, backend=backend, fullgraph=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    predictions = []
    for _ in range(2):
        called.train()
        for _ in range(3):
            x = torch.randn(8, 4)
            optimizer.zero_grad()
            F.mse_loss(called(x), x.sum(1, keepdim=True)).backward()
            optimizer.step()
        called.eval()
        with torch.no_grad():
            predictions.append(called(torch.randn(8, 4)))
    return [*model.state_dict().values(), *predictions, torch.get_rng_state()]


@pytest.mark.parametrize("backend", [None, "eager", "aot_eager"])
def test_results_are_bitwise_those_of_the_bare_program(backend: str | None) -> None:
    bare = run(backend)
    with watching():
        watched = run(backend)
    assert all(torch.equal(a, b) for a, b in zip(bare, watched, strict=True))


def test_a_compiled_program_that_falls_back_to_python_does_not_compile_us() -> None:
    graphs: list[int] = []

    def backend(graph: torch.fx.GraphModule, inputs: list[Tensor]) -> torch.fx.GraphModule:
        graphs.append(len(graph.graph.nodes))
        return graph

    def count() -> list[int]:
        graphs.clear()
        torch._dynamo.reset()
        model = torch.compile(Everything(recurrent=True), backend=backend)
        model(torch.randn(8, 4)).sum().backward()
        model.eval()
        with torch.no_grad():
            model(torch.randn(8, 4))
        return list(graphs)

    bare = count()
    with watching():
        assert count() == bare


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_torchscript_and_tracing_see_the_originals() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5)).eval()
    x = torch.randn(3, 4)
    with watching():
        scripted = torch.jit.script(model)
        assert torch.equal(scripted(x), model(x))
        graph = torch.fx.symbolic_trace(model)
        assert torch.equal(graph(x), model(x))
        pickle.loads(pickle.dumps(model))
        pickle.dumps(F.dropout)


def test_nothing_stays_behind() -> None:
    before = (nn.Module.train, nn.BatchNorm1d.forward, nn.LSTM.forward, F.dropout, F.scaled_dot_product_attention)
    with watching():
        assert F.dropout is not before[3]
    assert before == (
        nn.Module.train, nn.BatchNorm1d.forward, nn.LSTM.forward, F.dropout, F.scaled_dot_product_attention,
    )  # fmt: skip
