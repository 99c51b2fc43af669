"""Packing of a system into one folder for a server: compact tables, tries, weights, and a manifest of their origin."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Final

from app.building.arpa import read_arpa
from app.building.kenlm_trie import write_kenlm_trie
from app.building.writing import check_new, folder_aside
from app.errors import InputError
from app.resources.language_models.header import read_arpa_counts, read_header
from app.resources.manifest import MANIFEST, Manifest, checksum, write_manifest
from app.smt.corpus.phrases.compact import is_compact, write_compact
from app.smt.decoder.building.chain import CONFIGURATION, UNTUNED_CONFIGURATION
from app.smt.decoder.building.steps import options_of_step
from app.smt.decoder.language_models import open_trie
from app.smt.decoder.moses_ini import MosesIni, read_moses_ini
from app.smt.decoder.serving.confinement import check_served
from app.smt.decoder.serving.served_system import CARD, ServedSystem, SystemCard
from app.text.languages import LanguagePair
from app.text.reading.lines import TextFile

__all__ = ["pack_system"]

# Stem of the file name of each kind of feature, before its number.
FILE_STEMS: Final = {"PhraseDictionaryMemory": "phrases", "LexicalReordering": "orientations", "KENLM": "lm"}
PROBE: Final = "a b"


def pack_system(
    system: Path,
    pair: LanguagePair,
    folder: Path,
    lowercase: bool | None = None,
    tokenise: bool = False,
    untuned: bool = False,
    licence: str = "unknown",
    replace: bool = False,
) -> Manifest:
    """Pack a folder of `assay smt train`, or the system of a ``moses.ini``, into `folder`, and return its manifest.

    A trained folder records its letter case; for a ``moses.ini``, `lowercase` gives it. InputError if the two disagree, if a file
    is invalid or the system cannot be served, and if `folder` has a system unless `replace`.
    """
    config, lowercase = _configuration(system, lowercase, untuned)
    ini = read_moses_ini(config)
    check_served(ini)
    if not replace:
        check_new(folder, [CONFIGURATION, CARD, MANIFEST])
    with folder_aside(folder, replace) as new_folder:
        inputs, names = {config.name: checksum(config)}, {}
        numbers: dict[str, int] = {}
        for feature in ini.features:
            if "path" in feature.parameters:
                number = numbers[feature.kind] = numbers.get(feature.kind, -1) + 1
                path, name = ini.path(feature), f"{FILE_STEMS[feature.kind]}-{number}"
                names[feature.name] = f"{name}.binary" if feature.kind == "KENLM" else f"{name}.compact"
                inputs[path.name if path.name not in inputs else f"{path.parent.name}/{path.name}"] = checksum(path)
                (_pack_model if feature.kind == "KENLM" else _pack_table)(path, new_folder / names[feature.name])
        (new_folder / CONFIGURATION).write_text(_relocated(config, ini, names), "utf-8")
        card = SystemCard(str(pair), lowercase, tokenise)
        (new_folder / CARD).write_text(json.dumps(asdict(card), indent=1, sort_keys=True) + "\n", "utf-8")
        files = {path.name: checksum(path) for path in sorted(new_folder.iterdir())}
        limits = ini.limits
        statistics = {
            "phrase_tables": numbers.get("PhraseDictionaryMemory", -1) + 1,
            "stack": limits.stack,
            "jumps": limits.distortion,
        }
        description = f"phrase-based system, {pair.name}: a tool for measuring"
        command = f"assay smt import --pair {pair}"
        manifest = Manifest(pair.file_name, description, command, licence, inputs, files, statistics)
        write_manifest(new_folder, manifest)
        # A trial translation keeps damaged systems out of the folder.
        list(ServedSystem.open(new_folder).translate([PROBE, ""]))
    return manifest


def _configuration(system: Path, lowercase: bool | None, untuned: bool) -> tuple[Path, bool]:
    """Configuration to pack, and True if its text is in lower case."""
    if system.is_file():
        if untuned:
            raise InputError(
                "invalid-request", "a moses.ini has one set of weights; name the folder of a trained system", ("--untuned",)
            )
        return system, bool(lowercase)
    config = system / (UNTUNED_CONFIGURATION if untuned else CONFIGURATION)
    if not config.is_file():
        raise InputError("invalid-request", f"{system} holds no {config.name}; name a folder of assay smt train, or a moses.ini")
    trained_lowercase = bool(options_of_step(system, "text")["lowercase"])
    if lowercase is not None and lowercase != trained_lowercase:
        raise InputError(
            "invalid-request", f"{system} was trained with the original letter case; leave out --lowercase", ("--lowercase",)
        )
    return config, trained_lowercase


def _pack_table(path: Path, out: Path) -> None:
    if is_compact(path):
        shutil.copyfile(path, out)
    else:
        write_compact(path, out)


def _pack_model(path: Path, out: Path) -> None:
    if read_header(path) is None and read_arpa_counts(path) is not None:
        write_kenlm_trie(read_arpa(path), out)
        return
    open_trie(path)
    shutil.copyfile(path, out)


def _relocated(config: Path, ini: MosesIni, names: dict[str, str]) -> str:
    """Text of the configuration with new file names, otherwise unchanged."""
    lines = list(TextFile.of(config).lines())
    features = iter(ini.features)
    section = ""
    for number, raw in enumerate(lines):
        line = raw.partition("#")[0].strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
        elif line and section == "feature":
            name = next(features).name
            lines[number] = " ".join(f"path={names[name]}" if word.startswith("path=") else word for word in line.split())
    return "\n".join(lines) + "\n"
