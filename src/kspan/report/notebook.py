"""What a notebook shows of a release or an audit: the verdict and the main facts, without scripts."""

from typing import Any

from markupsafe import Markup

from kspan.audit.findings import Audit
from kspan.induce.methods import Mined
from kspan.model.clusters.model import Clusters
from kspan.model.items.model import OfItems
from kspan.model.tree.model import Tree
from kspan.model.tree.release import TreeRelease
from kspan.report.figures import compiled, sizes_chart
from kspan.report.gather import Release, summarized
from kspan.report.page import environment
from kspan.report.pictures.clusters import clusters_picture
from kspan.report.pictures.clusters_spec import clusters_svg
from kspan.report.pictures.tree import TreePicture, tree_picture
from kspan.report.pictures.tree_spec import tree_svg
from kspan.report.sentences import table_costs
from kspan.report.summary import Summary
from kspan.report.svg import svg_of
from kspan.share.publishing import SharedTree
from kspan.tables.release import TableRelease


def shown(value: Any) -> str:
    """A release, a model or an audit as HTML for a notebook."""
    if isinstance(value, Audit):
        return card(summarized(Release("Audit", value)))
    if isinstance(value, TableRelease):
        costs = table_costs(value.audit, value.withheld, value.suppressed_share)
        return card(summarized(Release("Released table", value.audit, value.policy, costs=costs)))
    if isinstance(value, SharedTree):
        known = tuple(item.name for item in value.tree.attributes if item.role == "public")
        drawn = tree_picture(value.tree, ())
        return card(summarized(Release("Shared tree", value.audit, public=known, model=value.tree, picture=drawn)))
    # Without findings nothing is held back: a notebook shows models to their owner.
    tree = value.tree if isinstance(value, TreeRelease) else value
    if isinstance(tree, Tree):
        return _rendered("model.html", title=repr(tree), drawing=_svg(tree_svg(tree_picture(tree, ()))), lines=())
    if isinstance(value, Clusters):
        drawing = _svg(clusters_svg(clusters_picture(value, ())))
        return _rendered("model.html", title=repr(value), drawing=drawing, lines=str(value).splitlines())
    mined = value.model_released if isinstance(value, Mined) else value
    assert isinstance(mined, OfItems)
    return _rendered("model.html", title=repr(mined), drawing=None, lines=[str(one) for one in mined.listed])


def card(summary: Summary) -> str:
    """Render a summary as a card: the verdict, what it rests on, and pictures."""
    picture = summary.picture
    drawings = []
    if summary.after is not None:
        drawings.append(_svg(svg_of(compiled(sizes_chart(summary.after, summary.before, summary.k, width=480)))))
    if isinstance(picture, TreePicture):
        drawings.append(_svg(tree_svg(picture)))
    return _rendered("card.html", summary=summary, drawings=drawings)


def _rendered(template: str, **given: Any) -> str:
    return environment(autoescape=True).get_template(template).render(**given)


def _svg(drawing: str) -> Markup:
    """Mark a drawing as HTML that needs no escaping: text from the data in it is already escaped."""
    return Markup(drawing)
