"""What a page may draw of clusters: centers and cells of what holds, and never the ends of what people are like."""

import itertools
import json

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.audit.clusters.judge import audit_clusters
from kspan.audit.findings import Finding
from kspan.data.encode import encode
from kspan.model.claim import Claim
from kspan.model.clusters.model import Axis, Clusters
from kspan.model.tree.model import Attribute
from kspan.report.pictures import clusters as drawn
from kspan.report.pictures.clusters import ClustersPicture, clusters_picture
from kspan.report.pictures.clusters_spec import clusters_chart, clusters_svg

# Friedman et al. 2008, Sect. 4.2, with centers that give the areas of its figure.
ZIP = Axis.of(Attribute("Zip code", "public", "numeric"), 200.0)
INCOME = Axis.of(Attribute("Income", "private", "numeric", low=20, high=120), 10.0)
CENTERS = ((11001, 80), (13700, 115), (14600, 40), (15300, 100))
MODEL = Clusters((ZIP, INCOME), tuple(((code,), (income,)) for code, income in CENTERS), (2, 1, 2, 1))
PEOPLE = ks.datasets.zip_income().with_columns(pl.col("Income") // 1000)
TOWN = Axis.of(Attribute("town", "private", "categorical", ("Ulm", "</script>"), has_missing=True), 1.0)


def judged(people: pl.DataFrame, require: str) -> ClustersPicture:
    policy = ks.Policy(identifier=["Name"], public=["Zip code"], private=["Income"], require=require)
    audit = audit_clusters(MODEL, people, policy)
    return clusters_picture(MODEL, audit.crowds(400), failing=audit.failing_groups)


def inside(cell: tuple[tuple[float, float], ...], x: float, y: float) -> bool:
    """Is a point in a convex polygon, its border aside?"""
    turns = [
        (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        for (ax, ay), (bx, by) in zip(cell, (*cell[1:], *cell[:1]), strict=True)
    ]
    return all(turn > 0 for turn in turns) or all(turn < 0 for turn in turns)


def test_the_clusters_of_the_paper_without_lisa() -> None:
    picture = judged(PEOPLE.filter(pl.col("Name") != "Lisa"), "k=3")
    assert (picture.pair, picture.has_cells, picture.is_cut, picture.held_back) == ((0, 1), True, False, 0)
    assert [(one.number, one.people) for one in picture.clusters] == [(1, 2), (2, 1), (3, 2), (4, 1)]
    assert [at.text for at in picture.clusters[0].center] == ["11,001", "80"]
    assert sorted(span.bins for span in picture.spans) == [(1,), (2, 3)]
    assert picture.note == (
        "Each dot is the center of a cluster. The area around it is nearer to it than to any other center."
    )
    svg = clusters_svg(picture)
    assert "Zip code (public)" in svg
    assert "Income (private)" in svg
    assert svg.count('fill="#009E73"') == 2  # the dot of cluster 3, and its cell
    assert svg.count(">3</text>") == 1


def test_a_cell_is_what_is_nearest() -> None:
    picture = judged(PEOPLE.filter(pl.col("Name") != "Lisa"), "k=3")
    across, up = picture.axes
    points = [
        (x, y)
        for x in np.linspace(across.low, across.high, 17)[1:-1].tolist()
        for y in np.linspace(up.low, up.high, 13)[1:-1].tolist()
    ]
    frame = pl.DataFrame(points, schema={"Zip code": pl.Float64, "Income": pl.Float64}, orient="row")
    nearest = MODEL.nearest(encode(frame, ks.Policy(public=["Zip code"], private=["Income"], require="k=2")))
    for (x, y), cluster in zip(points, nearest.tolist(), strict=True):
        found = [place for place, one in enumerate(picture.clusters) if inside(one.cell, x, y)]
        assert found in ([cluster], [])


def test_a_plane_through_more_axes_is_a_cut_at_the_mean() -> None:
    rng = np.random.default_rng(0)
    size = Axis.of(Attribute("size", "private", "numeric"), 2.0)
    centers = tuple(
        ((float(x),), (float(y),), (float(z),), (0.5, share, 0.5 - share))
        for x, y, z, share in zip(
            rng.normal(13_000, 900, 6), rng.normal(70, 30, 6), rng.normal(0, 1, 6), rng.uniform(0, 0.5, 6), strict=True
        )
    )
    model = Clusters((ZIP, INCOME, size, Axis.of(TOWN.attribute, 0.2)), centers, (5, 1, 1, 2, 1, 3))
    picture = clusters_picture(model, ())
    assert (picture.pair, picture.is_cut) == ((0, 1), True)
    assert "average in size and town" in picture.note
    weights = np.array(model.people) / sum(model.people)
    means = [weights @ axis for axis in model.by_axis]
    beside = (((model.by_axis[2] - means[2]) / 2.0) ** 2).sum(axis=1)
    beside += (((model.by_axis[3] - means[3]) / 0.2) ** 2).sum(axis=1) / 2
    across, up = picture.axes[:2]
    hits = 0
    for x, y in itertools.product(np.linspace(across.low, across.high, 11), np.linspace(up.low, up.high, 11)):
        away = ((x - model.by_axis[0][:, 0]) / 200) ** 2 + ((y - model.by_axis[1][:, 0]) / 10) ** 2 + beside
        found = [place for place, one in enumerate(picture.clusters) if one.cell and inside(one.cell, x, y)]
        assert found in ([int(away.argmin())], [])
        hits += len(found)
    assert hits > 70
    assert "area of 1" in clusters_svg(picture)


def test_lisa_breaks_it_so_her_clusters_are_held_back() -> None:
    picture = judged(PEOPLE, "k=2")
    assert [(one.number, one.people, one.cell) for one in picture.clusters] == [(1, None, ()), (2, None, ())]
    assert (picture.held_back, picture.has_cells) == (2, False)
    assert sorted((span.people, span.bins) for span in picture.spans) == [(1, ()), (2, (1,)), (3, (2, 3))]
    assert "2 of 4 clusters are held back" in picture.note
    told = json.dumps(clusters_chart(picture))
    assert "15300" not in told
    assert "14600" not in told
    clusters_svg(picture)


def test_if_some_failing_spans_are_not_known_everything_is_held_back() -> None:
    picture = clusters_picture(MODEL, [Finding({}, 1, 1, ("k=2",), (3,))], failing=2)
    assert (picture.held_back, picture.clusters) == (4, ())
    assert picture.note == "4 of 4 clusters are held back: spans that reach them break the requirement."
    clusters_svg(picture)


def test_the_ends_are_declared_or_those_of_the_centers_and_more() -> None:
    across, up = clusters_picture(MODEL, ()).axes
    assert (up.low, up.high) == (20, 120)
    assert (across.low, across.high) == pytest.approx((11001 - 0.15 * 4299, 15300 + 0.15 * 4299))
    inferred = Clusters(MODEL.axes, MODEL.centers, MODEL.people, Claim("k=2", inferred_domains=("Income",)))
    up = clusters_picture(inferred, ()).axes[1]
    assert (up.low, up.high) == pytest.approx((40 - 0.15 * 75, 115 + 0.15 * 75))


def test_words_stand_side_by_side_with_numbers() -> None:
    model = Clusters((INCOME, TOWN), (((30.5,), (0.25, 0.75, 0.0)), ((61.0,), (1.0, 0.0, 0.0))), (12, 7))
    picture = clusters_picture(model, ())
    assert picture.pair is None
    assert [[(at.text, at.place) for at in one.center] for one in picture.clusters] == [
        [("30.5", 30.5), ("</script> (75%)", 0.75)],
        [("61", 61.0), ("Ulm (100%)", 1.0)],
    ]
    spec = clusters_chart(picture)
    assert [point["share"] for point in spec["data"][0]["values"]] == [0.105, 0.75, 0.41, 1.0]
    svg = clusters_svg(picture)
    assert "(private)" in svg
    assert svg.count(">2</text>") == 2


def test_of_many_clusters_the_largest_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn, "MOST_CLUSTERS", 2)
    picture = clusters_picture(MODEL, ())
    assert ([one.number for one in picture.clusters], picture.has_cells) == ([1, 3], False)
    assert "The 2 largest of 4 clusters are drawn." in picture.note


def test_one_cluster_has_the_whole_plane() -> None:
    picture = clusters_picture(Clusters((ZIP, INCOME), (((5.0,), (60.0,)),), (3,)), ())
    corners = np.array([[-195, 20], [205, 20], [205, 120], [-195, 120]])
    assert np.array(picture.clusters[0].cell) == pytest.approx(corners)
