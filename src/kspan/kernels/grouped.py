"""The best questions with two answers, each a group of values, and what is still to be gained after them.

What is to be told of people are numbers, their *responses*: for a label whether they have it (0 or 1), for a number the
number itself. A question gains what it takes off the sum of squares around the means, so that

    gain = S_left^2 / n_left + S_right^2 / n_right - S^2 / n,   summed over responses,

where S is the sum of a response and n the weight of people. For labels that is the gain in Gini impurity, for numbers
the reduction of variance. Where one target has labels, everybody who gets the own label by it, and did not before,
counts one more: that is what a tree is for, and where crowds are large few questions are left to bring it about.

People are counted in *cells*: one for each code of each attribute. The columns of a cell are the people, what they
weigh (only if that is something else), the sum of each response, and the sum of squares of each number.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Floats = NDArray[np.float64]
Int64s = NDArray[np.int64]
Bools = NDArray[np.bool_]
Sons = NDArray[np.int8]

LEAST_GAIN = 1e-9
"""A smaller gain is taken for a rounding error."""

DIGITS, DIGIT = 1e9, 1e-9
"""Gains that agree in so many digits are equal: the order in which a sum was added up must not decide."""

BIT = 2.0 * math.log(2.0)
"""A bit of description is worth so much of the variance of one person (by the likelihood of a normal distribution)."""

MOST_ORDERS = 6
"""Words are ordered by the shares of so many labels at most, the commonest first."""

STEPS = 12
"""Steps of the power iteration that finds the direction in which values differ most."""


class Asked(NamedTuple):
    """Everybody: what may be asked of them, and what is to be told of them."""

    codes: NDArray[Any]
    """By row and attribute."""
    begins: Int64s
    """By attribute, its first cell; the last entry is where all end. An attribute's last cell is for missing values."""
    numeric: Bools
    """Is the attribute asked by thresholds?"""
    crowd: Int64s
    """By attribute, the fewest people on each side of a question."""
    people: Int64s
    """The people of each row; empty if each is one."""
    worth: Floats
    """What each row weighs; empty if each weighs as much as its people."""
    label: NDArray[Any]
    """By row and labelled target, the number of its response; -1 if it has none of them."""
    number: Floats
    """By row and numeric target, the number; their responses come after those of labels."""
    scale: Floats
    """By response, what a squared unit of it is worth."""
    names: NDArray[np.int32]
    """By level and cell, the name of the cell's value there; -1 if it has none."""


class Responses(NamedTuple):
    """Which columns of a cell hold the responses."""

    first: int
    """The first of them; the column before it has what people weigh."""
    scale: Floats
    labels: bool
    """Are they those of one target with labels, so that errors count, too?"""


@compiled
def _told(asked: Asked) -> Responses:
    labels = asked.label.shape[1] == 1 and asked.number.shape[1] == 0
    return Responses(2 if asked.worth.size else 1, asked.scale, labels)


@compiled
def _count_labels(asked: Asked, rows: NDArray[Any], some: Int64s, cells: Floats) -> None:
    """Add some rows to the cells of some attributes, where one target has labels: one number a cell and label."""
    responses = asked.scale.size
    seen = np.zeros((cells.shape[0], responses + 1))
    for i in range(rows.size):
        row = rows[i]
        people = float(asked.people[row]) if asked.people.size else 1.0
        place = asked.label[row, 0] + 1
        for attribute in some:
            seen[asked.begins[attribute] + asked.codes[row, attribute], place] += people
    for cell in range(cells.shape[0]):
        cells[cell, 0] += seen[cell, 0]
        for response in range(responses):
            cells[cell, 0] += seen[cell, response + 1]
            cells[cell, response + 1] += seen[cell, response + 1]


