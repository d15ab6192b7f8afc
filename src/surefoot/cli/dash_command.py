"""`surefoot dash`: show runs in the browser, live."""

import webbrowser
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from surefoot.cli.parsing import parser_of, port
from surefoot.cli.usage import UsageError
from surefoot.cli.voice import Voice

MOST_COMPARED = 50  # as on the page
_EXAMPLES = """\
  surefoot dash                          the runs of ./runs
  surefoot dash /data/runs --port 7000   another folder, another port
  surefoot dash s3://bucket/team         runs that `surefoot sync` has copied to an address
  surefoot dash --compare 20260115 latest    two runs side by side
  surefoot dash --no-browser             print the address only, as for an SSH tunnel:
                                         ssh -L 6180:localhost:6180 HOST
  surefoot dash --host 0.0.0.0 --open-to-network

It listens on this machine only, and asks for the token in its address. Names, tags and notes of runs can be edited
there, and runs archived and deleted, all of which can be undone; --no-edits refuses that. With --open-to-network
whoever reaches this machine and has the address sees the runs and can ask them with SQL, but edits nothing, and what is
sent is not encrypted.
"""


def main(argv: Sequence[str]) -> int:
    parser = parser_of("dash", "Show runs in the browser, live.", _EXAMPLES)
    parser.add_argument("folder", nargs="?", metavar="DIR", help="where runs are logged (default: runs), or an address")
    parser.add_argument("--log", default="runs", metavar="DIR", help="the same as DIR")
    parser.add_argument("--port", type=port, metavar="N", help="default: 6180, or the next free one; 0: any")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument(
        "--open-to-network", action="store_true", help="allow a --host that other machines can reach: see below"
    )
    parser.add_argument("--no-edits", action="store_true", help="read-only: do not offer to edit or delete runs")
    parser.add_argument("--compare", nargs="+", metavar="RUN", default=[], help="show these runs side by side at first")
    options = parser.parse_args(argv)
    from surefoot.dashboard.server.serve import PORT, Listening, NoPortError, can_show_browser, serve

    folder = _source(options.folder or options.log)
    place = Listening(
        folder,
        options.host,
        PORT if options.port is None else options.port,
        allows_edits=not (options.no_edits or options.open_to_network or isinstance(folder, str)),
        view=_compared(folder, options.compare),
    )
    if not place.is_loopback and not options.open_to_network:
        raise UsageError(
            f"--host {options.host} lets other machines reach this server: anyone with its address sees the runs, "
            "unencrypted. Add --open-to-network if you want that; an SSH tunnel needs neither."
        )
    voice = Voice()
    voice.say(_where(place.folder))
    shows = not options.no_browser and can_show_browser()
    try:
        serve(place, voice.say, webbrowser.open if shows else None)
    except NoPortError as error:
        raise UsageError(str(error)) from None
    return 0


def _source(given: str) -> Path | str:
    """A folder, or the address of a place that can be reached."""
    from surefoot.runlog.remote.place import is_address

    if not is_address(given):
        return Path(given)
    from surefoot.runlog.read.error import RunLogError
    from surefoot.runlog.remote.runs import RemoteRuns

    try:
        RemoteRuns(given)
    except (RunLogError, OSError) as error:
        raise UsageError(str(error)) from None
    return given


def _compared(folder: Path | str, names: Sequence[str]) -> str:
    """The address of the comparison; names may be abbreviated."""
    if not names:
        return ""
    if not 1 < len(names) <= MOST_COMPARED:
        raise UsageError(f"--compare takes 2 to {MOST_COMPARED} runs, got {len(names)}.")
    if isinstance(folder, str):
        return "#/compare?" + urlencode([("run", name) for name in names])
    from surefoot.cli.stored import find  # what reads runs is not needed to start without

    return "#/compare?" + urlencode([("run", find(name, folder).name) for name in names])


def _where(folder: Path | str) -> str:
    if isinstance(folder, str):
        return f"runs at {folder}"
    if not folder.is_dir():
        return f"there is no folder {folder} yet; runs appear as soon as some are logged there."
    return f"runs of {folder.absolute()}"
