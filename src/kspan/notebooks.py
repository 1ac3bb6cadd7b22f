"""What notebooks show of releases and audits."""

from importlib import import_module


class ShownInNotebooks:
    """Something that a notebook shows as a card: its verdict, what that rests on, and a picture."""

    def _repr_html_(self) -> str:
        # By its name, since the layer that draws knows what it draws, and not the other way round.
        drawn: str = import_module("kspan.report.notebook").shown(self)
        return drawn
