"""Cells of a notebook, which IPython compiles under paths of temporary files."""

import linecache
import sys
from typing import Any


def cell(file: str) -> str | None:
    """What the notebook calls it, as "cell In[3]"; None if it is none of this session."""
    notebook: Any = sys.modules.get("IPython")
    shell = notebook.get_ipython() if notebook is not None and hasattr(notebook, "get_ipython") else None
    named = getattr(getattr(shell, "compile", None), "format_code_name", None)
    found = named(file) if named is not None else None
    return f"cell {found[1]}" if found and found[0] == "Cell" else None


def remember(file: str) -> str:
    """The cell's name, under which its source is found from now on; the file itself if it is no cell."""
    name = cell(file)
    if name is None:
        return file
    lines = linecache.getlines(file)
    linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
    return name
