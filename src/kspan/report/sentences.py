"""What was promised, whether it holds, what it cost and what it does not cover, for somebody who knows no theory."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kspan.audit.findings import ANSWERS, NOT_PROVED, Audit, Finding
from kspan.audit.population import PopulationUniques
from kspan.evaluate.cost import CostCurve, CostPoint, makes_trees
from kspan.evaluate.errors import Ruler, explaining, share_explained
from kspan.policy import Policy
from kspan.privacy import KAnonymity, Requirement
from kspan.report.crowd import Fact, in_words
from kspan.report.formatting import conjoined, estimated_by, percent, visible
from kspan.report.verdict import OF_ITEMS, parts_of, rows_known

MOST_NAMED = 12
"""How many attributes a sentence names one by one at most."""
MOST_GUESSED = 4
"""For how many private attributes the attack tells the best guess."""


def headline(audit: Audit, public: Sequence[str] | None, require: Requirement) -> str:
    """The verdict in one sentence."""
    knower = f"someone who knows {known(audit, public)}{rows_known(audit)}"
    if audit.holds:
        others = _crowd(audit) - 1
        answers = " and gets its answers, but not the model itself" if audit.reading == ANSWERS else ""
        # Then it is not the size of crowds that protects people, so no number of others is promised.
        if others < 1 or audit.safe_people == audit.people:
            return f"All that was required holds for each of the {audit.people:,} people, against {knower}{answers}."
        return (
            f"Every person in {_these(audit)} is indistinguishable from at least {others:,} "
            f"other{'s' if others > 1 else ''} to {knower}{answers}."
        )
    reasons = []
    if audit.reading == NOT_PROVED:
        reasons.append("it is not proved that what was required holds")
    elif audit.failing_people:
        happens = (
            f"can be narrowed down to fewer than {require.crowd:,} by {knower}"
            if only_k(require)
            else f"{_do(audit.failing_people)} not have what was required, against {knower}"
        )
        reasons.append(f"{audit.failing_people:,} of {_people(audit.people)} {happens}")
    if audit.identifiers:
        names = conjoined([visible(name) for name in audit.identifiers])
        reasons.append(f"the table still shows what identifies people by itself ({names})")
    if audit.spreads:
        reasons.append(f"how {len(audit.spreads):,} attributes spread breaks it, or is not so")
    if audit.untrue:
        reasons.append(f"{len(audit.untrue):,} {parts_of(audit)} tell figures that are not those of these people")
    if audit.exact:
        reasons.append(f"{len(audit.exact):,} {parts_of(audit)} tell numbers of too few people")
    said = "; and ".join(reasons) or "what was required does not hold"
    return f"Do not release this: {said}."


def _these(audit: Audit) -> str:
    return "this release" if audit.releases == 1 else f"these {audit.releases:,} releases together"


def warning(audit: Audit, require: Requirement) -> str | None:
    """Return a warning if only k is required and holds, but whole crowds share a private value; else None."""
    told = _learned(audit)
    # Where something is required of private values, the verdict already is about them.
    if not (audit.holds and told and only_k(require)):
        return None
    return (
        f"Not promised: that private facts stay private. Someone would learn {told} for sure, since everybody in their "
        f"{audit.units[:-1]} has the same."
    )


def only_k(require: Requirement) -> bool:
    """Is nothing required but the size of crowds?"""
    return all(isinstance(part, KAnonymity) for part in require.parts)


def known(audit: Audit, public: Sequence[str] | None) -> str:
    """What the attacker knows of everybody."""
    if audit.counting == "paths":
        return "every attribute that the tree asks"
    of_items = audit.kind in OF_ITEMS
    if public is None or (of_items and len(public) > MOST_NAMED):
        return "all public items" if of_items else "all public attributes"
    if not public:
        return "nothing of them"
    if len(public) > MOST_NAMED:
        first = ", ".join(visible(name) for name in public[: MOST_NAMED - 1])
        return f"{first} and {len(public) - MOST_NAMED + 1:,} more attributes"
    return conjoined([visible(name) for name in public])


def promise(part: Requirement, private: Sequence[str]) -> str:
    """What one part of a requirement means for people."""
    names = [visible(name) for name in part.looks_at(private)]
    named = conjoined(names) if 0 < len(names) <= MOST_NAMED else "any private attribute"
    return visible(part.promise(f"each of {named}" if 1 < len(names) <= MOST_NAMED else named))


def proof(audit: Audit, *, warned: bool = False) -> Iterator[str]:
    """Yield sentences on why a release holds or does not; if `warned`, what the warning says is not repeated."""
    if audit.reading == NOT_PROVED:
        yield f"That is not known: {visible(audit.covered)}."
        yield from (visible(sentence) for sentence in audit.assumptions)
        return
    smallest, unit = _crowd(audit), audit.units[:-1] if audit.persons is None else "crowd"
    counted = "rows" if audit.counting == "rows" and audit.k.rows != audit.k.people else "people"
    if audit.holds:
        telling = f"{unit} that tells anything new" if audit.safe_people else unit
        yield f"Yes: the smallest {telling} has {_counted(smallest, counted)}."
    elif audit.failing_groups:
        yield (
            f"No: {audit.failing_groups:,} of {audit.groups:,} {audit.units} break it; the smallest has "
            f"{_counted(smallest, counted)}."
        )
    else:
        yield "No."
    if (persons := audit.persons) is not None and persons.form == "wide":
        yield f"Everybody is one row, with up to {persons.most_rows:,} rows side by side and the number of them told."
    elif persons is not None:
        yield (
            f"{_people(persons.people)} have {audit.rows:,} rows, and each was counted once: counting rows, the "
            f"smallest group would seem to have {audit.k.rows:,}."
        )
    alone = audit.risk.prosecutor.unique
    if alone:
        yield f"{_people(alone)} ({percent(alone / audit.people)}) {_are(alone)} the only one of their kind."
    if alone and audit.risk.sampled is not None:
        yield _alone_in_population(audit.risk.sampled.unique)
    if (told := _learned(audit)) and not warned:
        yield f"Someone would learn {told} for sure, since everybody in their {unit} has the same."
    if audit.exposed and not told:
        names = conjoined([visible(name) for name in audit.exposed])
        few = len(audit.exposed) < 4
        yield f"Nobody's {names} would be learned for sure." if few else "Nothing private would be learned for sure."
    if audit.safe_people:
        yield f"Of {_people(audit.safe_people)} nothing new can be learned at all."
    if audit.covered:
        yield f"{audit.covered[0].upper()}{visible(audit.covered[1:])}."
    yield from (visible(sentence) for sentence in audit.assumptions)


def _alone_in_population(unique: PopulationUniques) -> str:
    """Say how many people of a sample are alone in its population, too."""
    if unique.model == "counted":
        return "By its weights the sample is the whole population, so that this is so in the population as well."
    number = round(unique.people)
    about = f"About {_people(number)}" if number else "Hardly anybody"
    kind = "ones" if number > 1 else "one"
    return (
        f"{about} of the sample ({percent(unique.share)}) {'are' if number > 1 else 'is'} estimated to be the only "
        f"{kind} of their kind in the population ({estimated_by(unique.model)})."
    )


def _learned(audit: Audit) -> str:
    """Say for how many people each private attribute would be learned for sure; empty if for nobody."""
    told = {name: count for name, count in audit.exposed.items() if count}
    most = sorted(told, key=lambda name: -told[name])[:MOST_NAMED]
    return conjoined(
        [f"{visible(name)} of {_people(told[name])} ({percent(told[name] / audit.people)})" for name in most]
    )


def attack(audit: Audit, public: Sequence[str] | None, smallest: Finding | None) -> Iterator[str]:
    """Yield the steps of a linking attack on the smallest crowd, which is named only if it breaks nothing."""
    if smallest is None:
        return
    yield f"Someone knows {known(audit, public)} of a person, and that the person is in the data."
    people, unit = _people(smallest.people), audit.units[:-1]
    if smallest.breaks:
        yield f"In the worst case all that fits is one {unit} of {people}, which is not named here."
    elif audit.kind in ("tree", "clusters") and smallest.bins and audit.counting == "people":
        yield f"In the worst case this leads to {_places(audit.kind, smallest.bins)}, as it does for {people}."
    elif audit.kind == "function":
        yield f"In the worst case {people} can get the same from the model, and nobody else can."
    elif audit.kind == "releases":
        where = "it" if audit.releases == 1 else f"all {audit.releases:,} releases"
        yield f"In the worst case {people} look the same in {where}, and nobody else does."
    elif audit.kind in OF_ITEMS:
        basket = visible(smallest.shown.get("basket", "anything"))
        yield f"In the worst case {people} look the same ({basket}), and the same {audit.kind} speak of all of them."
    else:
        shown = in_words(Fact(name, cell) for name, cell in smallest.shown.items())
        yield f"In the worst case they find {people} who all show the same ({shown})."
    # No guess follows: whatever the size of a safe crowd, nothing is learned from it.
    if smallest.safe:
        yield "All of them can be in one place only, so that nothing is learned that was not known."
        return
    if smallest.crowd > 1:
        yield f"Nothing shows which of them it is: a guess is right once in {smallest.crowd:,} times."
    else:
        yield "There is nobody else: the person is found."
    guesses = {
        name: sure for name, reached in audit.reached.items() if isinstance(sure := reached.get("confidence"), float)
    }
    if guesses:
        worst = sorted(guesses, key=lambda name: -guesses[name])[:MOST_GUESSED]
        told = conjoined([f"{visible(name)} ({percent(guesses[name])})" for name in worst])
        yield f"What is private can be guessed best in the most uneven {unit}, not always the same one: {told}."


def _places(kind: str, bins: Sequence[int]) -> str:
    one, many = ("leaf", "leaves") if kind == "tree" else ("cluster", "clusters")
    named = [str(place) for place in bins[:MOST_NAMED]]
    if len(bins) > MOST_NAMED:
        named.append(f"{len(bins) - MOST_NAMED:,} more")
    return f"{one if len(bins) == 1 else many} {conjoined(named)}"


def table_costs(audit: Audit, withheld: int, suppressed: float) -> tuple[str, ...]:
    """Say what a table no longer shows: `withheld` is in rows, `suppressed` is the share of public cells."""
    rows = audit.rows + withheld
    out = (
        f"{withheld:,} of {rows:,} rows ({percent(withheld / rows)}) are left out" if withheld else "No row is left out"
    )
    stars = (
        f"{percent(suppressed)} of the public cells are left blank" if suppressed else "no public cell is left blank"
    )
    # Blank cells are part of what is lost: only a loss beyond them means that others are coarser.
    lost = audit.utility.ncp
    coarser = (
        "" if lost is None or lost - suppressed < 0.01 else f", and others show less: {percent(lost)} is lost in all"
    )
    return (f"{out}; {stars}{coarser}.",)


def number_costs(told: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Say how private numbers are shown that are not shown as they are."""
    return tuple(f"{visible(name)} is not shown as it is: {visible(str(one['words']))}." for name, one in told.items())


