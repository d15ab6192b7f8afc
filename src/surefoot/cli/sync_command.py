"""`surefoot sync`: copy runs to where others read them."""

from collections.abc import Sequence
from pathlib import Path

from surefoot.cli.parsing import parser_of
from surefoot.cli.usage import UsageError
from surefoot.cli.voice import Voice

_EXAMPLES = """\
  surefoot sync runs /mnt/share/team          a folder that all machines see
  surefoot sync runs sftp://host/data/team    a machine reached by ssh (needs paramiko)
  surefoot sync runs s3://bucket/team         object storage (needs s3fs; gs:// gcsfs, abfs:// adlfs)
  surefoot dash s3://bucket/team              look at them there

Runs that have ended are copied, each once; what was edited since is copied again. It may be cut at any moment and
called again: nothing is lost or doubled. Runs that still go on are copied when they have ended. Runs that are deleted
here stay there.
"""


def main(argv: Sequence[str]) -> int:
    parser = parser_of("sync", "Copy runs that have ended to a folder, over ssh or to object storage.", _EXAMPLES)
    parser.add_argument("folder", type=Path, metavar="RUNS", help="where runs are logged")
    parser.add_argument("address", metavar="ADDRESS", help="where they are copied to")
    options = parser.parse_args(argv)
    from surefoot.runlog.read.error import RunLogError
    from surefoot.runlog.remote.place import Place
    from surefoot.runlog.remote.sync import sync

    voice = Voice()
    try:
        done = sync(options.folder, Place(options.address), voice.say)
    except RunLogError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        voice.say(f"{options.address} can't be written: {error}")
        return 1
    size = f" ({done.num_bytes / 1e6:,.1f} MB)" if done.copied else ""
    message = [f"{_runs(done.copied)} copied to {options.address}{size}", f"{done.known} there already"]
    message += [f"{done.running} still going on"] if done.running else []
    message += [f"{done.failed} could not be copied"] if done.failed else []
    voice.say("; ".join(message))
    return 1 if done.failed else 0


def _runs(num: int) -> str:
    return "1 run" if num == 1 else f"{num} runs"
