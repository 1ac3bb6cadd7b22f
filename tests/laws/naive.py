"""The naive twin of every privacy requirement: each one straight from its definition, slow and plain.

The laws test the package's fast code against this module, so it shares no code with the package and imports none of it.
One private attribute is looked at; a group is the list of the private values of its people, one entry per person, None
(missing) being a value of its own; the whole table is all groups put together. Shares are exact (`Fraction`), and a
parameter such as 0.1 means the decimal it is written as, one tenth. Floats enter only with a logarithm or exponential,
inside the solver of the transport problem (whose answer is then checked exactly), and in what `reach` returns.

Sources, by key:

k              P. Samarati, "Protecting respondents' identities in microdata release", IEEE TKDE 13(6), 2001;
               L. Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002.
distinct_l, entropy_l, recursive_cl
               A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam, "l-diversity: privacy beyond
               k-anonymity", ICDE 2006.
simple_l       X. Xiao, Y. Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006.
confidence     K. Wang, B. C. M. Fung, P. S. Yu, "Handicapping attacker's confidence: an alternative to
               k-anonymization", KAIS 11(3), 2007.
alpha          R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang, "(alpha, k)-anonymity: an enhanced k-anonymity model for
               privacy preserving data publishing", KDD 2006.
t              N. Li, T. Li, S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", ICDE
               2007.
basic_beta, enhanced_beta
               J. Cao, P. Karras, "Publishing microdata with a robust privacy guarantee", PVLDB 5(11), 2012.
range          Q. Zhang, N. Koudas, D. Srivastava, T. Yu, "Aggregate query answering on anonymized tables", ICDE 2007.
p_percent      L. Willenborg, T. de Waal, "Elements of statistical disclosure control", 2001 (the p% rule).
delta          J. Brickell, V. Shmatikov, "The cost of privacy: destruction of data-mining utility in anonymized data
               publishing", KDD 2008.

and of the measures:

risk           K. El Emam, F. K. Dankar, "Protecting privacy using k-anonymity", JAMIA 15(5), 2008 (prosecutor);
               F. K. Dankar, K. El Emam, "A method for evaluating marketer re-identification risk", EDBT/ICDT workshops
               2010 (marketer).
exposed        A. Friedman, R. Wolff, A. Schuster, "Providing k-anonymity in data mining", VLDB Journal 17(4), 2008,
               section 6.3.
cm             V. S. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002.
dm             R. J. Bayardo, R. Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog

Group = Sequence[Hashable]
Groups = Sequence[Group]
Distance = Callable[[Hashable, Hashable], Fraction]

ENTROPY_SLACK = 1e-9  # in the entropy, in favor of holding
EMD_SLACK = Fraction(1, 10**9)  # in the earth mover's distance, in favor of holding
LOG_SLACK = 1e-9  # in the comparison with -ln Q of enhanced beta-likeness, in favor of holding
DELTA_SLACK = 1e-12  # in the strict comparison of delta-disclosure, against holding


# Ground distances


def equal_distance() -> Distance:
    """Any two different values are 1 apart."""

    def distance(a: Hashable, b: Hashable) -> Fraction:
        return Fraction(0) if a == b else Fraction(1)

    return distance


def ordered_distance(values_in_order: Sequence[Hashable]) -> Distance:
    """Values are as far apart as their places in the order; the first and the last are 1 apart."""
    order = list(values_in_order)
    if len(set(order)) != len(order):
        raise ValueError("a value appears twice in the order")

    def distance(a: Hashable, b: Hashable) -> Fraction:
        steps = abs(order.index(a) - order.index(b))
        return Fraction(0) if len(order) == 1 else Fraction(steps, len(order) - 1)

    return distance


def hierarchical_distance(paths: dict[Any, tuple[str, ...]]) -> Distance:
    """The level of the lowest common ancestor over the height; a path is (leaf, level 1, ..., root)."""
    if len({len(path) for path in paths.values()}) > 1:
        raise ValueError("the paths are not all of one length")

    def distance(a: Hashable, b: Hashable) -> Fraction:
        height = len(paths[a]) - 1
        agreeing = [level for level in range(height + 1) if paths[a][level] == paths[b][level]]
        if not agreeing:
            raise ValueError(f"{a!r} and {b!r} have no common ancestor")
        return Fraction(0) if height == 0 else Fraction(min(agreeing), height)

    return distance


# Counting


def whole(groups: Groups) -> list[Hashable]:
    """All people of all groups."""
    return [value for group in groups for value in group]


def different(people: Group) -> list[Hashable]:
    """The different values, in the order they first appear."""
    return list(dict.fromkeys(people))


def count(value: Hashable, people: Group) -> int:
    """How many people have the value."""
    return sum(1 for other in people if other == value)


def share(value: Hashable, people: Group) -> Fraction:
    """The part of the people who have the value."""
    return Fraction(count(value, people), len(people))


def counts_descending(people: Group) -> list[int]:
    """How many people have each value, the most frequent first."""
    return sorted((count(value, people) for value in different(people)), reverse=True)


def top_count(people: Group) -> int:
    """How many people have the most frequent value."""
    return max(count(value, people) for value in different(people))


def top_share(people: Group) -> Fraction:
    """The part of the people who have the most frequent value."""
    return Fraction(top_count(people), len(people))


def decimal(number: Any) -> Fraction:
    """The number as it is written: 0.1 is one tenth."""
    return Fraction(str(number))


# Quantities of one group


def entropy(group: Group) -> float:
    """The entropy of the values of the group, in natural logs."""
    shares = [share(value, group) for value in different(group)]
    return math.fsum(-float(p) * math.log(p) for p in shares)


def tail(group: Group, l: int) -> int:  # noqa: E741
    """r_l + ... + r_m: the people left when the l - 1 most frequent values are taken away."""
    if l < 1:
        raise ValueError("l must be 1 or more")
    return sum(counts_descending(group)[l - 1 :])


def earth_mover(group: Group, table: Group, distance: Distance) -> Fraction:
    """The least work that turns the group's shares into the table's: the transport problem, solved as it stands.

    All masses are multiplied by (size of the group) x (size of the table), which makes them whole numbers, so a best
    flow of whole numbers exists at a vertex; the solver's flow is rounded to it. What comes back is then exact, and two
    checks keep it honest: the flow moves what it must, and its cost is the lower bound that the solver's prices prove.
    """
    sources, sinks = different(group), different(table)
    supply = [count(value, group) * len(table) for value in sources]
    demand = [count(value, table) * len(group) for value in sinks]
    cost = [[Fraction(distance(a, b)) for b in sinks] for a in sources]
    rows, columns = range(len(sources)), range(len(sinks))

    leaves = [[1.0 if i == row else 0.0 for i in rows for _ in columns] for row in rows]
    arrives = [[1.0 if j == column else 0.0 for _ in rows for j in columns] for column in columns]
    solution = linprog(
        c=np.array([float(cost[i][j]) for i in rows for j in columns]),
        A_eq=np.array(leaves + arrives),
        b_eq=np.array(supply + demand, dtype=float),
        bounds=(0, None),
        method="highs-ds",
    )
    if solution.status != 0:
        raise ArithmeticError(f"the transport problem was not solved: {solution.message}")

    flat = [round(float(x)) for x in solution.x]
    flow = [flat[i * len(sinks) : (i + 1) * len(sinks)] for i in rows]
    feasible = (
        all(moved >= 0 for moved in flat)
        and all(sum(flow[i]) == supply[i] for i in rows)
        and all(sum(flow[i][j] for i in rows) == demand[j] for j in columns)
    )
    if not feasible:
        raise ArithmeticError("the flow does not move every share")
    mass = len(group) * len(table)
    work = sum((cost[i][j] * flow[i][j] for i in rows for j in columns), Fraction(0)) / mass

    # Any prices u of the sources, with v_j = min_i (cost_ij - u_i), prove that no flow costs less than the bound (weak
    # duality of linear programs).
    u = [Fraction(float(solution.eqlin.marginals[i])) for i in rows]
    v = [min(cost[i][j] - u[i] for i in rows) for j in columns]
    bound = sum((u[i] * supply[i] for i in rows), Fraction(0)) + sum((v[j] * demand[j] for j in columns), Fraction(0))
    if work - bound / mass > Fraction(1, 10**11):
        raise ArithmeticError("the flow is not the cheapest")
    return work


def gains(group: Group, table: Group) -> list[tuple[Fraction, Fraction]]:
    """((P - Q) / Q, Q) of every value more frequent in the group than in the table."""
    found = []
    for value in different(table):
        p, q = share(value, group), share(value, table)
        if p > q:
            found.append(((p - q) / q, q))
    return found


def within_log(gain: Fraction, q: Fraction) -> bool:
    """Whether (P - Q) / Q <= -ln Q."""
    return float(gain) <= -math.log(q) + LOG_SLACK


def disclosure(group: Group, table: Group) -> float:
    """The largest |ln(P / Q)| over the values of the table; infinite when one is absent from the group."""
    largest = 0.0
    for value in different(table):
        p, q = share(value, group), share(value, table)
        largest = max(largest, math.inf if p == 0 else abs(math.log(p / q)))
    return largest


# Whether one group holds a requirement: (parameter, group, whole table, ground distance) -> bool


def holds_k(k: Any, group: Group, table: Group, distance: Distance) -> bool:
    """The group has k people or more."""
    return bool(len(group) >= k)


def holds_distinct_l(l: Any, group: Group, table: Group, distance: Distance) -> bool:  # noqa: E741
    """The group has l different values or more."""
    return bool(len(different(group)) >= l)


def holds_entropy_l(l: Any, group: Group, table: Group, distance: Distance) -> bool:  # noqa: E741
    """The entropy of the group is ln l or more."""
    return entropy(group) >= math.log(l) - ENTROPY_SLACK


def holds_recursive_cl(cl: Any, group: Group, table: Group, distance: Distance) -> bool:
    """r_1 < c (r_l + ... + r_m)."""
    c, l = cl  # noqa: E741
    return top_count(group) < decimal(c) * tail(group, l)


def holds_simple_l(l: Any, group: Group, table: Group, distance: Distance) -> bool:  # noqa: E741
    """The most frequent value has at most 1/l of the group."""
    return top_count(group) * decimal(l) <= len(group)


def holds_confidence(c: Any, group: Group, table: Group, distance: Distance) -> bool:
    """The most frequent value has at most the share c of the group."""
    return top_share(group) <= decimal(c)


def holds_alpha(a: Any, group: Group, table: Group, distance: Distance) -> bool:
    """Every value has at most the share alpha of the group."""
    return all(share(value, group) <= decimal(a) for value in different(table))


def holds_t(t: Any, group: Group, table: Group, distance: Distance) -> bool:
    """The earth mover's distance from the group to the table is t or less."""
    return earth_mover(group, table, distance) <= decimal(t) + EMD_SLACK