def _unit(audit: Audit) -> str:
    """What figures of a model count: people, or rows where people have several."""
    return "people" if audit.persons is None else "rows"


def accuracy_costs(curve: CostCurve | None, audit: Audit) -> Iterator[str]:
    """Yield sentences on how well the target is predicted at the chosen k."""
    point = chosen_point(curve)
    if curve is None or point is None or curve.target is None:
        return
    aside = "who were kept aside" if audit.persons is None else "of people who were kept aside"
    target, kept = visible(curve.target), f"{curve.tested:,} {_unit(audit)} {aside}"
    if point.mean_absolute_error is not None:
        yield from _error_costs(curve, point, kept)
        return
    if point.accuracy is None:
        if curve.tested:
            yield f"How well people who are kept aside are predicted was not measured: {visible(str(point.refused))}."
        return
    what = "The tree" if makes_trees(curve.method) else "A decision tree that learns from it, private columns included,"
    yield f"{what} predicts {target} correctly for {percent(point.accuracy)} of {kept}."
    if curve.ceiling is not None and curve.floor is not None:
        yield (
            f"Without any promise a tree would be right for {percent(curve.ceiling)} of them, always guessing the "
            f"commonest {target} for {percent(curve.floor)}."
        )
        if point.accuracy <= curve.floor:
            yield f"So it predicts {target} no better than a guess."


