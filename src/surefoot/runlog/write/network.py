"""File systems of other machines, where SQLite's write-ahead log is not safe: its index is shared memory."""

from __future__ import annotations

import ctypes
import platform
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

KINDS = frozenset(
    [
        "9p",
        "afs",
        "afpfs",
        "beegfs",
        "ceph",
        "cifs",
        "davfs",
        "fhgfs",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "panfs",
        "prl_fs",
        "pvfs2",
        "smb2",
        "smb3",
        "smbfs",
        "vboxsf",
        "virtiofs",
        "vmhgfs",
        "webdav",
        "wekafs",
    ]
)
FUSE = re.compile(r"fuse\.(sshfs|s3fs|gcsfuse|rclone|glusterfs|ceph|juicefs|goofys|blobfuse2?|mountpoint-s3|vmhgfs.*)")
MOUNTS = Path("/proc/self/mountinfo")
MOUNT_COMMAND, MOUNT_SECONDS = "/sbin/mount", 2.0
REMOTE_DRIVE = 4  # GetDriveTypeW's word for it


def is_network(folder: Path) -> bool:
    """Whether it lies on another machine, as far as this system tells."""
    folder = folder.resolve()
    system = platform.system()
    if system == "Windows":
        return _is_remote_drive(str(folder))
    return _is_network_kind(_kind(folder, _linux_mounts() if system == "Linux" else _other_mounts()))


def _is_network_kind(kind: str) -> bool:
    return kind in KINDS or FUSE.fullmatch(kind) is not None


def _kind(folder: Path, mounts: Iterable[tuple[str, str]]) -> str:
    """Of the innermost mount that holds the folder; of two in one place, the later one hides the other."""
    parents = {str(folder), *map(str, folder.parents)}
    found = [(len(place), i, kind) for i, (place, kind) in enumerate(mounts) if place in parents]
    return max(found)[2] if found else ""


def _linux_mounts() -> list[tuple[str, str]]:
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []
    mounts = []
    for line in lines:
        before, _, after = line.partition(" - ")
        mounts.append((_unescaped(before.split()[4]), after.split()[0]))
    return mounts


def _unescaped(place: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), place)


def _other_mounts() -> list[tuple[str, str]]:
    """Lines such as `server:/home on /home (nfs, asynchronous)`."""
    try:
        told = subprocess.run(
            [MOUNT_COMMAND], capture_output=True, text=True, errors="replace", timeout=MOUNT_SECONDS, check=False
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    found = re.findall(r"^.* on (/.*) \((?:[^()]*?type )?([^,()]+)[^()]*\)$", told, re.MULTILINE)
    return [(place, kind.strip()) for place, kind in found]


def _is_remote_drive(folder: str) -> bool:
    if folder.startswith("\\\\"):
        return True
    get_drive_type = ctypes.windll.kernel32.GetDriveTypeW  # type: ignore[attr-defined, unused-ignore]
    return bool(get_drive_type(f"{folder[:2]}\\") == REMOTE_DRIVE)
