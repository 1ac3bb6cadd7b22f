"""How many examples a law is tried on, where it is not the number that the profile says."""

from hypothesis import settings


def share_of_examples(share: float) -> settings:
    """A decorator: the profile's number times a share, so that a thorough run stays thorough.

    For laws that are slow, or that are asked for each of many methods; above 1 for laws about what is rare.
    """
    return settings(max_examples=max(1, round(settings().max_examples * share)))
