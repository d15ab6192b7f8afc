"""The generated reference has every public name and every command."""

from tools.site import api, commands, integrations

import surefoot as sf
from surefoot.cli.main import COMMANDS


def test_every_public_name_has_a_place_in_the_reference() -> None:
    listed = [name for names in api.PAGES.values() for name in names]
    assert sorted(listed) == sorted(api.public_names())


def test_every_public_name_is_documented() -> None:
    assert api.undocumented() == []


def test_a_page_shows_signatures_and_docstrings() -> None:
    page = api.page("The run log")
    assert "## sf.log\n" in page
    assert "sf.log(values: Mapping[str, Any], step: int | None = None) -> None" in page
    assert str(sf.log.__doc__).splitlines()[0] in page


def test_every_command_is_in_the_reference() -> None:
    page = commands.page()
    for name in COMMANDS:
        assert f"## surefoot {name}\n" in page
        assert f"usage: surefoot {name}" in page


def test_what_is_left_out_exists() -> None:
    for name in api.INTERNAL:
        owner, _, member = name.partition(".")
        assert member in api.members(getattr(sf, owner)), name


def test_every_callback_is_in_the_reference() -> None:
    page = integrations.page()
    for file in integrations.modules():
        assert f"## surefoot.integrations.{file.stem}\n" in page
    assert "### lightning.SurefootCallback\n" in page
    assert "| `stop_on` |" in page
    assert integrations.undocumented() == []
