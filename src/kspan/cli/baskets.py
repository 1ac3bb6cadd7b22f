"""Rules and itemsets of kspan learn: judged, and written."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kspan.cli.learned import Made

if TYPE_CHECKING:
    import polars as pl

    from kspan.cli.learn import LearnRequest
    from kspan.induce.methods import Mined
    from kspan.policy import Policy

SHOWN = 20
"""How many rules or itemsets are printed at most."""


def written_mined(mined: "Mined", people: "pl.DataFrame", policy: "Policy", asked: "LearnRequest") -> Made:
    """Judge what was mined, and write it if it holds."""
    from kspan.publish import judged_of_items, write_judged

    model, left_out, what = mined.model_released, mined.left_out, asked.method
    judged = judged_of_items(model, people, policy)
    write_judged({asked.output: judged})
    kept = f"{len(model):,} {what}, which keep {policy.require}; {left_out.height:,} were left out"

    def facts() -> dict[str, Any]:
        return {what: len(model), "left_out": left_out.to_dicts(), "audit": judged.audit.as_dict()}

    return Made(model, judged.audit, (f"Wrote {asked.output}: {kept}.",), facts, lambda: _text(mined))


def _text(mined: "Mined") -> str:
    """Write the best of what was mined and, for the owner, some of what was left out."""
    from kspan.report.formatting import visible

    model = mined.model_released
    lines = [visible(str(one)) for one in model.listed[:SHOWN]]
    if len(model) > SHOWN:
        lines.append(f"... and {len(model) - SHOWN:,} more")
    if mined.left_out.height:
        lines += ["", "Left out (for the owner's eyes: do not pass on)"]
        for row in mined.left_out.head(SHOWN).iter_rows(named=True):
            lines.append(f"  {visible(_named(row))}: {row['why']}")
    return "\n".join(lines) + "\n\n"


def _named(row: Mapping[str, Any]) -> str:
    """Name the rule or the itemset that was left out."""
    sides = [row["itemsets"]] if "itemsets" in row else [row["antecedents"], row["consequents"]]
    return " => ".join(", ".join(side) for side in sides)
