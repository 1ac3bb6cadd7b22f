"""What notebooks show of releases and audits."""

from importlib import import_module


class ShownInNotebooks:
    """Something that a notebook shows as a card: its verdict, the reasons for it, and a picture."""

    def _repr_html_(self) -> str:
        # Looked up by name: the layer that draws imports what it draws, and imports run one way only.
        drawn: str = import_module("kspan.report.notebook").shown(self)
        return drawn
