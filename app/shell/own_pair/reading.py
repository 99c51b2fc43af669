"""Reading for `assay pair add`: parallel text (memories, documents, tables, two files), and tables of labels."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from app.building.own_pair.cleaning import MOST_SEGMENTS
from app.building.own_pair.labels import POST_EDITS
from app.documents import HEAD_BYTES, is_plain_table, read_file
from app.documents.delimited import Csv, Tsv
from app.documents.formats import file_format
from app.errors import InputError
from app.resources.identification import order_of
from app.resources.manifest import checksum
from app.shell.inputs import read_file_bytes
from app.text.languages import LanguagePair
from app.text.reading.lines import TextFile
from app.text.reading.tables import open_lines, open_table

__all__ = ["checksums", "label_columns", "parallel_rows"]

TEXTS = ("source", "translation")


def checksums(paths: Sequence[str]) -> dict[str, str]:
    """SHA-256 of files by folder and file name, without the rest of the path."""
    return {"/".join(Path(path).parts[-2:]): checksum(Path(path)) for path in paths}


def parallel_rows(paths: Sequence[str], pair: LanguagePair) -> Iterator[tuple[str, str]]:
    """Sources and targets of one bilingual file, or of two files of lines."""
    for path in paths:
        if not Path(path).is_file():
            raise InputError("invalid-request", f"{path} is no file")
    if len(paths) == 2:
        texts = {name: TextFile.of(Path(path)) for name, path in zip(TEXTS, paths, strict=True)}
        return open_lines(texts).select(TEXTS)  # type: ignore[return-value]
    if len(paths) != 1:
        raise InputError("invalid-request", "give one file with both languages, or a file of sources and one of translations")
    (path,) = paths
    with Path(path).open("rb") as file:
        plain = is_plain_table(file.read(HEAD_BYTES))
    if plain:
        table = open_table(TextFile.of(Path(path)), order=order_of(pair))
        # A post-edit is better text than the system's translation.
        edit_column = next((name for name in POST_EDITS if name in table.names), TEXTS[1])
        return table.select((TEXTS[0], edit_column))  # type: ignore[return-value]
    document = read_file(read_file_bytes(path), path, pair, None, MOST_SEGMENTS, order=order_of(pair))
    return ((unit.source, unit.translation) for unit in document.units)


def label_columns(path: str) -> Mapping[str, Sequence[str]]:
    """Columns of a table of labels (TSV or CSV), by lower-case headings."""
    if not Path(path).is_file():
        raise InputError("invalid-request", f"{path} is no file", ("--labels",))
    raw = read_file_bytes(path)
    form = file_format(raw, path)
    if not isinstance(form, Csv | Tsv):
        raise InputError("invalid-table", f"{path} is no table (TSV or CSV) of source, translation and scores or post-edits")
    return form.columns(raw, path)
