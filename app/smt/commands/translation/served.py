"""`assay import-system` and `translate`: phrase-based systems as resources, and what they translate here or on a server."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from app.building.writing import text_aside
from app.errors import InputError
from app.resources.loading import SYSTEM
from app.shell.here import settings_here
from app.shell.inputs import read_lines
from app.shell.languages import languages
from app.shell.output import Format, check_folder, print_json, print_rows, say
from app.shell.parameters import Form, Server
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.smt.commands.translation.decoder_outputs import check_outputs
from app.smt.decoder.decoder import BARS
from app.smt.decoder.derivation import spans
from app.smt.decoder.serving import pack_system
from app.smt.operations.translate import TranslateRequest, operation
from app.text.languages import LanguagePair

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command("import-system")
def import_system(
    system: Annotated[Path, typer.Argument(help="Folder that assay smt train made, or a moses.ini.")],
    pair: Annotated[str, typer.Option(help="Direction that it translates, as de-en.")],
    out: Annotated[Path | None, typer.Option(help="Folder to write; resources/PAIR/system of the data folder otherwise.")] = None,
    untuned: Annotated[bool, typer.Option("--untuned", help="Pack the weights before tuning.")] = False,
    lowercase: Annotated[
        bool, typer.Option("--lowercase", help="Of a moses.ini: lower-case text; a folder knows what it was trained on.")
    ] = False,
    tokenise: Annotated[
        bool,
        typer.Option(
            "--tokenise",
            help="Cut text of requests into words by Assay's tokeniser; words are what stands between blanks otherwise.",
        ),
    ] = False,
    licence: Annotated[str, typer.Option(help="Licence of the text that it was trained on, for the manifest.")] = "unknown",
    replace: Annotated[bool, typer.Option("--replace", help="Write in the place of a system that is there already.")] = False,
) -> None:
    """Pack a phrase-based system into one folder, for translate and for features of quality estimation."""
    wanted = LanguagePair.parse(pair)
    folder = out or settings_here().own_resources_dir / wanted.hyphenated / SYSTEM
    check_folder(folder, "--out")
    pack_system(system, wanted, folder, lowercase or None, tokenise, untuned, licence, replace)
    say(f"wrote {folder}")


@commands.command()
def translate(
    pair: Annotated[str, typer.Option(help="Direction, as de-en.")],
    text: Annotated[str, typer.Argument(help="Text, a segment a line; - is stdin, FILE:COLUMN a column of a table.")] = "-",
    n_best: Annotated[
        tuple[Path, int] | None, typer.Option(metavar="FILE N", help="Write the N best derivations of each segment.")
    ] = None,
    distinct: Annotated[bool, typer.Option("--distinct", help="N best translations, each by its best derivation.")] = False,
    tokenise: Annotated[
        bool | None, typer.Option("--tokenise/--no-tokenise", help="Cut text into words first; as the system says otherwise.")
    ] = None,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Translate by a phrase-based system that was imported: a tool for measuring, no rival of neural translation."""
    if n_best is not None:
        check_outputs({"--n-best": n_best[0]}, [Path(text)])
    elif distinct:
        raise InputError("invalid-request", "it is said of lists; name a file by --n-best FILE N", ("--distinct",))
    request = make_request(
        TranslateRequest,
        **languages(pair),
        segments=read_lines(text),
        n_best=n_best[1] if n_best else None,
        distinct=distinct or None,
        phrases=True,
        tokenise=tokenise,
    )
    answer = answer_to(operation, request, server)
    if n_best is not None:
        with text_aside(n_best[0]) as lists:
            lists.writelines(f"{line}\n" for line in _list_lines(answer["segments"]))
    if form is Format.JSON:
        print_json(answer)
    elif form is Format.TEXT:
        for row in answer["segments"]:
            print(row["text"])
    else:
        rows = [{"segment": n, "text": row["text"], "score": row["score"]} for n, row in enumerate(answer["segments"], 1)]
        print_rows(rows, form)


def _list_lines(segments: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Lines of Moses' lists, as `assay smt translate` writes them. InputError where a word would divide their columns."""
    for number, segment in enumerate(segments):
        for entry in segment["n_best"]:
            if BARS in entry["text"]:
                detail = f"a translation has {BARS}, which divides the columns of lists; -f json has them"
                raise InputError("invalid-request", detail, ("--n-best", number + 1))
            features = " ".join(
                f"{name}= {' '.join(f'{value:.8g}' for value in values)}" for name, values in entry["features"].items()
            )
            phrases = spans((*phrase["source"], len(phrase["target"])) for phrase in entry["phrases"])
            cells = [str(number), entry["text"], features, f"{entry['score']:.10g}", phrases]
            if "links" in entry:
                cells.append(" ".join(f"{left}-{right}" for left, right in entry["links"]))
            yield f" {BARS} ".join(cells)
