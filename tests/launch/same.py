"""Run a program with and without surefoot and compare all that can be seen of it from outside."""

from pathlib import Path

from tests.cli.command import Done, python, surefoot


def run_both(*args: object, cwd: Path, **env: str) -> Done:
    """Assert that stdout, exit status and stderr are the same; what surefoot added to stderr comes back as `err`."""
    plain = python(*args, cwd=cwd, **env)
    watched = surefoot("run", "--no-log", "--fail-on", "never", *args, cwd=cwd, **env)
    assert watched.out == plain.out
    assert watched.status == plain.status, watched.err
    assert watched.err.startswith(plain.err), f"plain:\n{plain.err}\nwatched:\n{watched.err}"
    return Done(plain.status, plain.out, watched.err.removeprefix(plain.err))
