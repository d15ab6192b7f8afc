"""Where the write-ahead log is not safe, another journal is used."""

import platform
import sqlite3
import subprocess
from pathlib import Path

import pytest

from surefoot.runlog.write import network, store
from surefoot.runlog.write.log import RunLog
from tests.runlog.write.stored import ask, scalars

LINUX = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 22 0:35 / /home rw,relatime shared:20 - nfs4 server:/home rw,vers=4.2
41 40 0:36 / /home/me/local\\040disk rw,relatime - xfs /dev/vdb rw
42 22 0:37 / /mnt/remote rw - fuse.sshfs me@server: rw
43 22 0:38 / /mnt/fuse rw - fuse.bindfs /x rw
44 22 0:39 / /data rw - ext4 /dev/vdc rw
45 44 0:40 / /data rw - lustre mds:/data rw
"""
MAC = """\
/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
//me@server/share on /Volumes/a share (smbfs, nodev, nosuid, mounted by me)
server:/home on /Network/home (nfs, asynchronous)
"""


@pytest.mark.skipif(platform.system() == "Windows", reason="paths of other systems")
@pytest.mark.parametrize(
    ("folder", "is_remote"),
    [("/tmp/runs", False), ("/home/me/runs", True), ("/home/me/local disk/runs", False), ("/mnt/remote", True),
     ("/mnt/fuse/runs", False), ("/data/runs", True), ("/homeless/runs", False)],
)  # fmt: skip
def test_linux_is_read_from_the_mount_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, is_remote: bool
) -> None:
    (tmp_path / "mountinfo").write_text(LINUX)
    monkeypatch.setattr(network, "MOUNTS", tmp_path / "mountinfo")
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    assert network.is_network(Path(folder)) is is_remote


@pytest.mark.skipif(platform.system() == "Windows", reason="paths of other systems")
@pytest.mark.parametrize(
    ("folder", "is_remote"), [("/Users/me", False), ("/Volumes/a share/runs", True), ("/Network/home/me", True)]
)
def test_elsewhere_mount_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, is_remote: bool
) -> None:
    (tmp_path / "told").write_text(MAC)
    (tmp_path / "mount").write_text(f"#!/bin/sh\ncat '{tmp_path / 'told'}'\n")
    (tmp_path / "mount").chmod(0o755)
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(network, "MOUNT_COMMAND", str(tmp_path / "mount"))
    assert network.is_network(Path(folder)) is is_remote


def test_what_cant_be_told_is_taken_as_local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "MOUNTS", tmp_path / "none")
    monkeypatch.setattr(network, "MOUNT_COMMAND", str(tmp_path / "none"))
    for system in ("Linux", "Darwin"):
        monkeypatch.setattr(platform, "system", lambda system=system: system)
        assert not network.is_network(tmp_path)
    with pytest.raises(OSError):
        subprocess.run([network.MOUNT_COMMAND], check=False)


def test_a_share_of_windows_is_remote() -> None:
    assert network._is_remote_drive("\\\\server\\share\\runs")


def write(file: Path) -> None:
    log = RunLog(file, {}, pytest.fail)
    for step in range(20):
        log.scalars(step, {"loss": step / 8})
        assert log.flush()
    log.close()


def test_on_a_network_a_rollback_journal_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "is_network", lambda folder: True)
    file = tmp_path / "rank-0.db"
    log = RunLog(file, {}, pytest.fail)
    assert log.flush()
    reader = sqlite3.connect(file)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM meta").fetchall()  # holds up the writer, and nobody else
    log.scalars(1, {"loss": 0.5})
    assert not log.flush(wait_seconds=0.3)
    reader.rollback()
    reader.close()
    assert log.flush()
    log.close()
    assert ask(file, "PRAGMA journal_mode") == [("delete",)]
    assert scalars(file) == {"loss": [(1, 0.5)]}


def test_where_sqlite_refuses_the_write_ahead_log_a_rollback_journal_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    class Refusing(sqlite3.Connection):
        def execute(self, sql: str, *args: object) -> sqlite3.Cursor:
            return super().execute(sql.replace("journal_mode=WAL", "journal_mode"), *args)  # type: ignore[arg-type]

    monkeypatch.setattr(store.sqlite3, "connect", lambda *args, **kwargs: connect(*args, **kwargs, factory=Refusing))
    write(tmp_path / "rank-0.db")
    monkeypatch.undo()
    assert ask(tmp_path / "rank-0.db", "PRAGMA journal_mode") == [("delete",)]
    assert len(scalars(tmp_path / "rank-0.db")["loss"]) == 20
