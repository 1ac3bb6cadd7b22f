"""`python -m kspan`, for where the command is not on the path."""

from kspan.cli.main import run

if __name__ == "__main__":
    run()