@compiled
def _count(asked: Asked, rows: NDArray[Any], some: Int64s, cells: Floats) -> None:
    """Add some rows to the cells of some attributes."""
    labels, numbers = asked.label.shape[1], asked.number.shape[1]
    if labels == 1 and numbers == 0 and asked.worth.size == 0:
        _count_labels(asked, rows, some, cells)
        return
    responses = asked.scale.size
    first = 2 if asked.worth.size else 1
    first_number, first_square = first + responses - numbers, first + responses
    for i in range(rows.size):
        row = rows[i]
        people = float(asked.people[row]) if asked.people.size else 1.0
        worth = asked.worth[row] if asked.worth.size else people
        for attribute in some:
            cell = asked.begins[attribute] + asked.codes[row, attribute]
            cells[cell, 0] += people
            if first == 2:
                cells[cell, 1] += worth
            for target in range(labels):
                response = asked.label[row, target]
                if response >= 0:
                    cells[cell, first + response] += worth
            for target in range(numbers):
                number = asked.number[row, target]
                cells[cell, first_number + target] += worth * number
                cells[cell, first_square + target] += worth * number * number


@compiled
def _counted(asked: Asked, rows: NDArray[Any], some: Int64s) -> Floats:
    """The cells of some attributes, with some rows."""
    columns = (2 if asked.worth.size else 1) + asked.scale.size + asked.number.shape[1]
    cells = np.zeros((asked.begins[-1], columns))
    _count(asked, rows, some, cells)
    return cells


@compiled
def _variance(asked: Asked, total: Floats) -> float:
    """The variance of one person, summed over responses, of people who add up to `total`."""
    first, responses, numbers = 2 if asked.worth.size else 1, asked.scale.size, asked.number.shape[1]
    weight = float(total[first - 1])
    spread = 0.0
    if weight <= 0.0:
        return spread
    for response in range(responses):
        column = first + response
        # The square of 0 or 1 is itself.
        square = total[column + numbers] if response >= responses - numbers else total[column]
        spread += asked.scale[response] * max(square - total[column] * total[column] / weight, 0.0)
    return spread / weight


@compiled
def _gain_of_one(inside: float, one: float, everybody: float, both: float, scale: float, labels: bool) -> float:
    """What it gains to tell some people from the others, if there is one response.

    Of `everybody` it adds up to `both`, of the people `inside` to `one`. The three squares at the top, as one:
    (S_left n - S n_left)^2 / (n n_left n_right).
    """
    outside = everybody - inside
    if inside <= 0.0 or outside <= 0.0:
        return -1.0
    apart, other = one * everybody - both * inside, both - one
    gained = scale * apart * apart / (everybody * inside * outside)
    if labels:
        # Whoever does not have the second label has the first.
        gained += max(one, inside - one) + max(other, outside - other) - max(both, everybody - both)
    rounded: float = math.floor(gained * DIGITS + 0.5) * DIGIT
    return rounded


@compiled
def _gain(here: Floats, total: Floats, told: Responses) -> float:
    """What it gains to tell the people of `here` from the others of `total`."""
    first, inside, everybody = told.first, here[told.first - 1], total[told.first - 1]
    if told.scale.size == 1:
        return _gain_of_one(inside, here[first], everybody, total[first], told.scale[0], told.labels)
    outside = everybody - inside
    if inside <= 0.0 or outside <= 0.0:
        return -1.0
    apart = right_inside = right_outside = right = 0.0
    for response in range(told.scale.size):
        one, both = here[first + response], total[first + response]
        apart += told.scale[response] * (one * everybody - both * inside) ** 2
        right_inside, right_outside, right = max(right_inside, one), max(right_outside, both - one), max(right, both)
    gained = apart / (everybody * inside * outside)
    if told.labels:
        gained += right_inside + right_outside - right
    rounded: float = math.floor(gained * DIGITS + 0.5) * DIGIT
    return rounded


