"""Where parameters come from, and which optimizers follow each other."""

from pathlib import Path

from tests.watch.inventory.test_setup_probe import HEAD, parameters, records_of, setup_of, steps

TRAIN = """
import copy

def train(model, optimizer, steps=2):
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(8, 4)).pow(2).mean().backward()
        optimizer.step()

"""


def line_of(text: str, code: str) -> int:
    return (HEAD + TRAIN + code).splitlines().index(text) + 1


def test_replaced_parameters_know_their_successor_and_the_line(tmp_path: Path) -> None:
    code = """
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
train(model, optimizer)
model[1] = nn.Linear(4, 1)
train(model, optimizer)
"""
    found = setup_of(records_of(TRAIN + code, tmp_path / "program.py")).parameters
    old = [p for p in found if p.had_home]
    # With other models alive, left over from other tests, names carry the model's.
    names = [(p.name.removeprefix("model."), (p.replaced_by or "").removeprefix("model."), p.reached) for p in old]
    assert names == [
        ("1.weight", "1.weight", True),
        ("1.bias", "1.bias", True),
    ]
    assert {p.replaced_at.line for p in old if p.replaced_at} == {line_of("model[1] = nn.Linear(4, 1)", code)}


def test_loaded_copied_and_trained_before(tmp_path: Path) -> None:
    code = """
model, copied, loaded = nn.Linear(4, 4), None, nn.Linear(4, 1)
train(model, torch.optim.SGD(model.parameters(), lr=0.01))
copied = copy.deepcopy(model)
loaded.load_state_dict(nn.Linear(4, 1).state_dict())
last = nn.Linear(1, 1)
train(lambda x: last(loaded(copied(model(x)))), torch.optim.SGD(last.parameters(), lr=0.01))
"""
    found = parameters(records_of(TRAIN + code, tmp_path / "program.py"))
    flags = {name: (p.trained, p.copied, p.loaded) for name, p in found.items() if name.endswith("weight")}
    assert flags == {
        "model.weight": (True, False, False),
        "copied.weight": (False, True, False),
        "loaded.weight": (False, False, True),
        "last.weight": (True, False, False),
    }


def test_blocks_cloned_inside_a_model_are_no_copies(tmp_path: Path) -> None:
    code = """
block = nn.Linear(4, 4)
model = nn.Sequential(nn.ModuleList([copy.deepcopy(block), copy.deepcopy(block)]))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
train(lambda x: model[0][1](model[0][0](x)), optimizer)
"""
    assert not any(p.copied for p in setup_of(records_of(TRAIN + code, tmp_path / "program.py")).parameters)


def test_what_the_program_moves_itself_is_by_hand(tmp_path: Path) -> None:
    code = """
model, other = nn.Linear(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(4):
    train(lambda x: other(model(x)), optimizer, steps=1)
    for p in other.parameters():
        p.data -= 0.01 * p.grad
"""
    found = parameters(records_of(TRAIN + code, tmp_path / "program.py"))
    assert found["other.weight"].by_hand and found["other.weight"].nonzero
    assert not found["model.weight"].by_hand


LOOP = """
model = nn.Linear(4, 1)
for _ in range(4):
    {reset}
    train(model, torch.optim.{optimizer})
"""


def ancestors(tmp_path: Path, optimizer: str, reset: str = "pass") -> list[int]:
    records = records_of(TRAIN + LOOP.format(optimizer=optimizer, reset=reset), tmp_path / "program.py")
    assert len(steps(records)) == 8
    return [len(o.ancestors) for o in setup_of(records).optimizers if o.id == 4]


def test_an_optimizer_with_state_made_again_on_one_line_has_ancestors(tmp_path: Path) -> None:
    assert ancestors(tmp_path, "Adam(model.parameters())") == [3]
    assert ancestors(tmp_path, "SGD(model.parameters(), lr=0.01, momentum=0.9)") == [3]


def test_no_ancestors_without_state_or_after_a_reset(tmp_path: Path) -> None:
    assert ancestors(tmp_path, "SGD(model.parameters(), lr=0.01)") == [0]
    assert ancestors(tmp_path, "Adam(model.parameters())", "model.reset_parameters()") == [0]
    assert ancestors(tmp_path, "Adam(model.parameters())", "model.weight.data = torch.randn(1, 4)") == [0]
