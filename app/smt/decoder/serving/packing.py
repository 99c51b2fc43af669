"""Packing a system into one folder that a server reads: compact tables, tries, weights, and what made it."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Final

from app.building.arpa import read_arpa
from app.building.kenlm_trie import write_kenlm_trie
from app.building.writing import check_new, written_aside
from app.errors import InputError
from app.resources.language_models.header import read_arpa_counts, read_header
from app.resources.manifest import MANIFEST, Manifest, checksum, write_manifest
from app.smt.corpus.phrases.compact import is_compact, write_compact
from app.smt.decoder.building.chain import CONFIGURATION, UNTUNED
from app.smt.decoder.building.steps import options_of_step
from app.smt.decoder.language_models import open_trie
from app.smt.decoder.moses_ini import MosesIni, read_moses_ini
from app.smt.decoder.serving.confinement import check_served
from app.smt.decoder.serving.served_system import CARD, ServedSystem, SystemCard
from app.text.languages import LanguagePair
from app.text.reading.lines import TextFile

__all__ = ["pack_system"]

# What each kind of feature has its file called, before its number.
CALLED: Final = {"PhraseDictionaryMemory": "phrases", "LexicalReordering": "orientations", "KENLM": "lm"}
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
    """Pack the folder that `assay smt train` made, or what a ``moses.ini`` names, into `folder`; its manifest.

    Of a folder it is known whether text is lower-cased; of a ``moses.ini`` `lowercase` says it. InputError where it says otherwise,
    where a file is not what it should be or the system cannot be served, and where `folder` has one unless `replace` is true.
    """
    config, lowercase = _configuration(system, lowercase, untuned)
    ini = read_moses_ini(config)
    check_served(ini)
    if not replace:
        check_new(folder, [CONFIGURATION, CARD, MANIFEST])
    with written_aside(folder, replace) as aside:
        inputs, names = {config.name: checksum(config)}, {}
        numbers: dict[str, int] = {}
        for feature in ini.features:
            if "path" in feature.parameters:
                number = numbers[feature.kind] = numbers.get(feature.kind, -1) + 1
                path, name = ini.path(feature), f"{CALLED[feature.kind]}-{number}"
                names[feature.name] = f"{name}.binary" if feature.kind == "KENLM" else f"{name}.compact"
                inputs[path.name if path.name not in inputs else f"{path.parent.name}/{path.name}"] = checksum(path)
                (_pack_model if feature.kind == "KENLM" else _pack_table)(path, aside / names[feature.name])
        (aside / CONFIGURATION).write_text(_relocated(config, ini, names), "utf-8")
        card = SystemCard(str(pair), lowercase, tokenise)
        (aside / CARD).write_text(json.dumps(asdict(card), indent=1, sort_keys=True) + "\n", "utf-8")
        files = {path.name: checksum(path) for path in sorted(aside.iterdir())}
        limits = ini.limits
        statistics = {
            "phrase_tables": numbers.get("PhraseDictionaryMemory", -1) + 1,
            "stack": limits.stack,
            "jumps": limits.distortion,
        }
        description = f"phrase-based system, {pair.name}: a tool for measuring"
        command = f"assay smt import --pair {pair}"
        manifest = Manifest(pair.file_name, description, command, licence, inputs, files, statistics)
        write_manifest(aside, manifest)
        # What cannot be opened, or translates nothing, is not put anywhere.
        list(ServedSystem.open(aside).translate([PROBE, ""]))
    return manifest


def _configuration(system: Path, lowercase: bool | None, untuned: bool) -> tuple[Path, bool]:
    """The configuration that is packed, and whether its text is in lower case."""
    if system.is_file():
        if untuned:
            raise InputError("invalid-request", "a moses.ini has one set of weights; name the folder of a system", ("--untuned",))
        return system, bool(lowercase)
    config = system / (UNTUNED if untuned else CONFIGURATION)
    if not config.is_file():
        raise InputError("invalid-request", f"{system} holds no {config.name}; name what assay smt train made, or a moses.ini")
    trained = bool(options_of_step(system, "text")["lowercase"])
    if lowercase is not None and lowercase != trained:
        raise InputError("invalid-request", f"{system} was trained on text as it was given", ("--lowercase",))
    return config, trained


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
    """The configuration with other names of files; all else is as it was written."""
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
