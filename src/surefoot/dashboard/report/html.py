"""The page with its styles, modules and data in one file. Nothing in it can load anything, or run what a run says."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import posixpath
import re
from functools import cache
from pathlib import Path

from surefoot.dashboard.data.encode import encode
from surefoot.dashboard.report.gather import gather
from surefoot.runlog.read.run import Run

PAGE = Path(__file__).parent.parent / "page"
SOURCE = "script/source.js"  # of the page, which gets its data there
ENTRY = "script/main.js"
WITH_SERVER = {"lab", "learn", "rank", "ranking"}  # views, and folders of their modules
NOTEBOOK_SHARE = 0.2  # a notebook keeps what its cells show
NOTEBOOK_PIXELS = 760

_IMPORT = re.compile(r"""(\bfrom\s*|\bimport\s*\(?\s*)(["'])(\.{1,2}/[^"']+\.js)\2""")
_STYLE = re.compile(r"""<link rel="stylesheet" href="static/([^"]+)">\n?""")
_PRELOAD = re.compile(r"""<link rel="modulepreload" href="static/[^"]+">\n?""")
_SCRIPT = re.compile(r"""<script( type="module")? src="static/([^"]+)"></script>\n?""")
_IMAGE = re.compile(r"""\b(href|src)="static/([^"]+\.svg)\"""")


def report_html(run: Run, share: float = 1.0) -> str:
    """One file, with `share` of the points that it may hold."""
    data = encode(gather(run, share)).replace("<", "\\u003c")  # no text of a run ends the element it is in
    page = _PRELOAD.sub("", (PAGE / "index.html").read_text(encoding="utf-8"))
    styles = "\n".join(_text(name) for name in _STYLE.findall(page))
    classic = "\n".join(_text(name) for kind, name in _SCRIPT.findall(page) if not kind)
    modules = _import_map()
    start = f'import "{_bare(ENTRY)}";'
    scripts = " ".join(_hash(text) for text in (classic, modules, start))
    shown = "img-src data: blob:; media-src data: blob:"
    policy = f"default-src 'none'; style-src {_hash(styles)}; {shown}; script-src data: {scripts}"
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{styles}</style>\n'
        f'<script>{classic}</script>\n<script type="importmap">{modules}</script>\n'
    )
    body = f'<script type="application/json" id="data">{data}</script>\n<script type="module">{start}</script>\n'
    page = _IMAGE.sub(lambda found: f'{found[1]}="{_image(found[2])}"', _SCRIPT.sub("", _STYLE.sub("", page)))
    title = html.escape(f"{run.name} · surefoot".encode("utf-8", "backslashreplace").decode())
    page = re.sub(r"<title>.*?</title>\n?", lambda _: f"<title>{title}</title>\n{head}", page, count=1)
    return page.replace("</body>", f"{body}</body>")


def notebook_html(run: Run) -> str:
    """The same in a frame that can't reach the notebook."""
    content = base64.b64encode(report_html(run, NOTEBOOK_SHARE).encode()).decode()
    return (
        f'<iframe src="data:text/html;charset=utf-8;base64,{content}" sandbox="allow-scripts allow-downloads" '
        f'title="{html.escape(run.name)}" style="width:100%;height:{NOTEBOOK_PIXELS}px;border:0"></iframe>'
    )


class Page:
    """What `run.page()` gives a notebook to show."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def _repr_html_(self) -> str:
        return notebook_html(self._run)


@cache
def _import_map() -> str:
    """All modules by names of their own: a file has no paths. Those that import each other still do."""
    files = [*filter(_is_for_reports, (PAGE / "script").rglob("*.js")), *(PAGE / "vendor").glob("*.js")]
    imports = {}
    for file in sorted(files):
        name = file.relative_to(PAGE).as_posix()
        text = (Path(__file__).parent / "source.js" if name == SOURCE else file).read_text(encoding="utf-8")
        imports[_bare(name)] = _data_url("text/javascript", _renamed(name, text))
    return json.dumps({"imports": imports})


def _is_for_reports(module: Path) -> bool:
    """What can only be shown by a server is left out."""
    return WITH_SERVER.isdisjoint({module.stem, module.parent.name})


def _renamed(name: str, text: str) -> str:
    def renamed(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), found[3]))
        return f"{found[1]}{found[2]}{_bare(target)}{found[2]}"

    return _IMPORT.sub(renamed, text)


def _bare(name: str) -> str:
    return f"surefoot/{name}"


def _text(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def _image(name: str) -> str:
    return _data_url("image/svg+xml", _text(name))


def _data_url(kind: str, text: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(text.encode()).decode()}"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
