"""One checkpoint into one folder: its architecture, its files, and a first score as a test."""

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
from app.resources.checkpoints.conversion.fine_tuned import import_classifier, import_metricx
from app.resources.checkpoints.conversion.parts import CheckpointParts
from app.resources.checkpoints.conversion.refusal import refused
from app.resources.checkpoints.conversion.texts import CheckpointTokeniser, read_json, read_tokeniser
from app.resources.checkpoints.conversion.weights import Weights, checkpoint_file, read_weights
from app.resources.file_modes import take_modes
from app.resources.manifest import checksum

__all__ = ["ImportRequest", "import_checkpoint"]

FILES: Final = (ENCODER, DECODER, HEAD, WORDS, TOKENISER)
DEFAULTS: Final[Mapping[str, Any]] = {
    "higher_is_better": True, "lowest": None, "highest": None, "begin": -1, "end": -1, "pad": -1, "separators": 1, "first_place": 0,
    "padding_has_no_place": False, "two_kinds": False, "pooling": "cls", "activation": "", "final_activation": "", "template": "",
    "buckets": 0, "farthest": 0,
}  # fmt: skip


@dataclass(frozen=True)
class ImportRequest:
    """A checkpoint and facts that its files lack.

    `encoder` is the folder of config.json and tokenizer.json where they lie apart from the weights,
    `metricx` MetricX's version, `longest` the most tokens of a sequence.
    """

    path: Path
    name: str
    licence: str
    encoder: Path | None = None
    metricx: str | None = None
    longest: int | None = None


def import_checkpoint(request: ImportRequest, folder: Path) -> CheckpointCard:
    """Write the checkpoint into a new folder; InputError names damage or an unknown kind, and then no file stays behind."""
    if not is_name(request.name):
        raise refused(
            "a name has letters of ASCII, digits, points, underscores and hyphens, and begins with a letter or digit", "--name"
        )
    if request.longest is not None and not 8 <= request.longest <= LONGEST:
        raise refused(f"a sequence has 8 to {LONGEST} tokens", "--longest")
    target = folder / request.name
    if target.exists():
        raise refused(f"{target} exists already; name another", "--name")
    file = checkpoint_file(request.path)
    weights = read_weights(file)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".import-") as workspace:
        draft = Path(workspace) / request.name
        draft.mkdir()
        result, tokeniser = _convert(request, file, weights, draft)
        card = _write(request, file, result, tokeniser, draft)
        _test(draft)
        take_modes(draft, folder)
        shutil.move(draft, target)
    return card


def _convert(request: ImportRequest, file: Path, weights: Weights, draft: Path) -> tuple[CheckpointParts, CheckpointTokeniser]:
    settings = comet_settings(weights, file)
    beside = file.parent if settings is None else file.parent.parent
    encoder = request.encoder or beside
    if not encoder.is_dir():
        raise refused(f"{encoder} is no folder", "--encoder")
    if settings is not None:
        tokeniser = read_tokeniser(*dict.fromkeys((encoder, file.parent)))
        return import_comet(draft, weights, settings, encoder, tokeniser), tokeniser
    config = read_json((request.encoder or file.parent) / "config.json")
    tokeniser = read_tokeniser(*dict.fromkeys((encoder, file.parent)))
    kind, names = config.get("model_type"), " ".join(map(str, config.get("architectures") or ()))
    if kind == "mt5" and "lm_head.weight" in weights:
        return import_metricx(draft, weights, config, request.metricx, request.longest, tokeniser), tokeniser
    if kind == "bleurt" or "SequenceClassification" in names:
        length = request.longest or (None if kind == "bleurt" else _length_of_arguments(file.parent))
        return import_classifier(draft, weights, config, length, tokeniser), tokeniser
    raise refused(
        f"config.json says model_type {kind!r} and architectures {names or 'none'!r}, and no file here is COMET's; "
        "regression_metric, referenceless_regression_metric and unified_metric of COMET, MonoTransQuest, "
        "BLEURT and MetricX are imported"
    )


def _length_of_arguments(folder: Path) -> int | None:
    """The most tokens by TransQuest's model_args.json."""
    if not (folder / "model_args.json").is_file():
        return None
    length = read_json(folder / "model_args.json").get("max_seq_length")
    return length if isinstance(length, int) and 8 <= length <= LONGEST else None


def _write(
    request: ImportRequest, file: Path, result: CheckpointParts, tokeniser: CheckpointTokeniser, draft: Path
) -> CheckpointCard:
    from safetensors.numpy import save_file

    save_file(dict(result.arrays), draft / HEAD)
    (draft / TOKENISER).write_text(tokeniser.rules, "utf-8")
    digests = {name: checksum(draft / name) for name in FILES if (draft / name).is_file()}
    card = CheckpointCard(
        format=1,
        name=request.name,
        architecture=result.architecture,
        licence=request.licence,
        origin=f"{file.name} (SHA-256 {checksum(file)})" + (f", from {result.origin}" if result.origin else ""),
        converted_by=f"assay {__version__}",
        files=digests,
        **{**DEFAULTS, **result.card},
    )
    write_card(draft, card)
    return card


def _test(draft: Path) -> None:
    """Score once, as the server will; InputError where that fails."""
    try:
        list(Checkpoint(draft).scores([("a", "b", "c")]))
    except InputError as error:
        raise refused(f"the imported checkpoint gives no score: {error.detail}") from None
