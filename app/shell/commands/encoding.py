"""`assay encode`: vectors of texts, for whoever computes with them."""

from io import BytesIO
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from app.resources.encoders import ChosenEncoder
from app.shell.here import settings_here
from app.shell.inputs import read_lines
from app.shell.output import check_file, counted, say

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command()
def encode(
    texts: Annotated[str, typer.Argument(help="Texts, one a line, or FILE:COLUMN of a table; - is standard input.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write, as vectors.npy.")],
) -> None:
    """Write the vectors of texts by the encoder of ASSAY_ENCODER, as NumPy's array of 32-bit numbers, a row a text."""
    check_file(output, "--output")
    encoder = ChosenEncoder(settings_here().encoder).required()
    lines = read_lines(texts)
    vectors = encoder.encode(lines)
    # What is no ordinary file, as /dev/stdout, is written to as it is.
    aside = output if output.exists() and not output.is_file() else output.with_name(f".{output.name}.new")
    data = BytesIO()
    np.save(data, vectors, allow_pickle=False)
    aside.write_bytes(data.getvalue())
    if aside != output:
        aside.replace(output)
    cut = int(encoder.cut(lines).sum())
    told = f"; {counted(cut, 'text')} cut at {encoder.longest} tokens" if cut else ""
    say(f"wrote {output}: {counted(len(lines), 'text')}, {encoder.dimensions} numbers of each, by {encoder.name}{told}")