@compiled
def _best_cut(cells: Floats, order: Int64s, total: Floats, told: Responses, least: float) -> tuple[float, int]:
    """The gain of the best cut of cells in an order, and how many cells are before it; -1 and 0 if there is none."""
    best, best_at, first = -1.0, 0, told.first
    if told.scale.size == 1:
        # Without arrays this takes a fifth of the time.
        people = inside = one = 0.0
        all_people, everybody, both = total[0], total[first - 1], total[first]
        scale, labels = told.scale[0], told.labels
        for at in range(order.size - 1):
            people += cells[order[at], 0]
            inside += cells[order[at], first - 1]
            one += cells[order[at], first]
            if people >= least and all_people - people >= least:
                gain = _gain_of_one(inside, one, everybody, both, scale, labels)
                if gain > best:
                    best, best_at = gain, at + 1
        return best, best_at
    left = np.zeros(total.size)
    for at in range(order.size - 1):
        for column in range(total.size):
            left[column] += cells[order[at], column]
        if left[0] >= least and total[0] - left[0] >= least:
            gain = _gain(left, total, told)
            if gain > best:
                best, best_at = gain, at + 1
    return best, best_at


@compiled
def _direction(cells: Floats, order: Int64s, total: Floats, told: Responses) -> Floats:
    """The direction in which the mean responses of cells differ most: their first principal component."""
    first, scale, size = told.first, told.scale, told.scale.size
    mean, direction, turned = np.empty(size), np.zeros(size), np.zeros(size)
    if size == 1:
        direction[0] = 1.0
        return direction
    for response in range(size):
        mean[response] = total[first + response] / total[first - 1]
        for cell in order:
            apart = cells[cell, first + response] / cells[cell, first - 1] - mean[response]
            turned[response] += scale[response] * cells[cell, first - 1] * apart * apart
    direction[np.argmax(turned)] = 1.0
    for _ in range(STEPS):
        turned[:] = 0.0
        for cell in order:
            along = 0.0
            for response in range(size):
                apart = cells[cell, first + response] / cells[cell, first - 1] - mean[response]
                along += scale[response] * direction[response] * apart
            for response in range(size):
                apart = cells[cell, first + response] / cells[cell, first - 1] - mean[response]
                turned[response] += cells[cell, first - 1] * along * apart
        length = math.sqrt((turned * turned).sum())
        if length <= 0.0:
            break
        direction[:] = turned / length
    return direction


@compiled
def _put_in_order(cells: Floats, order: Int64s, total: Floats, told: Responses, direction: Floats) -> None:
    """Order cells by their mean responses along a direction."""
    first, keys = told.first, np.empty(order.size)
    for at in range(order.size):
        key = 0.0
        for response in range(told.scale.size):
            mean = total[first + response] / total[first - 1]
            apart = cells[order[at], first + response] / cells[order[at], first - 1] - mean
            key += told.scale[response] * direction[response] * apart
        keys[at] = math.floor(key * DIGITS + 0.5)
    # Insertion keeps the order of cells with equal keys, and is quick for few.
    if order.size <= 64:
        for at in range(1, order.size):
            key, cell, place = keys[at], order[at], at
            while place > 0 and keys[place - 1] > key:
                keys[place], order[place] = keys[place - 1], order[place - 1]
                place -= 1
            keys[place], order[place] = key, cell
    else:
        order[:] = order[np.argsort(keys, kind="mergesort")]


@compiled
def _best_groups(cells: Floats, order: Int64s, total: Floats, told: Responses, least: float) -> tuple[float, int]:
    """The gain of the best two groups of words, and how many cells of `order` are the first; -1 and 0 if none gain.

    For two labels, or one number, no two groups gain more than the best cut of words in the order of their means
    (Breiman et al. 1984, Theorem 4.5). For several the order along the first principal component of the means is tried
    (Coppersmith, Hong, Hosking 1999), and those by the shares of single labels.
    """
    _put_in_order(cells, order, total, told, _direction(cells, order, total, told))
    best, cut = _best_cut(cells, order, total, told, least)
    if told.scale.size == 1 or not told.labels or order.size < 3:
        return best, cut
    often = np.argsort(-total[told.first : told.first + told.scale.size], kind="mergesort")
    for label in often[:MOST_ORDERS]:
        direction, other = np.zeros(told.scale.size), order.copy()
        direction[label] = 1.0
        _put_in_order(cells, other, total, told, direction)
        gain, at = _best_cut(cells, other, total, told, least)
        if gain > best:
            best, cut, order[:] = gain, at, other
    return best, cut


