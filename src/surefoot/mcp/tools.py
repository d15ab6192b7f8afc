"""The tools of the server. Their docstrings are what an assistant sees."""

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from surefoot.facts.frozen import frozen
from surefoot.mcp.answer import MOST_BYTES, as_json, cut, output, tail
from surefoot.mcp.command import Ran, run_command

READING_SECONDS = 120.0  # of tools that run nothing
USAGE_STATUS = 2

Words = Annotated[
    list[str],
    Field(min_length=1, description='as behind `python`: ["train.py", "--lr", "0.1"] or ["-m", "package.train"]'),
]
RunName = Annotated[str, Field(description='the name of a run or its beginning, or "latest"')]
Steps = Annotated[int | None, Field(ge=1, description="end the program after so many optimizer steps")]
Seconds = Annotated[float | None, Field(gt=0, description="interrupt it after this time and report what it found")]


@frozen
class Tools:
    """The methods with a docstring of their own are tools, under their names."""

    folder: Path  # in which programs run
    log: Path  # of the runs
    seconds: float  # that a program may take

    async def findings(self, context: Context[Any, Any], run: RunName = "latest") -> str:
        """What is wrong in a logged run, by all current rules: file, line, cause and fix of each finding."""
        ran = await self._read(context, "replay", "--format", "agent", *self._log(), _plain(run))
        told, said = _agent_line(ran)
        return as_json(told | ({"said": tail(said)} if said else {}), {})

    async def explain(
        self, context: Context[Any, Any], rule: Annotated[str, Field(description='such as "stale-gradients"')]
    ) -> str:
        """What a rule finds, why it matters, a wrong and a right program, and when it stays silent."""
        return cut((await self._read(context, "explain", _plain(rule))).out)

    async def query(
        self, context: Context[Any, Any], sql: Annotated[str, Field(description="one SELECT, in DuckDB's SQL")]
    ) -> str:
        """Ask all runs with SQL; the answer is CSV. `DESCRIBE runs` lists the columns of a view.

        Views: runs, settings, scalars (run, step, name, value), params, steps, findings, hists, events, media, cells.
        """
        return _answer(await self._read(context, "query", "--format", "csv", *self._log(), "-", text=sql))

    async def compare(self, context: Context[Any, Any], first: RunName, second: RunName) -> str:
        """Two runs: settings that differ, and for each series its last and lowest values and where they diverge."""
        return _answer(await self._read(context, "compare", *self._log(), _plain(first), _plain(second)))

    async def run(
        self, context: Context[Any, Any], program: Words, max_steps: Steps = None, timeout_seconds: Seconds = None
    ) -> str:
        """Run a training program, watched: file, line, cause and fix of each silent training bug.

        A few hundred steps show most bugs. The program runs as it is: what it writes is written.
        """
        options = ["--format", "agent", *self._log(), *_limit(max_steps)]
        ran = await self._run(context, timeout_seconds, "run", *options, *_program(program))
        told, said = _agent_line(ran)
        return as_json(told | _ending(ran) | {"output": output(ran.out, said)}, {})

    async def trace(
        self,
        context: Context[Any, Any],
        program: Words,
        at: Annotated[int, Field(ge=1, description="the first step that is traced")] = 1,
        steps: Annotated[int, Field(ge=1, le=5)] = 1,
        timeout_seconds: Seconds = None,
    ) -> str:
        """What a step of a program does, from data to update; the program ends after it."""
        with TemporaryDirectory() as folder:
            file = Path(folder, "trace.txt")
            options = ["--at", str(at), "--steps", str(steps), "-o", str(file), *self._log()]
            ran = await self._run(context, timeout_seconds, "trace", *options, *_program(program))
            return cut(_written(file) or as_json(_ending(ran) | {"output": output(ran.out, ran.err)}, {}))

    async def check(
        self,
        context: Context[Any, Any],
        program: Words,
        only: Annotated[list[str], Field(description="names of checks; all if none is named")] = [],  # noqa: B006
        timeout_seconds: Seconds = None,
    ) -> str:
        """Test before a long run that a program can overfit one batch, needs its input, keeps samples apart, and more.

        It is run several times for a few steps, in copies of the working folder.
        """
        with TemporaryDirectory() as folder:
            file = Path(folder, "checks.json")
            options = ["--json", str(file), *self._log(), *([f"--only={','.join(only)}"] if only else [])]
            ran = await self._run(context, timeout_seconds, "check", *options, *_program(program, dashes=True))
            told = _loaded(file)
            checks = told.pop("checks", [])
            return as_json(told | _ending(ran) | _why_nothing(checks, ran), {"checks": checks})

    async def verify(
        self,
        context: Context[Any, Any],
        program: Words,
        against: Literal["compile", "bf16", "fused", "ddp", "fsdp"],
        ranks: Annotated[int, Field(ge=2, le=8, description="of ddp and fsdp")] = 2,
        steps: Annotated[int, Field(ge=1, le=20)] = 3,
        timeout_seconds: Seconds = None,
    ) -> str:
        """Does a program compute the same compiled, under autocast, fused, or on ranks? Names the first difference."""
        preset = [f"--{against}", *([str(ranks)] if against in ("ddp", "fsdp") else [])]
        options = ["--steps", str(steps), *self._log(), *preset]
        return cut((await self._run(context, timeout_seconds, "verify", *options, *_program(program))).err)

    async def fix(
        self, context: Context[Any, Any], program: Words, max_steps: Steps = None, timeout_seconds: Seconds = None
    ) -> str:
        """A patch for each finding, as a diff, proven by running the program with it in a copy. Changes no file.

        Diffs apply in their order with `patch -p1`; some findings have none, and the reason is told.
        """
        return await self._fix(context, program, max_steps, timeout_seconds)

    async def apply_fix(
        self, context: Context[Any, Any], program: Words, max_steps: Steps = None, timeout_seconds: Seconds = None
    ) -> str:
        """Like `fix`, and writes the proven patches into the files."""
        return await self._fix(context, program, max_steps, timeout_seconds, "--apply")

    async def _fix(
        self, context: Context[Any, Any], program: Sequence[str], steps: int | None, seconds: float | None, *more: str
    ) -> str:
        with TemporaryDirectory() as folder:
            file = Path(folder, "fixes.json")
            options = ["--json", str(file), *self._log(), *_limit(steps), *more]
            ran = await self._run(context, seconds, "fix", *options, *_program(program, dashes=True))
            told = _loaded(file)
            found = {name: told.get(name, []) for name in ("patches", "unpatched")}
            return as_json(_ending(ran) | _why_nothing(told, ran), found)

    async def _read(self, context: Context[Any, Any], *args: str, text: str = "") -> Ran:
        return await self._run(context, READING_SECONDS, *args, text=text)

    async def _run(self, context: Context[Any, Any], seconds: float | None, *args: str, text: str = "") -> Ran:
        async def tick(passed: float) -> None:
            await context.report_progress(passed, message=f"surefoot {args[0]}: {passed:.0f} s")

        limit = min(seconds or self.seconds, self.seconds)
        ran = await run_command(args, folder=self.folder, seconds=limit, text=text, tick=tick)
        if ran.status == USAGE_STATUS and not ran.is_cut_short and (why := _refusal(ran.err)):
            raise ToolError(why)
        return ran

    def _log(self) -> list[str]:
        return ["--log", str(self.log)]


