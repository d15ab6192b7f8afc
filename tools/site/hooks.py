"""What MkDocs calls: adds the pages that are generated, and the rules to the table of contents."""

import shutil
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from tools.site import api, commands, integrations, offline
from tools.site.links import DOCS, ROOT, for_site

from surefoot.rules.catalogue import catalogue


def reference_pages() -> dict[str, str]:
    """Paths of the site and the Markdown of generated pages."""
    pages = {f"reference/{_slug(title)}.md": api.page(title) for title in api.PAGES}
    return {"reference/command-line.md": commands.page(), **pages, "reference/integrations.md": integrations.page()}


def _slug(title: str) -> str:
    return title.lower().replace(" ", "-")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    assert config.nav is not None
    for section in config.nav:
        if "Rules" in section:
            section["Rules"] = ["rules/README.md", *_rules_by_family()]
        if "Reference" in section:
            titles = ["command-line", *map(_slug, api.PAGES), "integrations"]
            section["Reference"] = [f"reference/{title}.md" for title in titles]
    return config


def _rules_by_family() -> list[dict[str, list[dict[str, str]]]]:
    rules = catalogue().values()
    families = sorted({rule.family for rule in rules})
    return [
        {family: [{rule.name: f"rules/{rule.name}.md"} for rule in rules if rule.family == family]}
        for family in families
    ]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    pages = {"index.md": (ROOT / "README.md").read_text(encoding="utf-8"), **reference_pages()}
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **given: Any) -> str:
    source = ROOT / "README.md" if page.file.src_uri == "index.md" else DOCS / page.file.src_uri
    return for_site(markdown, source)


def on_post_build(config: MkDocsConfig) -> None:
    site = Path(config.site_dir)
    shutil.rmtree(site / "assets" / "javascripts" / "lunr")  # to search in languages other than English
    offline.check(site)
