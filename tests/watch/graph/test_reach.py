"""How far back graphs reach, and whether a kept one is used again."""

from pathlib import Path

from tests.watch.graph.program import steps_of, watch


def graphs(body: str, folder: Path) -> list[tuple[int | None, bool | None]]:
    _, records, _ = watch(body, folder)
    return [(s.graph.num_spanned_steps, s.graph.reused) for s in steps_of(records) if s.graph is not None]


def test_plain_loop(tmp_path: Path) -> None:
    body = """
    for _ in range(5):
        x = torch.randn(8, 4)
        optimizer.zero_grad()
        F.mse_loss(model(x), x[:, :1]).backward()
        optimizer.step()
    """
    assert graphs(body, tmp_path) == [(0, False)] * 5


def test_carried_state(tmp_path: Path) -> None:
    body = """
    layer = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
    state = 0
    for _ in range(5):
        state = 0.5 * state + layer(torch.randn(8, 4))
        optimizer.zero_grad()
        state.square().mean().backward(retain_graph=True)
        optimizer.step()
    """
    assert graphs(body, tmp_path) == [(0, False), (1, True), (2, True), (3, True), (4, True)]


def test_two_losses_over_one_graph(tmp_path: Path) -> None:
    body = """
    for _ in range(3):
        x = torch.randn(8, 4)
        hidden = model[:2](x)
        optimizer.zero_grad()
        model[2](hidden).mean().backward(retain_graph=True)
        hidden.square().mean().backward()
        optimizer.step()
    """
    assert graphs(body, tmp_path) == [(0, True)] * 3


def test_autograd_grad_is_counted(tmp_path: Path) -> None:
    body = """
    for _ in range(3):
        x = torch.randn(8, 4, requires_grad=True)
        out = model(x)
        (slope,) = torch.autograd.grad(out.sum(), x, create_graph=True)
        optimizer.zero_grad()
        (slope.square().mean() + out.mean()).backward()
        optimizer.step()
    """
    _, records, _ = watch(body, tmp_path)
    assert [s.graph.num_grad_calls for s in steps_of(records) if s.graph is not None] == [1, 2, 3]
