"""Watched programs end with the weights of the bare ones, bit for bit, compiled or not, followed or not."""

import builtins
import textwrap
from pathlib import Path

import pytest
import torch

from tests.watch.graph.program import START, watch

END = "\nout.append([p.detach().clone() for p in model.parameters()] + [torch.rand(3)])\n"

PROGRAMS = {
    "followed": """
        model.append(nn.Dropout(0.2)).append(nn.Linear(1, 1))
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(6):
            x = torch.randn(8, 4)
            optimizer.zero_grad()
            F.mse_loss(model[3:](model[:3](x).detach()), x[:, :1]).backward()
            optimizer.step()
    """,
    "followed attention": """
        layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
        model = nn.ModuleList([model, layer, nn.Linear(4, 1)])
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(6):
            x = torch.randn(8, 3, 4)
            optimizer.zero_grad()
            F.mse_loss(model[2](layer(x).data), x[..., :1]).backward()
            optimizer.step()
    """,
    "kept": """
        losses = []
        for _ in range(20):
            x = torch.randn(8, 4)
            optimizer.zero_grad()
            loss = F.mse_loss(F.dropout(model(x), 0.1), x[:, :1])
            loss.backward()
            optimizer.step()
            losses.append(loss)
    """,
    "checked": """
        class Noise(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.factor = torch.rand_like(x)
                return x * ctx.factor

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.factor

        for _ in range(6):
            x = torch.randn(8, 4)
            optimizer.zero_grad()
            F.mse_loss(Noise.apply(model(x)), x[:, :1]).backward()
            optimizer.step()
    """,
}
for backend in ("eager", "aot_eager"):
    PROGRAMS[f"compiled by {backend}"] = f"""
        fast = torch.compile(model, backend="{backend}")
        losses = []
        for i in range(12):
            x = torch.randn(8, 4)
            optimizer.zero_grad()
            loss = F.mse_loss(fast(x), x[:, :1])
            loss.backward(retain_graph=i < 0)
            optimizer.step()
            losses.append(loss)
    """
    PROGRAMS[f"function compiled by {backend}"] = f"""
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x**3

            @staticmethod
            def backward(ctx, grad):
                return grad * 3 * ctx.saved_tensors[0] ** 2

        @torch.compile(backend="{backend}")
        def loss_of(x):
            return F.mse_loss(Cube.apply(model(x)), x[:, :1])

        for _ in range(6):
            optimizer.zero_grad()
            loss_of(torch.randn(8, 4)).backward()
            optimizer.step()
    """


@pytest.mark.filterwarnings("ignore")  # the compiler warns of its own code
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_bits(name: str, tmp_path: Path) -> None:
    results: list[list[torch.Tensor]] = []
    hook = "import builtins\nout = builtins.__dict__['_surefoot_test_out']\n"
    body = hook + textwrap.dedent(PROGRAMS[name]) + END
    vars(builtins)["_surefoot_test_out"] = results
    try:
        exec(START + body, {"__name__": "__main__"})
        findings, _, _ = watch(body, tmp_path)
    finally:
        del vars(builtins)["_surefoot_test_out"]
    bare, watched = results
    assert all(torch.equal(a, b) for a, b in zip(bare, watched, strict=True))
    if name.startswith("compiled"):  # what needs no hooks is found in compiled programs too
        assert {f.rule for f in findings} == {"graph-kept-alive"}
