"""The API reference: the signature and the docstring of every public name, as Markdown."""

import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import surefoot as sf

PAGES = {
    "Watch a training": ("watch", "Watch", "Finding", "FindingError", "Report"),
    "The loop": ("Loop", "every", "TensorBatches", "baseline", "stop", "schedule"),
    "The run log": (
        "log",
        "start_run",
        "Run",
        "track",
        "Image",
        "Audio",
        "Table",
        "open",
        "alert",
    ),
    "Check and compare": ("check", "verify", "testing"),
    "The lab": ("lr_find", "noise_scale", "fit_batch", "ablate"),
}
# Methods that are public within surefoot, and that a program has no use for.
INTERNAL = {
    "Run.scalars", "Run.scalars_soon", "Run.others", "Run.hist", "Run.record", "Run.finding", "Run.label", "Run.listen",
    "Run.unlisten", "Run.before_closing", "Run.settle", "Run.media", "Image.encode", "Audio.encode", "Table.encode",
}  # fmt: skip
_WIDTH = 88  # of a signature on one line
_MODULE = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Za-z_])")


def public_names() -> set[str]:
    return {*sf.__all__, "open"} - {"__version__"}


def members(owner: type | ModuleType) -> dict[str, Any]:
    """The public functions, methods, properties and classes that `owner` defines."""
    if isinstance(owner, ModuleType):
        names = getattr(owner, "__all__", None) or [name for name in vars(owner) if _belongs(owner, name)]
        return {name: getattr(owner, name) for name in names}
    return {name: value for name, value in vars(owner).items() if not name.startswith("_") and _is_documentable(value)}


def _belongs(module: ModuleType, name: str) -> bool:
    value = vars(module)[name]
    return not name.startswith("_") and getattr(value, "__module__", None) == module.__name__ and callable(value)


def _is_documentable(value: Any) -> bool:
    return inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)


def undocumented() -> list[str]:
    """Public names, and public members of theirs, that have no docstring of their own."""
    return [name for name, value in _all_names() if not _doc(value)]


def _all_names() -> Iterator[tuple[str, Any]]:
    for name in sorted(public_names()):
        value = getattr(sf, name)
        yield f"sf.{name}", value
        if isinstance(value, type | ModuleType):
            for member, inner in members(value).items():
                yield f"sf.{name}.{member}", inner


def _doc(value: Any) -> str:
    """Not the one that `dataclass` makes of the signature."""
    doc = inspect.getdoc(value) or ""
    return "" if doc.startswith(f"{getattr(value, '__name__', None)}(") else doc


def page(title: str) -> str:
    parts = [f"# {title}", "All names are attributes of `surefoot`, imported here as `sf`."]
    for name in PAGES[title]:
        value = getattr(sf, name)
        parts += _entry(f"sf.{name}", value, "##")
        if isinstance(value, type | ModuleType):
            prefix = f"sf.{name}" if isinstance(value, ModuleType) else name
            shown = {m: inner for m, inner in members(value).items() if f"{name}.{m}" not in INTERNAL}
            for member, inner in shown.items():
                parts += _entry(f"{prefix}.{member}", inner, "###")
    return "\n\n".join(parts) + "\n"


def _entry(name: str, value: Any, heading: str) -> list[str]:
    parts = [f"{heading} {name}"]
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    if not isinstance(value, property | ModuleType):
        parts.append(f"```python\n{signature(name, value)}\n```")
    elif isinstance(value, property):
        parts.append("*property*")
    return [*parts, _markdown(_doc(value))]


def signature(name: str, value: Any) -> str:
    """On one line if it fits, else with a line for each parameter."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    parameters = [text for text in map(_parameter, found.parameters.values()) if text != "self"]
    kinds = [p.kind for p in found.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        first = next(i for i, p in enumerate(_shown(found)) if p.kind is inspect.Parameter.KEYWORD_ONLY)
        parameters.insert(first, "*")
    returns = found.return_annotation
    arrow = "" if inspect.isclass(value) or returns is inspect.Signature.empty else f" -> {_annotation(returns)}"
    line = f"{name}({', '.join(parameters)}){arrow}"
    if len(line) <= _WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {text},\n" for text in parameters) + f"){arrow}"


def _shown(found: inspect.Signature) -> list[inspect.Parameter]:
    return [p for p in found.parameters.values() if p.name != "self"]


def _parameter(parameter: inspect.Parameter) -> str:
    star = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = star + parameter.name
    if parameter.annotation is not inspect.Parameter.empty:
        text += f": {_annotation(parameter.annotation)}"
    if parameter.default is not inspect.Parameter.empty:
        text += f" = {_default(parameter.default)}" if ":" in text else f"={_default(parameter.default)}"
    return text


def _default(value: Any) -> str:
    text = repr(value)
    return "..." if "<" in text else text


def _annotation(value: Any) -> str:
    """Without the modules: the reader wants `Module`, not where it lives."""
    if isinstance(value, type) and not hasattr(value, "__args__"):
        return value.__name__
    text = value if isinstance(value, str) else str(value)
    return _MODULE.sub("", text).replace("NoneType", "None")


def _markdown(doc: str) -> str:
    """Code that stands in a docstring as plain lines becomes a block."""
    paragraphs = doc.split("\n\n")
    return "\n\n".join(f"```python\n{text}\n```" if _is_code(text) else text for text in paragraphs)


def _is_code(paragraph: str) -> bool:
    try:
        compile(paragraph, "docstring", "exec")
    except SyntaxError:
        return False
    return "=" in paragraph or "(" in paragraph
