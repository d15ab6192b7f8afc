"""Code that was named on the command line is the user's own, also where it is installed as a library."""

import os
import sys
from importlib.machinery import PathFinder
from pathlib import Path

from surefoot.launch.program import Program


def user_code(program: Program) -> tuple[str, ...]:
    """Prefixes of files that findings may point at, besides those outside of libraries."""
    if program.is_module:
        spec = PathFinder.find_spec(program.name.partition(".")[0], [str(Path.cwd()), *sys.path[1:]])
        file = spec.origin if spec is not None else None
    else:
        file = str(Path(program.name).absolute())
    if file is None or "site-packages" not in file:
        return ()
    alone = Path(file).parent.name == "site-packages"
    return (file,) if alone else (str(Path(file).parent) + os.sep,)