def holds_basic_beta(b: Any, group: Group, table: Group, distance: Distance) -> bool:
    """(P - Q) / Q <= beta for every value with P > Q."""
    return all(gain <= decimal(b) for gain, _ in gains(group, table))


def holds_enhanced_beta(b: Any, group: Group, table: Group, distance: Distance) -> bool:
    """(P - Q) / Q <= min(beta, -ln Q) for every value with P > Q."""
    return all(gain <= decimal(b) and within_log(gain, q) for gain, q in gains(group, table))


def holds_delta(d: Any, group: Group, table: Group, distance: Distance) -> bool:
    """|ln(P / Q)| < delta for every value of the table."""
    return bool(disclosure(group, table) < d - DELTA_SLACK)


def holds_range(e: Any, group: Group, table: Group, distance: Distance) -> bool:
    """Two people of the group have numbers that are e apart, or more."""
    numbers = [number for number in group if isinstance(number, int)]
    return any(abs(one - other) >= decimal(e) for one in numbers for other in numbers) or decimal(e) == 0


def holds_p_percent(p: Any, group: Group, table: Group, distance: Distance) -> bool:
    """Whoever has the second largest number subtracts it from the sum, and is off the largest by p percent, or more."""
    falling = sorted((number for number in group if isinstance(number, int)), reverse=True)
    largest, second = [*falling, 0, 0][:2]
    estimated = sum(falling) - second
    return estimated - largest >= decimal(p) / 100 * largest


