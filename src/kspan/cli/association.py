"""kspan learn -m rules: mine association rules that keep everybody's crowd."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kspan.cli.options import check_apart, save_report, tell_report
from kspan.cli.output import page, progress, tell, tell_json
from kspan.errors import FileError, PolicyError
from kspan.frames.commit import together

if TYPE_CHECKING:
    from kspan.frames.csv import Dialect

SHOWN = 20
"""Rules that are printed."""


def learn_rules(
    data: Path,
    output: Path,
    policy: Path | None,
    options: Mapping[str, Any],
    strange: Sequence[str],
    *,
    report: Path | None,
    how: "Dialect",
    json: bool,
) -> int:
    """Mine rules, judge them, and write them; `strange` are options that were given and say nothing of rules."""
    from kspan.frames.files import is_table_name, read_table
    from kspan.frames.places import check_place
    from kspan.induce.association import mine_rules
    from kspan.policy import Policy
    from kspan.publish import judged_rules, write_judged
    from kspan.report.text import print_audit
    from kspan.report.words import visible

    if strange:
        raise PolicyError(f"-m rules does not take {strange[0]}: leave it out")
    if policy is None:
        raise PolicyError(f"which items of {data.name} are public is not said: name a policy with -p")
    if is_table_name(output):
        raise FileError(f"-o {output} has the name of a table, but a model is JSON: end it in .json")
    check_place(output)
    check_apart({"-o": output, "--report": report}, data, policy)
    said = Policy.load(policy)
    with together(), progress() as step:
        step(f"reading {data.name}")
        people = read_table(data, how)
        step("mining rules")
        mined = mine_rules(people, said, **options)
        step("judging them")
        judged = judged_rules(mined.rules, people, said)
        write_judged({output: judged})
        if report is not None:
            from kspan.report.making import described

            save_report(described(mined.rules, judged.audit, people, said, path=output, progress=step), report)
    left_out = mined.left_out
    print(
        f"Wrote {output}: {len(mined.rules):,} rules, which keep {said.require}; {left_out.height:,} were left out.",
        file=sys.stderr,
    )
    tell_report(report)
    if json:
        facts = {"output": str(output), "method": "rules", "rules": len(mined.rules)}
        tell_json({**facts, "left_out": left_out.to_dicts(), "audit": judged.audit.as_dict()})
        return 0
    lines = [visible(str(rule)) for rule in mined.rules.rules[:SHOWN]]
    if len(mined.rules) > SHOWN:
        lines.append(f"... and {len(mined.rules) - SHOWN:,} more")
    if left_out.height:
        lines += ["", "Left out (for the owner's eyes: do not pass on)"]
        for row in left_out.head(SHOWN).iter_rows(named=True):
            sides = f"{', '.join(row['antecedents'])} => {', '.join(row['consequents'])}"
            lines.append(f"  {visible(sides)}: {row['why']}")
    tell("\n".join(lines) + "\n\n")
    with page() as console:
        print_audit(judged.audit, said.public, console)
    return 0