def _answer(ran: Ran) -> str:
    """Also what was said about it, such as that rows are damaged."""
    said = "\n".join(filter(None, (tail(ran.err), "interrupted at its limit of time" if ran.is_cut_short else "")))
    told = cut(ran.out, MOST_BYTES - len(said.encode()) - 1, ran.num_out)
    return "\n".join(filter(None, (told.rstrip("\n"), said)))


def _plain(name: str) -> str:
    """A name, and neither an option nor a path out of the folder of runs."""
    if not name or name[0] in "-." or "/" in name or "\\" in name:
        raise ToolError(f"{name!r} is no name: it must not begin with - or . nor hold a slash.")
    return name


def _program(words: Sequence[str], *, dashes: bool = False) -> list[str]:
    """`dashes`: the command would take options behind the program for its own."""
    head = 2 if words[0] == "-m" else 1
    if len(words) < head or words[head - 1].startswith("-"):
        raise ToolError('program must begin with a script, or with "-m" and a module.')
    return [*words[:head], *(["--"] if dashes else []), *words[head:]]


def _limit(steps: int | None) -> list[str]:
    return [] if steps is None else ["--max-steps", str(steps)]


def _refusal(err: str) -> str:
    """What surefoot said about wrong usage, if it did: a program may end with this status, too."""
    last = err.strip().rpartition("\n")[2]
    return last.removeprefix("surefoot: ") if last.startswith("surefoot: ") else ""


def _agent_line(ran: Ran) -> tuple[dict[str, Any], str]:
    """What `--format agent` told, and what stood before it."""
    said, _, last = ran.err.rstrip("\n").rpartition("\n")
    try:
        told = json.loads(last)
    except ValueError:
        told = None
    if not isinstance(told, dict) or "surefoot" not in told:
        return {"findings": [], "remarks": ["the program ended so that nothing could be told"]}, ran.err
    return told, said


def _ending(ran: Ran) -> dict[str, Any]:
    return {"ended": "interrupted at its limit of time" if ran.is_cut_short else f"with status {ran.status}"}


def _why_nothing(found: Any, ran: Ran) -> dict[str, Any]:
    return {} if found else {"output": output(ran.out, ran.err)}


def _written(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _loaded(file: Path) -> dict[str, Any]:
    text = _written(file)
    return json.loads(text) if text else {}
