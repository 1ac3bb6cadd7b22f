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
from kspan.report.pictures.labels import bins_attribute
from kspan.report.summary import Story, Summary

FORMATS = {".html": "HTML", ".htm": "HTML", ".md": "Markdown", ".json": "JSON"}
LIBRARIES = "window.vegaEmbed = vegaEmbed; window.vega = vega;"
SCRIPTS = ("spans.js", "tree.js", "clusters.js", "page.js")


def check_report(path: Path) -> None:
    """Refuse a name that says no format, or a place where no file can be, before long work begins."""
    if path.suffix.lower() not in FORMATS:
        raise FileError(f"cannot tell the format of {path} from its name: end it in .html, .md or .json")
    check_place(path)


@dataclass(frozen=True, repr=False)
class Report:
    """What is told of one or more releases: all facts are in `story`, and nothing else is shown anywhere."""

    story: Story

    def __repr__(self) -> str:
        verdict = "holds" if self.story.holds else "does not hold"
        return f"Report({self.story.title!r}, {verdict})"

    def as_dict(self) -> dict[str, Any]:
        """All facts, ready for JSON."""
        return self.story.as_dict()

    def html(self) -> str:
        """One page that works offline, in the dark, on a phone and on paper, and contains no cell of a person."""
        return _html(self.story)

    def markdown(self) -> str:
        """The same facts as Markdown, without the pictures."""
        return environment(autoescape=False).get_template("report.md").render(story=self.story).strip() + "\n"

    def _repr_html_(self) -> str:
        from kspan.report.notebook import card  # which shows what reports say

        return "".join(card(chapter) for chapter in self.story.chapters)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as the name says: `.html`, `.md` or `.json`; whole or not at all."""
        target = Path(path)
        check_report(target)
        kind = FORMATS[target.suffix.lower()]
        if kind == "JSON":
            text = json.dumps(self.as_dict(), ensure_ascii=False, allow_nan=False, indent=2) + "\n"
        else:
            text = self.html() if kind == "HTML" else self.markdown()
        write_text(text, target)


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
            style=Markup(style),  # ours, as the scripts are
            scripts=[Markup(script) for script in scripts],
        )
    )


class _Chapter:
    """A summary with its figures, which have names that are unique on the page."""

    def __init__(self, number: int, summary: Summary) -> None:
        self.number, self.summary = number, summary
        self.figures: dict[str, Figure] = figures(summary)

    def name(self, figure: str) -> str:
        """The name of a figure on the page."""
        return f"c{self.number}-{figure}"


def harmless_json(value: Any) -> Markup:
    r"""JSON that cannot end the script around it.

    >>> print(harmless_json("</script>"))
    "\u003c/script>"
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    escaped = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return Markup(escaped)


@cache
def environment(*, autoescape: bool) -> jinja2.Environment:
    """Our templates; `autoescape` for HTML."""
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
        "md": plain_markdown,
    }
    made.globals["size_rows"] = size_rows
    return made


def thousands(number: float) -> str:
    """A number with its thousands apart."""
    return f"{number:,}"


def plain_markdown(text: str) -> str:
    r"""Text that Markdown shows as it is, in one line.

    >>> plain_markdown("a|b <c> *d*")
    'a\\|b &lt;c&gt; \\*d\\*'
    """
    escaped = "".join(f"\\{char}" if char in r"\`*_{}[]()#+!|~" else char for char in text)
    return " ".join(escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").split())


@cache
def _template(name: str) -> str:
    return (files("kspan.report") / "templates" / name).read_text("utf-8")


@cache
def _libraries() -> str:
    """Vega and what embeds it, in one script."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle(LIBRARIES)
    # A page must not end inside of a script.
    return bundle.replace("</script", "<\\/script")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
