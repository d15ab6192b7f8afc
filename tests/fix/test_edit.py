"""Edits keep what they do not change: comments, spacing, line endings."""

from pathlib import Path

import libcst as cst
import pytest

from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source

CODE = '''\
"""A script."""

import torch


for x in data:   # odd   spacing stays

    # the backward
    loss.backward()  # here
    optimizer.step()
'''


def _source(code: str = CODE) -> Source:
    return Source(Path("train.py"), code)


def _statement(source: Source, start: str) -> cst.SimpleStatementLine:
    return next(each for each in source.walk(cst.SimpleStatementLine) if source.code(each.body[0]).startswith(start))


def test_inserted_line_goes_below_the_comment_of_its_anchor() -> None:
    source = _source()
    text = Edit(source).insert_before(_statement(source, "loss"), "optimizer.zero_grad()").text()
    assert text == CODE.replace("    loss.back", "    optimizer.zero_grad()\n    loss.back")


def test_moved_line_takes_its_comments_along() -> None:
    source = _source()
    text = Edit(source).move_after(_statement(source, "loss"), _statement(source, "optimizer")).text()
    assert text.endswith("    optimizer.step()\n    # the backward\n    loss.backward()  # here\n")


def test_line_endings_stay() -> None:
    source = _source(CODE.replace("\n", "\r\n"))
    text = Edit(source).insert_after(_statement(source, "optimizer"), "x = 1").text()
    assert text == (CODE + "    x = 1\n").replace("\n", "\r\n")


def test_import_is_added_once_and_after_those_from_the_future() -> None:
    source = _source("from __future__ import annotations\n\nx = 1\n")
    assert Edit(source).add_import("import copy").text() == "from __future__ import annotations\nimport copy\n\nx = 1\n"
    known = _source("import copy\n\nx = 1\n")
    assert Edit(known).add_import("import copy").text() == known.text


def test_import_comes_after_the_docstring() -> None:
    source = _source('"""A script."""\nx = 1\n')
    assert Edit(source).add_import("import copy").text() == '"""A script."""\nimport copy\nx = 1\n'


def test_new_code_that_is_none_fails_when_the_text_is_made() -> None:
    source = _source()
    edit = Edit(source).replace(source.walk(cst.Call)[0], "(")
    with pytest.raises(cst.ParserSyntaxError):
        edit.text()