@compiled
def _best_name(
    cells: Floats, order: Int64s, names: NDArray[np.int32], total: Floats, told: Responses, least: float
) -> tuple[float, int, int]:
    """The gain of the best question "this name of a level, or another?", the name, and how many names occur."""
    most = -1
    for cell in order:
        most = max(most, names[cell])
    best, best_name, occur = -1.0, -1, 0
    if most < 1:
        return best, best_name, occur
    sums = np.zeros((most + 1, total.size))
    for cell in order:
        if names[cell] >= 0:
            for column in range(total.size):
                sums[names[cell], column] += cells[cell, column]
    for name in range(most + 1):
        if sums[name, 0] <= 0.0:
            continue
        occur += 1
        if sums[name, 0] >= least and total[0] - sums[name, 0] >= least:
            gain = _gain(sums[name], total, told)
            if gain > best:
                best, best_name = gain, name
    return best, best_name, occur


@compiled
def _best_question(
    asked: Asked, attribute: int, cells: Floats, total: Floats, bit: float, least: float, son: Sons
) -> float:
    """The gain of the best question about one attribute, less what it takes to say which one it is; -1 if none gains.

    `son` gets the side of each cell: 0 or 1. Cells without people go with most people. `bit` is what a bit of the
    question costs.
    """
    begin, missing = asked.begins[attribute], asked.begins[attribute + 1] - 1
    told = _told(asked)
    least = max(least, float(asked.crowd[attribute]))
    order = _populated(cells, begin, missing)
    found = order.size
    # A missing value is no choice that a question takes bits to tell of: few people have one, and any side will do.
    values = max(found - int(cells[missing, 0] > 0.0), 2)
    if found < 2:
        return -1.0
    level, name = -1, -1
    if asked.numeric[attribute]:
        best, cut = _best_cut(cells, order, total, told, least)
        if order[found - 1] == missing:
            turned = _turned(order)
            other, at = _best_cut(cells, turned, total, told, least)
            if other > best:
                best, cut, order = other, at, turned
        best -= bit * math.log2(values - 1)
    else:
        best, cut = _best_groups(cells, order, total, told, least)
        best -= bit * (values - 2)
        for place in range(asked.names.shape[0]):
            gain, group, names = _best_name(cells, order, asked.names[place], total, told, least)
            gain -= bit * math.log2(max(names - 1, 1))
            if group >= 0 and gain > best:
                best, level, name = gain, place, group
    if best <= LEAST_GAIN:
        return -1.0
    _fill(asked, attribute, cells, order, cut, level, name, son)
    return best


@compiled
def _fill(
    asked: Asked, attribute: int, cells: Floats, order: Int64s, cut: int, level: int, name: int, son: Sons
) -> None:
    """Say which side each cell goes to: those before the cut, or with the name, to 0, and the others to 1."""
    begin, missing = asked.begins[attribute], asked.begins[attribute + 1] - 1
    before = after = 0.0
    for at in range(order.size):
        inside = asked.names[level, order[at]] == name if name >= 0 else at < cut
        son[order[at]] = 0 if inside else 1
        if inside:
            before += cells[order[at], 0]
        else:
            after += cells[order[at], 0]
    larger = 0 if before > after else 1
    last = begin - 1  # the last number before the cut
    for at in range(cut):
        if order[at] != missing:
            last = order[at]
    for cell in range(begin, missing + 1):
        if cells[cell, 0] <= 0.0:
            if name >= 0 and cell < missing:
                son[cell] = 0 if asked.names[level, cell] == name else 1
            elif asked.numeric[attribute] and cell < missing:
                son[cell] = 0 if cell <= last else 1
            else:
                son[cell] = larger


