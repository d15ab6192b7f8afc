"""Start a rule: its module with all sections, and its unit test. Usage: new_rule.py FAMILY NAME"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

RULE = '''"""One sentence that states the defect.

## What it does
Fires when …

## Why it matters
…

## Common belief
…

## In truth
…

## Bad
```python
import torch
```

## Good
```python
import torch
```

## When it stays silent
…
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=StepFacts)
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.backwards:
        return
    yield Evidence(message="…", fix="…", site=now.site)
'''

TEST = '''"""{name} on hand-written facts.{helpers}"""

from surefoot.facts import StepFacts
{imports}

def test_fires() -> None:
    now = StepFacts(at=1, index=1, optimizer=1, update=1)
    (found,) = {ask}
    assert "…" in found.message


def test_silent() -> None:
    now = StepFacts(at=1, index=1, optimizer=1, update=1)
    assert list({ask}) == []
'''


def test_of(family: str, name: str) -> str:
    """With what the tests of the family use: `build.py` beside them makes facts, and asks a rule about them."""
    module, build = name.replace("-", "_"), ROOT / "tests" / "rules" / family / "build.py"
    tree = ast.parse(build.read_text(encoding="utf-8") if build.exists() else "")
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    rule = f"from surefoot.rules.{family}.{module} import check\n"
    helpers = f" `build.py` beside it makes them: {', '.join(functions)}." if functions else ""
    if "ask" in functions:
        now = "[now]" if functions["ask"].args.args[1].arg == "steps" else "now"
        imports, ask = f"{rule}from tests.rules.{family}.build import ask\n", f"ask(check, {now})"
    else:
        imports, ask = f"from surefoot.rules import History\n{rule}", "check.check(now, History())"
    return TEST.format(name=name, helpers=helpers, imports=imports, ask=ask)


def main() -> int:
    if len(sys.argv) != 3 or not re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", sys.argv[2]):
        print("usage: make new-rule NAME=kebab-case-name FAMILY=grad", file=sys.stderr)
        return 2
    family, name = sys.argv[1:]
    module = name.replace("-", "_")
    files = {
        ROOT / "src" / "surefoot" / "rules" / family / f"{module}.py": RULE,
        ROOT / "tests" / "rules" / family / f"test_{module}.py": test_of(family, name),
    }
    taken = [str(file.relative_to(ROOT)) for file in files if file.exists()]
    if taken:
        print(f"there already: {', '.join(taken)}", file=sys.stderr)
        return 2
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        init = file.parent / "__init__.py"
        if not init.exists():
            init.write_text(f'"""The {family} rules."""\n' if "src" in file.parts else "")
        file.write_text(text, encoding="utf-8")
        print(f"wrote {file.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
