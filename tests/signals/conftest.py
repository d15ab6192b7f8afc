import pytest


@pytest.fixture(autouse=True)
def names_are_short(only_own_models: None) -> None:
    """Tests compare them."""
