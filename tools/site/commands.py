"""The reference of the command line: what `--help` prints, as Markdown."""

import contextlib
import io
import os
from collections.abc import Iterator

from surefoot.cli.main import COMMANDS, main

_WIDTH = "100"


def page() -> str:
    parts = [
        "# Command line",
        "What `surefoot --help` and `surefoot COMMAND --help` print.",
        f"```text\n{help_of()}\n```",
    ]
    for name in COMMANDS:
        parts += [f"## surefoot {name}", f"```text\n{help_of(name)}\n```"]
    return "\n\n".join(parts) + "\n"


def help_of(*command: str) -> str:
    with _columns(), contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main([*command, "--help"])
    return out.getvalue().rstrip()


@contextlib.contextmanager
def _columns() -> Iterator[None]:
    """The pages must not depend on the terminal that builds them."""
    wanted = {"COLUMNS": _WIDTH, "NO_COLOR": "1"}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