HOLDS: dict[str, Callable[[Any, Group, Group, Distance], bool]] = {
    "k": holds_k,
    "distinct_l": holds_distinct_l,
    "entropy_l": holds_entropy_l,
    "recursive_cl": holds_recursive_cl,
    "simple_l": holds_simple_l,
    "confidence": holds_confidence,
    "alpha": holds_alpha,
    "t": holds_t,
    "basic_beta": holds_basic_beta,
    "enhanced_beta": holds_enhanced_beta,
    "delta": holds_delta,
    "range": holds_range,
    "p_percent": holds_p_percent,
}

KEYS: tuple[str, ...] = tuple(HOLDS)


# What the whole table reaches: (groups, ground distance) -> number


def reach_k(groups: Groups, distance: Distance) -> float:
    """The size of the smallest group."""
    return float(min(len(group) for group in groups))


def reach_distinct_l(groups: Groups, distance: Distance) -> float:
    """The fewest different values in a group."""
    return float(min(len(different(group)) for group in groups))


def reach_entropy_l(groups: Groups, distance: Distance) -> float:
    """The least exponential of the entropy."""
    return min(math.exp(entropy(group)) for group in groups)


def reach_recursive_cl(groups: Groups, distance: Distance, l: int | None = None) -> float:  # noqa: E741
    """The largest r_1 / (r_l + ... + r_m), which every c must exceed; l: the fewest different values in a group."""
    if l is None:
        l = min(len(different(group)) for group in groups)  # noqa: E741
    if any(tail(group, l) == 0 for group in groups):
        return math.inf
    return float(max(Fraction(top_count(group), tail(group, l)) for group in groups))


