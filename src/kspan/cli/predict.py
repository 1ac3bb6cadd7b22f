"""kspan predict: labels and probabilities from a model."""

from pathlib import Path
from typing import Annotated

import typer

from kspan.cli.options import Columns, Delimiter, Encoding, Json, KeepFormulas, RangePattern, check_apart, dialect
from kspan.cli.output import progress, tell, tell_json


def predict(
    model: Annotated[Path, typer.Argument(help="A model that kspan wrote.")],
    data: Annotated[Path, typer.Argument(help="The people: CSV, Parquet, Arrow or Feather; - for stdin.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write labels and probabilities (.csv, ...).")
    ],
    range_pattern: RangePattern = None,
    keep_formulas: KeepFormulas = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    columns: Columns = None,
    json: Json = False,
) -> int:
    """Predict the target of MODEL for each row of DATA."""
    from kspan.data.encode import encode_column
    from kspan.data.schema import Schema
    from kspan.frames.files import check_writable, read_table, write_table
    from kspan.model.clusters.model import Clusters
    from kspan.model.models import load_model
    from kspan.model.predict import predicted, predictor

    check_writable(output)
    check_apart({"-o": output}, model, data)
    with progress() as step:
        learned = load_model(model)
        if not isinstance(learned, Clusters):
            learned = predictor(learned)
        step(f"reading {data.name}")
        people = read_table(data, dialect(delimiter, encoding, columns))
        step("predicting")
        made = predicted(learned, people, range_pattern)
        if not isinstance(learned, Clusters) and learned.target in people.columns:
            encode_column(people[learned.target], Schema())  # refuses labels that cannot be compared, before it writes
        write_table(made, output, keep_formulas=keep_formulas)
    right = None
    if isinstance(learned, Clusters):
        said = {"output": str(output), "rows": made.height, "clusters": made["cluster"].n_unique()}
        if json:
            tell_json(said)
        else:
            tell(f"Wrote {output}: the clusters of {made.height:,} people.\n")
        return 0
    if learned.target in people.columns:
        known = people[learned.target].cast(str)
        right = (known == made[f"predicted: {learned.target}"]).fill_null(False).sum() / made.height
    if json:
        tell_json({"output": str(output), "rows": made.height, "accuracy": right})
    else:
        accuracy = "" if right is None else f" {right:.2%} of the labels in the table are predicted right."
        tell(f"Wrote {output}: {made.height:,} predictions of {learned.target}.{accuracy}\n")
    return 0