def _error_costs(curve: CostCurve, point: CostPoint, kept: str) -> Iterator[str]:
    """Yield sentences on how far a tree of numbers is off."""
    error, guessing, target = point.mean_absolute_error, curve.guessing_error, visible(str(curve.target))
    assert error is not None
    assert guessing is not None
    ruler = Ruler.of(curve.unit, error, guessing)
    yield (
        f"The tree predicts {target} with an error of {ruler.text(error)} on average for {kept}; always guessing the "
        f"mean is {ruler.text(guessing)} off. {explaining(error, guessing, point.explained)}."
    )
    if curve.ceiling is not None:
        yield f"Without any promise a tree would explain {share_explained(curve.ceiling)}."
    if (point.explained or 0.0) <= 0:
        yield f"So it predicts {target} no better than a guess."


def chosen_point(curve: CostCurve | None) -> CostPoint | None:
    """Return the point of the chosen k, if it is on the curve."""
    return None if curve is None else next((point for point in curve.points if point.k == curve.chosen), None)


def caveats(audit: Audit, policy: Policy | None) -> Iterator[str]:
    """Yield sentences on what a promise does not cover."""
    private = () if policy is None else policy.private
    hidden = f" ({conjoined([visible(name) for name in private])})" if 0 < len(private) <= MOST_NAMED else ""
    if audit.counting == "paths":
        yield "It was judged by what the tree publishes, not by its people: with their table it can be judged exactly."
    else:
        yield f"Someone who knows more of a person than what is public: the rest{hidden} is taken to be unknown."
    if audit.releases > 1:
        yield f"Other releases about the same people than the {audit.releases:,} that were judged together."
    else:
        yield "Other releases about the same people: what this one and another tell together was not judged."
    if any(audit.exposed.values()):
        yield (
            "What a whole crowd has in common: its members are not told apart, but what all of them share is learned "
            "of each. One can require that every crowd has several values of what is private (distinct_l = 2)."
        )
    if audit.kind == "table" and policy is not None and not only_k(policy.require):
        yield (
            "Someone who knows how the groups were chosen: a method that looks at private values tells a little by the "
            "groups that it did not make. kspan audit --knows-method says how much; a table made with --resist tells "
            "nothing more."
        )
    if audit.kind == "table" and audit.counting == "rows":
        yield (
            "People whom several groups fit: counted are rows that show the same, which is enough unless blank or "
            "coarse cells let somebody match several groups; counting people is stricter."
        )
    yield "Anything but linking: it is not differential privacy, which limits what one person's presence can change."


def _crowd(audit: Audit) -> int:
    return audit.k.rows if audit.counting == "rows" else audit.k.people


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"


def _counted(number: int, what: str) -> str:
    return _people(number) if what == "people" else f"{number:,} {'row' if number == 1 else 'rows'}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _do(number: int) -> str:
    return "does" if number == 1 else "do"
