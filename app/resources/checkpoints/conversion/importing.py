"""One checkpoint into one folder: which architecture it is, what is written, and a first score to see that it works."""

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app import __version__
from app.errors import InputError
from app.resources.checkpoints.card import LONGEST, CheckpointCard, is_name, write_card
from app.resources.checkpoints.checkpoint import DECODER, ENCODER, HEAD, TOKENISER, WORDS, Checkpoint
from app.resources.checkpoints.conversion.comet import comet_settings, import_comet
from app.resources.checkpoints.conversion.fine_tuned import import_bleurt, import_metricx, import_mono
from app.resources.checkpoints.conversion.parts import Imported
from app.resources.checkpoints.conversion.refusal import refused
from app.resources.checkpoints.conversion.texts import Tokeniser, read_json, read_tokeniser
from app.resources.checkpoints.conversion.weights import Weights, checkpoint_file, read_weights
from app.resources.file_modes import take_modes
from app.resources.manifest import checksum

__all__ = ["Wanted", "import_checkpoint"]

FILES: Final = (ENCODER, DECODER, HEAD, WORDS, TOKENISER)
USUAL: Final[Mapping[str, Any]] = {
    "higher_is_better": True, "lowest": None, "highest": None, "begin": -1, "end": -1, "pad": -1, "separators": 1, "first_place": 0,
    "padding_has_no_place": False, "two_kinds": False, "pooling": "cls", "activation": "", "final_activation": "", "template": "",
    "buckets": 0, "farthest": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """What is imported, and what nobody but the user can say: `encoder` is the folder of config.json and tokenizer.json where they
    do not lie beside the weights, `metricx` MetricX's version, `longest` the most tokens of a sequence.
    """

    path: Path
    name: str
    licence: str
    encoder: Path | None = None
    metricx: str | None = None
    longest: int | None = None


def import_checkpoint(wanted: Wanted, folder: Path) -> CheckpointCard:
    """Write the checkpoint into a new folder; InputError says what is damaged, missing or of another kind, and nothing is left."""
    if not is_name(wanted.name):
        raise refused(
            "a name has letters of ASCII, digits, points, underscores and hyphens, and begins with a letter or digit", "--name"
        )
    if wanted.longest is not None and not 8 <= wanted.longest <= LONGEST:
        raise refused(f"a sequence has 8 to {LONGEST} tokens", "--longest")
    target = folder / wanted.name
    if target.exists():
        raise refused(f"{target} exists already; name another", "--name")
    file = checkpoint_file(wanted.path)
    weights = read_weights(file)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".import-") as aside:
        made = Path(aside) / wanted.name
        made.mkdir()
        imported, tokeniser = _imported(wanted, file, weights, made)
        card = _write(wanted, file, imported, tokeniser, made)
        _try_out(made)
        take_modes(made, folder)
        shutil.move(made, target)
    return card


def _imported(wanted: Wanted, file: Path, weights: Weights, made: Path) -> tuple[Imported, Tokeniser]:
    settings = comet_settings(weights, file)
    beside = file.parent if settings is None else file.parent.parent
    encoder = wanted.encoder or beside
    if not encoder.is_dir():
        raise refused(f"{encoder} is no folder", "--encoder")
    if settings is not None:
        tokeniser = read_tokeniser(*dict.fromkeys((encoder, file.parent)))
        return import_comet(made, weights, settings, encoder, tokeniser), tokeniser
    config = read_json((wanted.encoder or file.parent) / "config.json")
    tokeniser = read_tokeniser(*dict.fromkeys((encoder, file.parent)))
    kind, names = config.get("model_type"), " ".join(map(str, config.get("architectures") or ()))
    if kind == "bleurt":
        return import_bleurt(made, weights, config, wanted.longest, tokeniser), tokeniser
    if kind == "mt5" and "lm_head.weight" in weights:
        return import_metricx(made, weights, config, wanted.metricx, wanted.longest, tokeniser), tokeniser
    if "SequenceClassification" in names:
        return import_mono(made, weights, config, wanted.longest or _length_of_args(file.parent), tokeniser), tokeniser
    raise refused(
        f"config.json says model_type {kind!r} and architectures {names or 'none'!r}, and nothing here is COMET's; "
        "regression_metric, referenceless_regression_metric and unified_metric of COMET, MonoTransQuest, "
        "BLEURT and MetricX are imported"
    )


def _length_of_args(folder: Path) -> int | None:
    """What TransQuest says of its lengths."""
    if not (folder / "model_args.json").is_file():
        return None
    length = read_json(folder / "model_args.json").get("max_seq_length")
    return length if isinstance(length, int) and 8 <= length <= LONGEST else None


def _write(wanted: Wanted, file: Path, imported: Imported, tokeniser: Tokeniser, made: Path) -> CheckpointCard:
    from safetensors.numpy import save_file

    save_file(dict(imported.arrays), made / HEAD)
    (made / TOKENISER).write_text(tokeniser.rules, "utf-8")
    digests = {name: checksum(made / name) for name in FILES if (made / name).is_file()}
    card = CheckpointCard(
        format=1,
        name=wanted.name,
        architecture=imported.architecture,
        licence=wanted.licence,
        origin=f"{file.name} (SHA-256 {checksum(file)})" + (f", from {imported.origin}" if imported.origin else ""),
        converted_by=f"assay {__version__}",
        files=digests,
        **{**USUAL, **imported.card},
    )
    write_card(made, card)
    return card


def _try_out(made: Path) -> None:
    """A score, as the server will ask for; InputError where there is none."""
    try:
        list(Checkpoint(made).scores([("a", "b", "c")]))
    except InputError as error:
        raise refused(f"what was imported gives no score: {error.detail}") from None
