"""A report in every form: one HTML page that needs nothing else, Markdown, JSON."""

import base64
import hashlib
import json
import os
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from kspan.errors import FileError
from kspan.frames.files import write_text
from kspan.frames.places import check_place
from kspan.report.crowd import in_words
from kspan.report.figures import Figure, figures, size_rows
from kspan.report.formatting import chance, percent
from kspan.report.measured import measured_at, measured_title
from kspan.report.pictures.labels import bins_attribute
from kspan.report.summary import Story, Summary

FORMATS = {".html": "HTML", ".htm": "HTML", ".md": "Markdown", ".json": "JSON"}
LIBRARIES = "window.vegaEmbed = vegaEmbed; window.vega = vega;"
SCRIPTS = ("spans.js", "tree.js", "clusters.js", "page.js")


def check_report(path: Path) -> None:
    """Refuse a file name without a known format, or a place that cannot be written, before long work begins."""
    if path.suffix.lower() not in FORMATS:
        raise FileError(f"cannot tell the format of {path} from its name: end it in .html, .md or .json")
    check_place(path)


@dataclass(frozen=True, repr=False)
class Report:
    """A report on one or more releases: `story` holds all facts, and no form of it shows anything else."""

    story: Story

    def __repr__(self) -> str:
        verdict = "holds" if self.story.holds else "does not hold"
        return f"Report({self.story.title!r}, {verdict})"

    def as_dict(self) -> dict[str, Any]:
        """All facts, ready for JSON."""
        return self.story.as_dict()

    def html(self) -> str:
        """One page that works offline, in dark mode, on a phone and on paper, and contains no cell of a person."""
        return _html(self.story)

    def markdown(self) -> str:
        """The same facts as Markdown, without the pictures."""
        return environment(autoescape=False).get_template("report.md").render(story=self.story).strip() + "\n"

    def _repr_html_(self) -> str:
        from kspan.report.notebook import card  # which shows what reports say

        return "".join(card(chapter) for chapter in self.story.chapters)

    def save(self, path: str | os.PathLike[str], *, owner_only: bool = False) -> None:
        """Write the report as `.html`, `.md` or `.json`, as the file name says; completely or not at all."""
        target = Path(path)
        check_report(target)
        kind = FORMATS[target.suffix.lower()]
        if kind == "JSON":
            text = json.dumps(self.as_dict(), ensure_ascii=False, allow_nan=False, indent=2) + "\n"
        else:
            text = self.html() if kind == "HTML" else self.markdown()
        write_text(text, target, owner_only=owner_only)


def _html(story: Story) -> str:
    style = _template("style.css")
    scripts = [_libraries(), *(_template(name) for name in SCRIPTS)]
    # Nothing but these scripts may run and nothing may be loaded, whatever stands in the data.
    policy = (
        f"default-src 'none'; script-src {' '.join(map(_hash, scripts))}; style-src {_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        environment(autoescape=True)
        .get_template("page.html")
        .render(
            story=story,
            chapters=[_Chapter(number, summary) for number, summary in enumerate(story.chapters, start=1)],
            csp=policy,
            # The hashes above are of exactly these texts: the template must add nothing between the tags.
            style=Markup(style),  # ours, as the scripts are
            scripts=[Markup(script) for script in scripts],
        )
    )


class _Chapter:
    """A summary and its figures, with names that are unique on the page."""

    def __init__(self, number: int, summary: Summary) -> None:
        self.number, self.summary = number, summary
        self.figures: dict[str, Figure] = figures(summary)

    def name(self, figure: str) -> str:
        """The name of a figure on the page."""
        return f"c{self.number}-{figure}"


def harmless_json(value: Any) -> Markup:
    r"""Write a value as JSON that cannot end the script around it.

    >>> print(harmless_json("</script>"))
    "\u003c/script>"
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # JSON allows the two line separators inside strings, but older JavaScript does not.
    escaped = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return Markup(escaped)


@cache
def environment(*, autoescape: bool) -> jinja2.Environment:
    """Return the environment that renders our templates; HTML needs `autoescape`."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("kspan.report"),
        autoescape=autoescape,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "json": harmless_json,
        "percent": percent,
        "chance": chance,
        "thousands": thousands,
        "runs": bins_attribute,
        "in_words": in_words,
        "measured_at": measured_at,
        "measured_title": measured_title,
        "md": plain_markdown,
    }
    made.globals["size_rows"] = size_rows
    return made


def thousands(number: float) -> str:
    """Write a number with commas between thousands."""
    return f"{number:,}"


def plain_markdown(text: str) -> str:
    r"""Escape text so that Markdown shows it as it is, in one line.

    >>> plain_markdown("a|b <c> *d*")
    'a\\|b &lt;c&gt; \\*d\\*'
    """
    escaped = "".join(f"\\{char}" if char in r"\`*_{}[]()#+!|~" else char for char in text)
    # The ampersand goes first, since the other replacements contain one.
    return " ".join(escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").split())


@cache
def _template(name: str) -> str:
    return (files("kspan.report") / "templates" / name).read_text("utf-8")


@cache
def _libraries() -> str:
    """Return Vega and vega-embed as one script."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle(LIBRARIES)
    # A literal </script, even inside a string, would end the script element.
    return bundle.replace("</script", "<\\/script")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
