"""The worst that a path may hide if it tells only how many people have its commonest label, and how many do not."""

import numpy as np

from kspan.data.arrays import Int64s


def worst_counts(hit: Int64s, miss: Int64s, labels: int, *, distinct: int = 1) -> Int64s:
    """For each path, the most uneven counts of labels that its hit and miss allow, the commonest label first.

    `hit` people have the commonest label, `miss` people any other; no label has more people than the commonest. As far
    as there are people for it, `distinct` labels are assumed to occur: Tian, Zhang, Xu and Sharkey assume l of them for
    (c, l)-diversity (Definition 11 and Fig. 4). With that, the labels from the l-th on have together what is the tail
    in their Eq. (1). Their paths (5, 4) and (2, 5):

    >>> worst_counts(np.array([5, 2]), np.array([4, 5]), 5, distinct=3).tolist()
    [[5, 3, 1, 0, 0], [2, 2, 2, 1, 0]]
    """
    counts = np.zeros((len(hit), labels), np.int64)
    counts[:, 0] = hit
    places = np.arange(1, labels)
    counts[:, 1:] = (places < distinct) & (places <= miss[:, None])
    left = miss - counts[:, 1:].sum(axis=1)  # all others go to the first labels that have room
    for place in range(1, labels):
        more = np.minimum(left, hit - counts[:, place])
        counts[:, place] += more
        left = left - more
    return counts
