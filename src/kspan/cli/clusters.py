"""Clusters of kspan learn: judged, and written."""

from typing import TYPE_CHECKING

from kspan.cli.learned import Made

if TYPE_CHECKING:
    import polars as pl

    from kspan.cli.learn import LearnRequest
    from kspan.model.clusters.model import Clusters
    from kspan.policy import Policy


def written_clusters(found: "Clusters", people: "pl.DataFrame", policy: "Policy", asked: "LearnRequest") -> Made:
    """Judge clusters, and write them if they hold."""
    from kspan.publish import judged_clusters, write_judged
    from kspan.report.formatting import visible

    judged = judged_clusters(found, people, policy)
    write_judged({asked.output: judged})
    return Made(
        found,
        judged.audit,
        (f"Wrote {asked.output}: {len(found):,} clusters, which keep {policy.require}.",),
        lambda: {"clusters": len(found), "audit": judged.audit.as_dict()},
        lambda: "\n".join(visible(line) for line in str(found).splitlines()) + "\n\n",
    )