@compiled
def _total(asked: Asked, attribute: int, cells: Floats) -> Floats:
    """What the people of all cells of an attribute add up to."""
    total = np.zeros(cells.shape[1])
    for cell in range(asked.begins[attribute], asked.begins[attribute + 1]):
        for column in range(total.size):
            total[column] += cells[cell, column]
    return total


@compiled
def _best_of(asked: Asked, some: Int64s, cells: Floats, least: float, price: float, son: Sons) -> tuple[float, int]:
    """The gain of the best question about some attributes, and which it asks, or -1 for both.

    `son` gets the side of each of its cells.
    """
    best, found = -1.0, -1
    total = _total(asked, some[0], cells)
    if total[0] < 2 * max(least, float(asked.crowd.min())):
        return best, found
    variance = _variance(asked, total)
    if variance <= LEAST_GAIN:
        return best, found
    for attribute in some:
        # Each attribute has cells of its own, so that one array serves all.
        gain = _best_question(asked, attribute, cells, total, price * BIT * variance, least, son)
        if gain > best:
            best, found = gain, attribute
    return best, found


@compiled
def _divide(asked: Asked, attribute: int, son: Sons, rows: NDArray[Any], spare: NDArray[Any]) -> int:
    """Bring the rows that go to side 0 before the others, in place and in their order; return how many they are."""
    first = second = 0
    begin = asked.begins[attribute]
    for i in range(rows.size):
        if son[begin + asked.codes[rows[i], attribute]] == 0:
            rows[first] = rows[i]
            first += 1
        else:
            spare[second] = rows[i]
            second += 1
    rows[first:] = spare[:second]
    return first


@compiled
def _count_sides(asked: Asked, rows: NDArray[Any], some: Int64s, middle: int, cells: Floats, sides: Floats) -> None:
    """Count the rows on both sides of `middle`: the fewer ones one by one, the others as what is left of `cells`."""
    smaller = 0 if middle <= rows.size - middle else 1
    sides[smaller] = 0.0
    _count(asked, rows[:middle] if smaller == 0 else rows[middle:], some, sides[smaller])
    sides[1 - smaller] = cells - sides[smaller]


@compiled
def _still_gained(
    asked: Asked, some: Int64s, rows: NDArray[Any], middle: int, cells: Floats, depth: int, least: float, price: float
) -> float:
    """What the best questions gain on both sides of `middle`, and those of the parts that they make, `depth` deep.

    Questions about `some` attributes are looked at. Rows are reordered; `cells` are those of all of them.
    """
    gained, spare, son = 0.0, np.empty_like(rows), np.empty(cells.shape[0], np.int8)
    begins, ends = np.array([0, middle]), np.array([middle, rows.size])
    here = np.empty((2, cells.shape[0], cells.shape[1]))
    _count_sides(asked, rows, some, middle, cells, here)
    for left in range(depth, 0, -1):
        parts, below = 0, np.empty((2 * ends.size if left > 1 else 0, cells.shape[0], cells.shape[1]))
        new_begins, new_ends = np.empty(2 * ends.size, np.int64), np.empty(2 * ends.size, np.int64)
        for place in range(ends.size):
            gain, best = _best_of(asked, some, here[place], least, price, son)
            if best < 0:
                continue
            gained += gain
            if left > 1:
                part = rows[begins[place] : ends[place]]
                first = _divide(asked, best, son, part, spare)
                _count_sides(asked, part, some, first, here[place], below[parts : parts + 2])
                new_begins[parts], new_ends[parts + 1] = begins[place], ends[place]
                new_ends[parts] = new_begins[parts + 1] = begins[place] + first
                parts += 2
        begins, ends, here = new_begins[:parts], new_ends[:parts], below[:parts]
    return gained


