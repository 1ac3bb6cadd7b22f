"""kspan init: draft a policy from the data."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from kspan.cli.log import notice
from kspan.cli.options import KINDS, Columns, Delimiter, Encoding, Json, Sql, dialect
from kspan.cli.output import tell, tell_json
from kspan.errors import FileError
from kspan.frames.source import Source


@dataclass(frozen=True)
class InitRequest:
    """The arguments and options of kspan init."""

    data: Annotated[Source, typer.Argument(parser=Source.of, help=f"The table: {KINDS}; - for stdin.")]
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the draft; - for stdout.")] = Path(
        "policy.toml"
    )
    k: Annotated[int, typer.Option(min=1, help="The crowd that every person must blend into.")] = 10
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False
    sql: Sql = None
    delimiter: Delimiter = None
    encoding: Encoding = None
    columns: Columns = None
    json: Json = False


def init(asked: InitRequest) -> int:
    """Draft a commented policy for DATA: guessed roles with their reasons, for you to edit."""
    from kspan.frames.files import read_table, write_text
    from kspan.frames.places import is_there
    from kspan.policy.draft import draft
    from kspan.policy.guess.guess import guesses

    data, output = asked.data, asked.output
    to_stdout = str(output) == "-"
    if not to_stdout and is_there(output) and not asked.force:
        raise FileError(f"{output} is there already: choose another name with -o, or --force to write over it")
    frame = read_table(data.asking(asked.sql), dialect(asked.delimiter, asked.encoding, asked.columns))
    found = guesses(frame)
    text = draft(frame, data.name, k=asked.k, found=found)
    if to_stdout and not asked.json:
        tell(text)
        return 0
    if not to_stdout:
        write_text(text, output)
        notice(f"Wrote {output}: a draft. You decide; edit it, then run: kspan audit {data} -p {output}")
    if asked.json:
        tell_json({"policy": text, "guesses": [asdict(guess) for guess in found]})
    return 0
