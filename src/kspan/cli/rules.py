"""Association rules of kspan learn: judged, and written."""

from typing import TYPE_CHECKING, Any

from kspan.cli.learned import Made

if TYPE_CHECKING:
    import polars as pl

    from kspan.cli.learn import LearnRequest
    from kspan.induce.rules.learner import MinedRules
    from kspan.policy import Policy

SHOWN = 20
"""How many rules are printed at most."""


def written_rules(mined: "MinedRules", people: "pl.DataFrame", policy: "Policy", asked: "LearnRequest") -> Made:
    """Judge rules, and write them if they hold."""
    from kspan.publish import judged_rules, write_judged

    judged = judged_rules(mined.rules, people, policy)
    write_judged({asked.output: judged})
    left_out = mined.left_out
    kept = f"{len(mined.rules):,} rules, which keep {policy.require}; {left_out.height:,} were left out"

    def facts() -> dict[str, Any]:
        return {"rules": len(mined.rules), "left_out": left_out.to_dicts(), "audit": judged.audit.as_dict()}

    return Made(mined.rules, judged.audit, (f"Wrote {asked.output}: {kept}.",), facts, lambda: _text(mined))


def _text(mined: "MinedRules") -> str:
    """Write the best rules and, for the owner, some of those that were left out."""
    from kspan.report.formatting import visible

    lines = [visible(str(rule)) for rule in mined.rules.rules[:SHOWN]]
    if len(mined.rules) > SHOWN:
        lines.append(f"... and {len(mined.rules) - SHOWN:,} more")
    if mined.left_out.height:
        lines += ["", "Left out (for the owner's eyes: do not pass on)"]
        for row in mined.left_out.head(SHOWN).iter_rows(named=True):
            sides = f"{', '.join(row['antecedents'])} => {', '.join(row['consequents'])}"
            lines.append(f"  {visible(sides)}: {row['why']}")
    return "\n".join(lines) + "\n\n"
