"""`python -m board_live`, also `board-live` and `make live`."""

import sys


def main() -> int:
    """The command, or a word on what it needs: it is installed with or without its extra."""
    try:
        from .command import main as command
    except ModuleNotFoundError as missing:
        print(
            f"board-live: the package {missing.name} is not here. What it needs comes with:\n"
            "    pip install 'board-postgres[live]'",
            file=sys.stderr,
        )
        return 2
    return command()


if __name__ == "__main__":
    sys.exit(main())
