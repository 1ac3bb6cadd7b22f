"""kspan predict: labels and probabilities, or numbers, from a model."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kspan.cli.options import (
    KINDS,
    Columns,
    Delimiter,
    Encoding,
    Json,
    KeepFormulas,
    RangePattern,
    Sql,
    check_apart,
    dialect,
)
from kspan.cli.output import progress, tell, tell_json
from kspan.frames.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kspan.evaluate.answered import Answered, AnsweredNumbers
    from kspan.model.predict import NumberPredictor
    from kspan.model.predictor import Predictor


@dataclass(frozen=True)
class PredictRequest:
    """The arguments and options of kspan predict."""

    model: Annotated[Path, typer.Argument(help="A model that kspan wrote.")]
    data: Annotated[Source, typer.Argument(parser=Source.of, help=f"The people: {KINDS}; - for stdin.")]
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write labels and probabilities (.csv, ...).")]
    range_pattern: RangePattern = None
    keep_formulas: KeepFormulas = False
    sql: Sql = None
    delimiter: Delimiter = None
    encoding: Encoding = None
    columns: Columns = None
    json: Json = False


def predict(asked: PredictRequest) -> int:
    """Predict the target of MODEL for each row of DATA."""
    from kspan.evaluate.answered import answers_of
    from kspan.frames.files import check_writable, read_table, write_table
    from kspan.model.clusters.model import Clusters
    from kspan.model.models import load_model
    from kspan.model.predict import predicted, predictors
    from kspan.report.formatting import conjoined, visible

    output = asked.output
    check_writable(output)
    check_apart({"-o": output}, asked.model, asked.data)
    with progress() as step:
        model = load_model(asked.model)
        asks = () if isinstance(model, Clusters) else predictors(model)
        step(f"reading {asked.data.name}")
        people = read_table(asked.data.asking(asked.sql), dialect(asked.delimiter, asked.encoding, asked.columns))
        step("predicting")
        made = predicted(model, people, asked.range_pattern)
        # Refuses what cannot be compared, before it writes.
        said = answers_of(model, people, made, asked.range_pattern) if asks else {}
        write_table(made, output, keep_formulas=asked.keep_formulas)
    facts: dict[str, Any] = {"output": str(output), "rows": made.height}
    if isinstance(model, Clusters):
        facts["clusters"] = made["cluster"].n_unique()
        sentence = f"Wrote {output}: the clusters of {made.height:,} people."
    else:
        facts |= _facts(asks, said)
        targets = conjoined([visible(one.target) for one in asks])
        sentence = f"Wrote {output}: {made.height:,} predictions of {targets}."
        # Of several targets each has a line.
        sentence += "".join(f"\n{visible(name)}: {one}" if len(asks) > 1 else f" {one}" for name, one in said.items())
    if asked.json:
        tell_json(facts)
    else:
        tell(f"{sentence}\n")
    return 0


def _facts(
    asks: "Sequence[Predictor | NumberPredictor]", said: "Mapping[str, Answered | AnsweredNumbers]"
) -> dict[str, Any]:
    """Return what a program is told of the first target, and of several all that the table has."""
    from kspan.model.predict import NumberPredictor

    first = asks[0]
    unknown = {"mean_absolute_error" if isinstance(first, NumberPredictor) else "accuracy": None}
    told = said[first.target].as_dict() if first.target in said else unknown
    if len(asks) == 1:
        return told
    return {**told, "targets": {name: one.as_dict() for name, one in said.items()}}
