"""`assay resources encode`: vectors of texts, for whoever computes with them."""

from io import BytesIO

import numpy as np

from app.resources.encoders import ChosenEncoder
from app.shell.here import settings_here
from app.shell.inputs import read_lines
from app.shell.options.encoding import EncodeOptions
from app.shell.output import counted, say

__all__ = ["encode"]


def encode(options: EncodeOptions) -> None:
    """Write the vectors of texts by the encoder of ASSAY_ENCODER, as NumPy's array of 32-bit numbers, a row a text."""
    encoder = ChosenEncoder(settings_here().encoder).required()
    lines = read_lines(options.texts)
    vectors = encoder.encode(lines)
    # A file is replaced at the end; a device, as /dev/stdout, is written directly.
    temporary_path = (
        options.output
        if options.output.exists() and not options.output.is_file()
        else options.output.with_name(f".{options.output.name}.new")
    )
    data = BytesIO()
    np.save(data, vectors, allow_pickle=False)
    temporary_path.write_bytes(data.getvalue())
    if temporary_path != options.output:
        temporary_path.replace(options.output)
    cut = int(encoder.cut(lines).sum())
    message = f"; {counted(cut, 'text')} cut at {encoder.longest} tokens" if cut else ""
    say(f"wrote {options.output}: {counted(len(lines), 'text')}, {encoder.dimensions} numbers of each, by {encoder.name}{message}")
