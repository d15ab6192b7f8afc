"""Write docs/rules from the rules' own documentation, or with --check tell whether it is up to date."""

import sys
from pathlib import Path

from surefoot.rules import Rule
from surefoot.rules.catalogue import catalogue

FOLDER = Path(__file__).parent.parent / "docs" / "rules"


def page(rule: Rule) -> str:
    return f"# {rule.name}\n\n*{rule.level}, family {rule.family}*\n\n{rule.doc}\n"


def index(rules: list[Rule]) -> str:
    lines = ["# Rules", "", "Written by `make docs` from the rules themselves.", ""]
    for family in sorted({rule.family for rule in rules}):
        lines += [f"## {family}", "", "| rule | level | finds |", "|---|---|---|"]
        lines += [
            f"| [{rule.name}]({rule.name}.md) | {rule.level} | {rule.summary} |"
            for rule in rules
            if rule.family == family
        ]
        lines.append("")
    return "\n".join(lines)


def pages() -> dict[str, str]:
    """File names and their contents. Plug-ins document themselves."""
    rules = [rule for rule in catalogue().values() if rule.check.__module__.startswith("surefoot.")]
    return {"README.md": index(rules)} | {f"{rule.name}.md": page(rule) for rule in rules}


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    present = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.md")}
    stale = sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))
    if "--check" in sys.argv[1:]:
        if stale:
            print(f"docs/rules is not up to date: {', '.join(stale)}. Run `make docs`.", file=sys.stderr)
        return int(bool(stale))
    for name in stale:
        if name in wanted:
            (FOLDER / name).write_text(wanted[name], encoding="utf-8")
        else:
            (FOLDER / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