def reach_simple_l(groups: Groups, distance: Distance) -> float:
    """The least size over the count of the most frequent value."""
    return float(min(Fraction(len(group), top_count(group)) for group in groups))


def reach_confidence(groups: Groups, distance: Distance) -> float:
    """The largest share of a most frequent value."""
    return float(max(top_share(group) for group in groups))


def reach_alpha(groups: Groups, distance: Distance) -> float:
    """The largest share of any value."""
    return float(max(share(value, group) for group in groups for value in different(group)))


def reach_t(groups: Groups, distance: Distance) -> float:
    """The largest earth mover's distance from a group to the table."""
    return float(max(earth_mover(group, whole(groups), distance) for group in groups))


def reach_basic_beta(groups: Groups, distance: Distance) -> float:
    """The largest (P - Q) / Q with P > Q, 0 when there is none."""
    return float(max((gain for group in groups for gain, _ in gains(group, whole(groups))), default=Fraction(0)))


def reach_enhanced_beta(groups: Groups, distance: Distance) -> float:
    """The largest (P - Q) / Q with P > Q, 0 when there is none; infinite when one exceeds -ln Q, so no beta will do."""
    found = [pair for group in groups for pair in gains(group, whole(groups))]
    if not all(within_log(gain, q) for gain, q in found):
        return math.inf
    return float(max((gain for gain, _ in found), default=Fraction(0)))


def reach_delta(groups: Groups, distance: Distance) -> float:
    """The largest |ln(P / Q)|, which every delta must exceed."""
    return max(disclosure(group, whole(groups)) for group in groups)


def reach_range(groups: Groups, distance: Distance) -> float:
    """The smallest of the largest differences between two people of a group."""
    found = [[number for number in group if isinstance(number, int)] for group in groups]
    return float(min(max((abs(a - b) for a in here for b in here), default=0) for here in found))


def reach_p_percent(groups: Groups, distance: Distance) -> float:
    """The smallest percentage by which whoever has the second largest number overestimates the largest."""
    percents = []
    for group in groups:
        falling = sorted((number for number in group if isinstance(number, int)), reverse=True)
        if falling and falling[0] > 0:
            percents.append(float(Fraction(100 * sum(falling[2:]), falling[0])))
    return min(percents, default=math.inf)


REACH: dict[str, Callable[..., float]] = {
    "k": reach_k,
    "distinct_l": reach_distinct_l,
    "entropy_l": reach_entropy_l,
    "recursive_cl": reach_recursive_cl,
    "simple_l": reach_simple_l,
    "confidence": reach_confidence,
    "alpha": reach_alpha,
    "t": reach_t,
    "basic_beta": reach_basic_beta,
    "enhanced_beta": reach_enhanced_beta,
    "delta": reach_delta,
    "range": reach_range,
    "p_percent": reach_p_percent,
}


# The two entries


def holds(key: str, value: Any, groups: Groups, *, distance: Distance) -> list[bool]:
    """For each group, whether it satisfies the requirement with this parameter."""
    return [HOLDS[key](value, group, whole(groups), distance) for group in groups]


def reach(key: str, groups: Groups, *, distance: Distance, l: int | None = None) -> float:  # noqa: E741
    """The strongest parameter that all groups satisfy; l is for "recursive_cl" alone.

    For "recursive_cl" and "delta", whose comparison is strict, every greater parameter is satisfied.
    """
    if key == "recursive_cl":
        return reach_recursive_cl(groups, distance, l)
    if l is not None:
        raise ValueError(f"{key!r} takes no l")
    return REACH[key](groups, distance)


# Measures


def risk(groups: Groups) -> dict[str, Fraction | int]:
    """The risks of being found again, exact, and how many people are alone in their group."""
    return {
        "prosecutor_highest": Fraction(1, min(len(group) for group in groups)),
        "marketer": Fraction(len(groups), len(whole(groups))),
        "unique": sum(len(group) for group in groups if len(group) == 1),
    }


def exposed(groups: Groups) -> int:
    """The people in groups whose people all share one private value."""
    return sum(len(group) for group in groups if len(different(group)) == 1)


def cm(groups: Groups) -> int:
    """The people whose value is not the majority of their group."""
    return sum(len(group) - top_count(group) for group in groups)


def dm(groups: Groups, withheld: int = 0) -> int:
    """Each person is charged the size of their group; a withheld person, the size of the whole table."""
    return sum(len(group) ** 2 for group in groups) + withheld * (len(whole(groups)) + withheld)
