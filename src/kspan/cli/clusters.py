"""kspan learn -m clusters: clusters in which everybody has a crowd."""

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


def learn_clusters(
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
    """Find clusters, judge them, and write them; `strange` are options that were given and say nothing of clusters."""
    from kspan.frames.files import is_table_name, read_table
    from kspan.frames.places import check_place
    from kspan.induce.clusters import learn_clusters as find
    from kspan.policy import Policy
    from kspan.publish import judged_clusters, write_judged
    from kspan.report.text import print_audit
    from kspan.report.words import visible

    if strange:
        raise PolicyError(f"-m clusters does not take {strange[0]}: leave it out")
    if policy is None:
        raise PolicyError(f"who may know the columns of {data.name} is not said: name a policy with -p")
    if is_table_name(output):
        raise FileError(f"-o {output} has the name of a table, but a model is JSON: end it in .json")
    check_place(output)
    check_apart({"-o": output, "--report": report}, data, policy)
    said = Policy.load(policy)
    with together(), progress() as step:
        step(f"reading {data.name}")
        people = read_table(data, how)
        step("finding clusters")
        found = find(people, said, **options)
        step("judging them")
        judged = judged_clusters(found, people, said)
        write_judged({output: judged})
        if report is not None:
            from kspan.report.making import described

            save_report(described(found, judged.audit, people, said, path=output, progress=step), report)
    print(f"Wrote {output}: {len(found):,} clusters, which keep {said.require}.", file=sys.stderr)
    tell_report(report)
    if json:
        facts = {"output": str(output), "method": "clusters", "clusters": len(found)}
        tell_json({**facts, "audit": judged.audit.as_dict()})
        return 0
    tell("\n".join(visible(line) for line in str(found).splitlines()) + "\n\n")
    with page() as console:
        print_audit(judged.audit, said.public, console)
    return 0
