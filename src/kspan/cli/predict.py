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
    from kspan.evaluate.errors import Errors


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
    from kspan.data.encode import encode_column
    from kspan.data.schema import Schema
    from kspan.evaluate.answered import answers_of
    from kspan.evaluate.errors import errors, numbers_of
    from kspan.frames.files import check_writable, read_table, write_table
    from kspan.model.clusters.model import Clusters
    from kspan.model.models import load_model
    from kspan.model.predict import NumberPredictor, predicted, predicting

    output = asked.output
    check_writable(output)
    check_apart({"-o": output}, asked.model, asked.data)
    with progress() as step:
        loaded = load_model(asked.model)
        model = loaded if isinstance(loaded, Clusters) else predicting(loaded)
        step(f"reading {asked.data.name}")
        people = read_table(asked.data.asking(asked.sql), dialect(asked.delimiter, asked.encoding, asked.columns))
        step("predicting")
        made = predicted(loaded, people, asked.range_pattern)
        if not isinstance(model, Clusters) and model.target in people.columns:
            # Refuses what cannot be compared, before it writes.
            if isinstance(model, NumberPredictor):
                numbers_of(people[model.target], model.kind)
            else:
                encode_column(people[model.target], Schema())
        write_table(made, output, keep_formulas=asked.keep_formulas)
    facts: dict[str, Any] = {"output": str(output), "rows": made.height}
    if isinstance(model, Clusters):
        facts["clusters"] = made["cluster"].n_unique()
        sentence = f"Wrote {output}: the clusters of {made.height:,} people."
    elif isinstance(model, NumberPredictor):
        off = None
        if model.target in people.columns:
            off = errors(made[f"predicted: {model.target}"], people[model.target], model.kind)
        facts |= {"mean_absolute_error": off and off.mean_absolute, "r2": off and off.r2}
        sentence = f"Wrote {output}: {made.height:,} predictions of {model.target}.{_off(off)}"
    else:
        sentence = f"Wrote {output}: {made.height:,} predictions of {model.target}."
        if model.target in people.columns:
            said = answers_of(model, people, made[f"predicted: {model.target}"], asked.range_pattern)
            facts |= said.as_dict()
            sentence += f" {said}"
        else:
            facts["accuracy"] = None
    if asked.json:
        tell_json(facts)
    else:
        tell(f"{sentence}\n")
    return 0


def _off(off: "Errors | None") -> str:
    """Say how far predictions are from the numbers in the table, if it has any."""
    if off is None:
        return ""
    explained = "" if off.r2 is None else f", R2 = {off.r2:.3f}"
    return f" They are {off.mean_absolute:,.4g} off the numbers in the table on average{explained}."
