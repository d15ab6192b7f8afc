"""The line that gives attention a padding mask, found in the source if only one does."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surefoot.facts import Site
from surefoot.watch.inventory.module import modules_of
from surefoot.watch.source import parse

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

_KEYWORDS = frozenset(("key_padding_mask", "src_key_padding_mask", "tgt_key_padding_mask", "memory_key_padding_mask"))
_FILLS = frozenset(("masked_fill", "masked_fill_"))
_SOFTMAX = frozenset(("softmax", "Softmax"))
Function = ast.FunctionDef | ast.AsyncFunctionDef


def mask_site(recorder: Recorder) -> Site | None:
    """Torch's own attention goes before attention that someone wrote."""
    files = _files(recorder)
    for finds in (_padding_keywords, _attention_masks, _fills):
        found = {site for file in files if (tree := parse(file)) is not None for site in finds(tree, file)}
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def _files(recorder: Recorder) -> list[str]:
    """Those of the program that were seen, and those of its models."""
    roots = [root for ref in recorder.names.scan.roots if (root := ref()) is not None]
    names = {type(module).__module__ for root in roots for module in modules_of(root)}
    files = {str(getattr(sys.modules.get(name), "__file__", None) or "") for name in names}
    return sorted({*recorder.sites.files(), *(file for file in files if file and recorder.sites.is_user(file))})


def _padding_keywords(tree: ast.Module, file: str) -> Iterator[Site]:
    for call, function in _calls(tree):
        if any(k.arg in _KEYWORDS and not _is_none(k.value) for k in call.keywords):
            yield Site(file, call.lineno, function.name if function is not None else "<module>")


def _attention_masks(tree: ast.Module, file: str) -> Iterator[Site]:
    for call, function in _calls(tree):
        given = [k.value for k in call.keywords if k.arg == "attn_mask"] + call.args[3:4]
        if _called(call) == "scaled_dot_product_attention" and any(not _is_none(value) for value in given):
            yield Site(file, call.lineno, function.name if function is not None else "<module>")


def _fills(tree: ast.Module, file: str) -> Iterator[Site]:
    """In functions that also take a softmax."""
    for call, function in _calls(tree):
        around = tree if function is None else function
        if _called(call) in _FILLS and any(_called(one) in _SOFTMAX for one, _ in _calls(around)):
            yield Site(file, call.end_lineno or call.lineno, function.name if function is not None else "<module>")


def _calls(tree: ast.AST, function: Function | None = None) -> Iterator[tuple[ast.Call, Function | None]]:
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Call):
            yield child, function
        yield from _calls(child, child if isinstance(child, Function) else function)


def _called(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", None) or getattr(call.func, "id", ""))


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
