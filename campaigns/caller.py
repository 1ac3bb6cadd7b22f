"""What users of the Python interface do: hand in a dataframe, and write the released table themselves."""

from pathlib import Path
from typing import Any

KINDS = (
    "polars",
    "polars-enum",
    "polars-categorical",
    "polars-sliced",
    "polars-filtered",
    "pyarrow",
    "pyarrow-dictionary",
    "pyarrow-sliced",
    "pandas",
    "pandas-categorical",
    "pandas-arrow",
    "pandas-index",
)


def convert(words: list[str]) -> int:
    """Write a Parquet file again as polars' own Arrow file: SOURCE TARGET enum|categorical UNUSED..."""
    import polars as pl

    source, target, kind, *unused = words
    frame = pl.read_parquet(source)
    _coded(frame, kind, unused).write_ipc(target)
    return 0


def main(words: list[str]) -> int:
    """Anonymize a dataframe and write the table: KIND SOURCE OTHERS POLICY METHOD SEED OUT UNUSED..."""
    import kspan as ks

    kind, source, others, policy, method, seed, out, *unused = words
    try:
        release = ks.anonymize(
            _frame(kind, source, others, unused), ks.Policy.load(policy), method, secret=f"{int(seed):032x}"
        )
    except ks.KspanError as error:
        print(error)
        return 2
    _write(release.table, Path(out))
    return 0


def _coded(frame: Any, kind: str, unused: list[str]) -> Any:
    import polars as pl

    for name, kind_of in frame.schema.items():
        if kind_of == pl.String and name != "ill":
            if kind == "enum":
                values = frame[name].drop_nulls().unique(maintain_order=True).to_list()
                frame = frame.with_columns(pl.col(name).cast(pl.Enum([*values, *unused])))
            else:
                more = pl.concat([pl.Series(name, unused, pl.String), frame[name]]).cast(pl.Categorical)
                frame = frame.with_columns(more[len(unused) :].alias(name))
    return frame


def _frame(kind: str, source: str, others: str, unused: list[str]) -> Any:
    import pandas as pd
    import polars as pl
    import pyarrow.parquet as pq

    library, _, how = kind.partition("-")
    if library == "polars":
        frame = pl.read_parquet(source)
        if how in {"enum", "categorical"}:
            return _coded(frame, how, unused)
        if how:
            both = pl.concat([pl.read_parquet(others), frame]).rechunk()
            return (
                both[-frame.height :] if how == "sliced" else both.filter(pl.col("name").is_in(frame["name"].implode()))
            )
        return frame
    if library == "pyarrow":
        import pyarrow as pa

        table = pq.read_table(source)
        if how == "dictionary":
            from campaigns.marked import with_unused

            return with_unused(table, unused)
        if how == "sliced":
            both = pa.concat_tables([pq.read_table(others), table]).combine_chunks()
            return both.slice(both.num_rows - table.num_rows)
        return table
    made = pd.read_parquet(source, dtype_backend="pyarrow" if how == "arrow" else pd.api.extensions.no_default)
    if how == "categorical":
        for name in ("town", "name"):
            made[name] = pd.Categorical(made[name], categories=[*made[name].unique(), *unused])
    return made.set_index("name", drop=False) if how == "index" else made


def _write(table: Any, out: Path) -> None:
    if hasattr(table, "write_ipc"):
        write = {".arrow": table.write_ipc, ".parquet": table.write_parquet, ".csv": table.write_csv}
        write[out.suffix](out)
    elif hasattr(table, "to_feather"):
        if out.suffix == ".csv":
            table.to_csv(out, index=False)
        else:
            table.to_parquet(out) if out.suffix == ".parquet" else table.to_feather(out, compression="uncompressed")
    else:
        import pyarrow as pa
        import pyarrow.csv
        import pyarrow.parquet as pq

        if out.suffix == ".parquet":
            pq.write_table(table, out)
        elif out.suffix == ".csv":
            pyarrow.csv.write_csv(table, out)
        else:
            with pa.OSFile(str(out), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
