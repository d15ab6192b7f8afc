"""Files are written whole, all or none."""

from pathlib import Path

import pytest

from surefoot.fix.write import ChangedError, apply, write


def test_file_changed_meanwhile_stays_and_so_do_the_others(tmp_path: Path) -> None:
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text("1\n")
    other.write_text("edited\n")
    with pytest.raises(ChangedError, match="was changed meanwhile"):
        apply({one: "patched\n", other: "patched\n"}, {one: "1\n", other: "2\n"})
    assert (one.read_text(), other.read_text()) == ("1\n", "edited\n")
    assert len(list(tmp_path.iterdir())) == 2


def test_new_file_and_old_one(tmp_path: Path) -> None:
    write(tmp_path / "new.py", "a\n")
    write(tmp_path / "new.py", "b\n")
    assert (tmp_path / "new.py").read_text() == "b\n"
    with pytest.raises(OSError):
        write(tmp_path / "missing" / "new.py", "a\n")
