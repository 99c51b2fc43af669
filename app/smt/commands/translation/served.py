"""`assay smt import` and `translate`: phrase-based systems as resources, and what they translate here or on a server."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.building.writing import text_aside
from app.errors import InputError
from app.resources.loading import SYSTEM
from app.shell.declaration.files import check_folder
from app.shell.declaration.forms import Format
from app.shell.here import data_settings
from app.shell.inputs import read_lines
from app.shell.languages import languages
from app.shell.output import print_json, print_rows, say
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.smt.commands.options.translation.served import ImportOptions, TranslatePairOptions
from app.smt.commands.translation.decoder_outputs import check_outputs
from app.smt.decoder.decoder import BARS
from app.smt.decoder.derivation import spans
from app.smt.decoder.serving.packing import pack_system
from app.smt.operations.translate import TranslateRequest, operation
from app.text.languages import LanguagePair

__all__ = ["import_system", "translate"]


def import_system(options: ImportOptions) -> None:
    """Pack a phrase-based system into one folder, for translate and for features of quality estimation."""
    pair = LanguagePair.parse(options.pair)
    folder = options.out or data_settings().own_resources_dir / pair.file_name / SYSTEM
    check_folder(folder, "--out")
    pack_system(
        options.system, pair, folder, options.lowercase or None, options.tokenise, options.untuned, options.licence, options.replace
    )
    say(f"wrote {folder}")


def translate(options: TranslatePairOptions) -> None:
    """Translate by a phrase-based system that was imported: a tool for measuring, no rival of neural translation."""
    if options.n_best is not None:
        check_outputs({"--n-best": options.n_best[0]}, [Path(options.text)])
    elif options.distinct:
        raise InputError("invalid-request", "it is said of lists; name a file by --n-best FILE N", ("--distinct",))
    request = make_request(
        TranslateRequest,
        options,
        **languages(options.pair),
        segments=read_lines(options.text),
        n_best=options.n_best[1] if options.n_best else None,
        phrases=True,
    )
    answer = answer_to(operation, request, options.server)
    if options.n_best is not None:
        with text_aside(options.n_best[0]) as lists:
            lists.writelines(f"{line}\n" for line in _list_lines(answer["segments"]))
    if options.form is Format.JSON:
        print_json(answer)
    elif options.form is Format.TEXT:
        for row in answer["segments"]:
            print(row["text"])
    else:
        rows = [{"segment": n, "text": row["text"], "score": row["score"]} for n, row in enumerate(answer["segments"], 1)]
        print_rows(rows, options.form)


def _list_lines(segments: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Lines of Moses' lists, as `assay smt translate` writes them. InputError if a text contains |||."""
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
