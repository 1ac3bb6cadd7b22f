"""The minimum spanning tree of points, and what is on either side of its edges."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kspan.data.arrays import Floats, Int64s

FEW = 200
"""Up to this many points are all compared with each other."""


def spanning_tree(points: Floats) -> tuple[Int64s, Floats]:
    """The edges of the minimum spanning tree of distinct points, and their lengths, the longest first.

    If there are many points, not all are compared: neighbors are found in a tree (the dual-tree algorithm of hdbscan).

    >>> edges, lengths = spanning_tree(np.array([[0.0], [1.0], [5.0], [3.0]]))
    >>> edges.tolist(), lengths.tolist()
    ([[1, 3], [3, 2], [0, 1]], [2.0, 2.0, 1.0])
    """
    found = _of_few(points) if len(points) <= FEW else _of_many(points)
    order = np.argsort(-found[:, 2], kind="stable")
    return found[order, :2].astype(np.int64), found[order, 2]


def _of_few(points: Floats) -> Floats:
    """Prim's algorithm: the nearest point that is not yet in the tree joins it."""
    outside = np.arange(1, len(points))
    distance, nearest = np.linalg.norm(points[1:] - points[0], axis=1), np.zeros(len(points) - 1, np.int64)
    edges = np.empty((max(len(points) - 1, 0), 3))
    for edge in edges:
        best = int(distance.argmin())
        edge[:] = nearest[best], outside[best], distance[best]
        joined = outside[best]
        outside, distance, nearest = (np.delete(one, best) for one in (outside, distance, nearest))
        anew = np.linalg.norm(points[outside] - points[joined], axis=1)
        nearest[anew < distance] = joined
        distance = np.minimum(distance, anew)
    return edges


def _of_many(points: Floats) -> Floats:
    from hdbscan import HDBSCAN  # which takes a moment

    # With one sample a point is its own neighbor, so that distances are those of the points.
    found = HDBSCAN(
        min_samples=1,
        algorithm="boruvka_kdtree",
        approx_min_span_tree=False,
        gen_min_span_tree=True,
        core_dist_n_jobs=1,
    ).fit(points)
    edges: Floats = found.minimum_spanning_tree_.to_numpy()
    return edges


@dataclass(repr=False)
class Forest:
    """A spanning tree of points whose edges are cut; it knows how many people are on either side of an edge, and where.

    Points are numbered in the order in which a walk from the root meets them, so that all points below an edge have
    consecutive numbers. What is still connected below an edge is this run of points, less what is below edges that are
    cut there.
    """

    begin: Int64s
    """The first point below each edge, by its number; `end` is the one after the last."""
    end: Int64s
    sums: Floats
    """For each point, the people and their coordinates, summed over all points before it."""
    cut: list[int]
    place: Int64s
    """The number of each point."""

    @classmethod
    def of(cls, edges: Int64s, people: Int64s, points: Floats) -> "Forest":
        """The tree with nothing cut; every point stands for some people."""
        number = len(points)
        place, last, above = _met(edges, number)
        # The lower end of an edge is the one whose point above is the other end.
        below = np.where(above[edges[:, 0]] == edges[:, 1], edges[:, 0], edges[:, 1]) if number > 1 else edges[:, 0]
        each = np.column_stack([people, people[:, None] * points])
        sums = np.zeros((number + 1, each.shape[1]))
        np.cumsum(each[np.argsort(place)], axis=0, out=sums[1:])
        return cls(place[below], last[below], sums, [], place)

    def members(self, cut: Sequence[int]) -> Int64s:
        """The part of each point if some edges are cut: the innermost of them above it, or -1."""
        part = np.full(len(self.place), -1)
        for edge in sorted(cut, key=lambda one: int(self.begin[one] - self.end[one])):  # the widest first
            part[(self.begin[edge] <= self.place) & (self.place < self.end[edge])] = edge
        return part

    def sides(self, edge: int) -> tuple[int, Floats, Floats]:
        """The part that an edge is in, and the people and sums of coordinates above and below, if the edge were cut."""
        part = self.part_of(edge)
        below = self.total(int(self.begin[edge]), int(self.end[edge]), edge)
        return part, self.of_part(part) - below, below

    def part_of(self, edge: int) -> int:
        """The part that an edge is in: the innermost cut edge above it, or -1 if it is connected with the root."""
        around = [one for one in self.cut if self.begin[one] <= self.begin[edge] and self.end[edge] <= self.end[one]]
        return min(around, key=lambda one: int(self.end[one] - self.begin[one]), default=-1)

    def of_part(self, part: int) -> Floats:
        """The people and the sums of coordinates of a part."""
        if part < 0:
            return self.total(0, len(self.sums) - 1, part)
        return self.total(int(self.begin[part]), int(self.end[part]), part)

    def total(self, begin: int, end: int, own: int) -> Floats:
        """The people and sums of coordinates in a run of points, less what is below cut edges there (not `own`)."""
        whole: Floats = self.sums[end] - self.sums[begin]
        inside = [one for one in self.cut if one != own and begin <= self.begin[one] and self.end[one] <= end]
        for one in inside:
            # A cut below another cut is taken away with it.
            if not any(self._holds(other, one) for other in inside):
                whole = whole - (self.sums[self.end[one]] - self.sums[self.begin[one]])
        return whole

    def _holds(self, outer: int, inner: int) -> bool:
        return outer != inner and bool(self.begin[outer] <= self.begin[inner] and self.end[inner] <= self.end[outer])


def _met(edges: Int64s, number: int) -> tuple[Int64s, Int64s, Int64s]:
    """For each point: when a walk from the first one meets it, when all below it have been met, and the point above."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import depth_first_order

    graph = csr_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(number, number))
    order, above = depth_first_order(graph, 0, directed=False)
    place = np.empty(number, np.int64)
    place[order] = np.arange(number)
    size = np.ones(number, np.int64)
    for point in order[:0:-1].tolist():  # those below a point are met after it
        size[above[point]] += size[point]
    return place, place + size, above.astype(np.int64)
