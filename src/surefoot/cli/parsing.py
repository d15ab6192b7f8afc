"""Parsers of commands, all with examples."""

import argparse


def parser_of(command: str, description: str, examples: str = "") -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog=f"surefoot {command}",
        description=description,
        epilog=f"examples:\n{examples}" if examples else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