@compiled
def questions(
    asked: Asked, rows: NDArray[Any], least: float, price: float, most: int, depth: int,
    gains: Floats, worths: Floats, son: Sons,
) -> None:  # fmt: skip
    """Fill in, for each attribute, what its best question gains, what it is worth, and the side of each of its cells.

    The gain is -1 if no question gains. The worth of the `most` best has also what can still be gained after them,
    `depth` questions deep, by attributes that gain now; that of others is their gain.
    """
    cells = _counted(asked, rows, np.arange(asked.numeric.size))
    total = _total(asked, 0, cells)
    gains[:] = worths[:] = -1.0
    variance = _variance(asked, total)
    if variance <= LEAST_GAIN or total[0] < 2 * max(least, float(asked.crowd.min())):
        return
    for attribute in range(asked.numeric.size):
        gains[attribute] = worths[attribute] = _best_question(
            asked, attribute, cells, total, price * BIT * variance, least, son
        )
    best = np.argsort(-gains, kind="mergesort")[: most if depth else 0]
    if best.size < 2 or gains[best[1]] <= 0.0:  # where there is nothing to choose, nothing need be weighed
        return
    gaining = np.flatnonzero(gains > 0.0)
    copy, spare = np.empty_like(rows), np.empty_like(rows)
    for attribute in best:
        if gains[attribute] > 0.0:
            copy[:] = rows
            middle = _divide(asked, attribute, son, copy, spare)
            worths[attribute] += _still_gained(asked, gaining, copy, middle, cells, depth, least, price)


@compiled
def alternatives(
    asked: Asked, attribute: int, rows: NDArray[Any], least: float, price: float, gains: Floats, sides: NDArray[np.int8]
) -> int:
    """Fill in every question about one attribute that leaves `least` people on each side; return how many there are.

    `sides` has the side of each of the attribute's cells, `gains` what the question gains less what it takes to say it.
    """
    cells = _counted(asked, rows, np.array([attribute]))
    total = _total(asked, attribute, cells)
    begin, end = asked.begins[attribute], asked.begins[attribute + 1]
    told, bit = _told(asked), price * BIT * _variance(asked, total)
    order, son, made = _populated(cells, begin, end - 1), np.empty(asked.begins[-1], np.int8), 0
    if order.size < 2:
        return 0
    values = max(order.size - int(cells[end - 1, 0] > 0.0), 2)
    bits = math.log2(values - 1) if asked.numeric[attribute] else values - 2.0
    turns = 1
    if not asked.numeric[attribute]:
        _put_in_order(cells, order, total, told, _direction(cells, order, total, told))
    elif order[order.size - 1] == end - 1:
        turns = 2
    for turn in range(turns):
        if turn == 1:
            order = _turned(order)
        left = np.zeros(total.size)
        for at in range(order.size - 1):
            left += cells[order[at]]
            if left[0] >= least and total[0] - left[0] >= least:
                gains[made] = _gain(left, total, told) - bit * bits
                _fill(asked, attribute, cells, order, at + 1, -1, -1, son)
                sides[made] = son[begin:end]
                made += 1
    return made


@compiled
def _populated(cells: Floats, begin: int, missing: int) -> Int64s:
    """The cells of an attribute that have people, in their order."""
    order, found = np.empty(missing + 1 - begin, np.int64), 0
    for cell in range(begin, missing + 1):
        if cells[cell, 0] > 0.0:
            order[found] = cell
            found += 1
    return order[:found]


@compiled
def _turned(order: Int64s) -> Int64s:
    """The order with its last cell first: people without a number may as well go with the lowest numbers."""
    turned = np.empty_like(order)
    turned[0], turned[1:] = order[-1], order[:-1]
    return turned
