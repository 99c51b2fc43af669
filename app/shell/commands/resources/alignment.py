"""`assay resources align`: links of words, an aligner that is kept, or lexical tables."""

from pathlib import Path

from app.building.alignment.files import AlignmentFiles, align_files, symmetrise_files
from app.building.alignment.symmetrisation import SYMMETRISATIONS
from app.building.building import build_pair_resources
from app.errors import InputError
from app.shell.declaration.files import check_folder
from app.shell.here import data_settings
from app.shell.options.resources.alignment import AlignOptions
from app.shell.output import counted, say
from app.text import LanguagePair

__all__ = ["align"]


def align(options: AlignOptions) -> None:
    """Align words: write links, scores and a saved aligner, or lexical tables in both directions."""
    outputs = AlignmentFiles(options.links, options.forward, options.reverse, options.scores)
    if options.heuristic not in SYMMETRISATIONS:
        hint = ": intersect is meant" if options.heuristic == "intersection" else ""
        raise InputError("invalid-request", f"links are symmetrised by {', '.join(SYMMETRISATIONS)}{hint}", ("--heuristic",))
    if options.symmetrise is not None:
        conflicts = (
            options.source,
            options.target,
            options.forward,
            options.reverse,
            options.scores,
            options.save,
            options.model,
            options.pair,
            options.out,
        )
        if options.links is None or any(option is not None for option in conflicts):
            raise InputError(
                "invalid-request", "this takes two files of links, and --links and --heuristic alone", ("--symmetrise",)
            )
        say(f"symmetrised links of {counted(symmetrise_files(*options.symmetrise, options.links, options.heuristic), 'segment')}")
        return
    if options.source is None or options.target is None:
        detail = "SOURCE and TARGET are needed, or --symmetrise; a file of fast_align's, SOURCE ||| TARGET, is to be cut in two"
        raise InputError("invalid-request", detail)
    if options.pair is not None:
        _tables(
            options.source,
            options.target,
            options.pair,
            options.out,
            options.licence,
            options.replace,
            options.topics,
            bool(outputs.files or options.save or options.model),
        )
        return
    if options.topics:
        raise InputError(
            "invalid-request", "topics, triggers and a word lexicon belong to a language pair; name --pair", ("--topics",)
        )
    if options.out is not None:
        raise InputError("invalid-request", "this is the folder of lexical tables, which need --pair", ("--out",))
    if not outputs.files and options.save is None:
        raise InputError("invalid-request", "say what to write: --links, --forward, --reverse, --scores, --save; or --pair")
    if options.save is not None and options.model is not None:
        raise InputError("invalid-request", "a saved aligner is not trained again; leave out --save or --model", ("--save",))
    count = align_files(Path(options.source), Path(options.target), outputs, options.heuristic, options.model, options.save)
    say(f"aligned {counted(count, 'segment')}")


def _tables(
    source: str, target: str, pair: str, out: Path | None, licence: str, replace: bool, topics: bool, has_link_options: bool
) -> None:
    if has_link_options:
        detail = "lexical tables are of the words that the language's rules find, links of those between blanks; leave one out"
        raise InputError("invalid-request", detail, ("--pair",))
    language_pair = LanguagePair.parse(pair)
    folder = out or data_settings().own_resources_dir / language_pair.file_name
    for spec in (source, target):
        if not Path(spec).is_file() and not Path(spec.rpartition(":")[0]).is_file():
            raise InputError("invalid-request", f"{spec} is neither a file nor FILE:COLUMN")
    check_folder(folder, "--out")
    build_pair_resources(language_pair, source, target, folder, licence, replace, topics)
    say(f"wrote {folder}")
