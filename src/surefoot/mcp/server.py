"""The server: which tools it offers, and what it says about itself."""

from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from surefoot.mcp.tools import Tools
from surefoot.version import __version__

READ = ("findings", "explain", "query", "compare")
# With --allow-run. The first two run the program itself, where it is; the others run it in copies.
RUN_IN_PLACE = ("run", "trace")
RUN_IN_COPIES = ("check", "verify", "fix")
WRITE = ("apply_fix",)  # with --allow-write

_ABOUT = """\
surefoot names silent bugs of PyTorch training programs, with file, line, evidence and fix. It knows runs that were \
logged under `surefoot run`: `findings` says what is wrong in one, `explain` tells about a rule. """
_MAY_RUN = """\
`run` a program for a few hundred steps (max_steps), read its findings, `fix` it, and `run` it again. Causes stand \
before what follows from them: mend the first finding first. """
_MAY_NOT_RUN = "This server runs no program: it was started without --allow-run. "
_MAY_NOT_WRITE = "It changes no source file: apply the diffs of `fix` yourself. "


def make_server(tools: Tools, *, may_run: bool, may_write: bool) -> MCPServer[Any]:
    about = _ABOUT + (_MAY_RUN + ("" if may_write else _MAY_NOT_WRITE) if may_run else _MAY_NOT_RUN)
    server: MCPServer[Any] = MCPServer("surefoot", instructions=about.strip(), version=__version__, log_level="WARNING")
    offered = {
        READ: ToolAnnotations(read_only_hint=True, open_world_hint=False),
        RUN_IN_PLACE: ToolAnnotations(read_only_hint=False, destructive_hint=True) if may_run else None,
        RUN_IN_COPIES: ToolAnnotations(read_only_hint=False, destructive_hint=False) if may_run else None,
        WRITE: ToolAnnotations(read_only_hint=False, destructive_hint=True) if may_run and may_write else None,
    }
    for names, annotations in offered.items():
        for name in names if annotations else ():
            tool: Callable[..., Any] = getattr(tools, name)
            server.add_tool(tool, annotations=annotations, structured_output=False)
    return server
