"""Go on with a file whose connection was lost.

SQLite shares locks and its write-ahead index between all connections of a process to one file, so a new connection to
the same file would use the lost descriptors. A copy is another file, which takes the place of the first.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from surefoot.runlog.checksum import keep_checksums
from surefoot.runlog.write.claim import release


def replace_by_copy(file: Path) -> None:
    """All that was committed, in a new file of the same name that nobody claims."""
    copy = file.with_name(file.name + ".copy")
    log = file.with_name(file.name + "-wal")
    copied_log = copy.with_name(copy.name + "-wal")
    shutil.copyfile(file, copy)
    if log.exists():
        shutil.copyfile(log, copied_log)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        keep_checksums(connection)
        release(connection)
        connection.execute("PRAGMA journal_mode=DELETE")  # brings the log in, so that one file holds everything
    copied_log.unlink(missing_ok=True)
    copy.replace(file)  # before the log goes: with it, readers find the same as without
    for suffix in ("-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
