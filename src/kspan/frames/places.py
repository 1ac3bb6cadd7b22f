"""Where files may be: checks of a path before long work begins."""

import os
from pathlib import Path

from kspan.errors import FileError

STDIN = Path("-")


def check_place(path: str | os.PathLike[str]) -> None:
    """Refuse a folder, a device, or a file in a folder that is not there, before long work begins."""
    place = Path(path)
    if is_there(place) and not place.is_file():
        what = "a folder, name a file in it" if place.is_dir() else "no file, name one"
        raise FileError(f"cannot write {path}: it is {what}")
    if place == STDIN:
        raise FileError(f"cannot write {path}: a file is needed, name one")
    if not place.parent.is_dir():
        raise FileError(f"cannot write {path}: the folder {place.parent} is not there")


def is_there(path: Path) -> bool:
    """Is there a file or folder of this name?"""
    try:
        return path.exists()
    except (OSError, ValueError) as error:
        raise FileError(f"cannot use the name {path}: {reason(error)}") from None


def check_no_device(path: Path) -> None:
    """Refuse a device, since some devices never end; pipes do end."""
    if path.is_char_device() or path.is_block_device():
        raise FileError(f"cannot read {path}: it is a device, name a file")


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder, unless it is there already."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {path}: {reason(error)}") from None


def reason(error: Exception) -> str:
    """Why the system refused, in its own words."""
    return str(getattr(error, "strerror", None) or "that is no name of a file").lower()
