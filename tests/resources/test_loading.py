"""Loading what ships, and refusing what is damaged."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import kenlm
import numpy as np
import pytest
from safetensors.numpy import save

from app.building.building import build_language_resources, build_pair_resources
from app.errors import InputError
from app.resources.language_models import open_language_model
from app.resources.loading import load_resources, open_resources
from app.resources.manifest import checksum
from app.settings import Settings
from app.text import LanguagePair, pack_tokens

SHIPPED = Settings().resources_dir


@pytest.mark.parametrize("language", ["de", "en", "et", "ne", "ro", "ru", "si", "zh"])
def test_kenlm_opens_every_shipped_model(language: str) -> None:
    path = SHIPPED / language / "lm.binary"
    peer = kenlm.Model(str(path))
    lines = [["the", "house", "."], ["zz"], []]
    expected = [sum(p for p, _, oov in peer.full_scores(" ".join(line)) if not oov) for line in lines]
    assert open_language_model(path).score(pack_tokens(lines)).log_prob == pytest.approx(expected, abs=1e-5)


def test_shipped_pairs_have_cc0_manifests() -> None:
    loaded = load_resources(SHIPPED)
    assert [str(pair) for pair in loaded.pairs] == ["en-de", "en-zh", "et-en", "ne-en", "ro-en", "ru-en", "si-en"]
    treebank = "CC-BY-SA-4.0, Universal Dependencies treebanks, https://universaldependencies.org"
    assert {manifest.licence for name, manifest in loaded.manifests.items() if "tagger" not in name} == {"CC0-1.0"}
    assert {name: manifest.licence for name, manifest in loaded.manifests.items() if "tagger" in name} == {
        f"{language}/tagger": treebank for language in ("de", "en", "et", "ro", "ru", "zh")
    }


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    shutil.copytree(SHIPPED / "si", tmp_path / "si")
    path = tmp_path / "si" / "lm.binary"
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(bytes(raw))
    with pytest.raises(InputError, match="damaged"):
        load_resources(tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"mmap lm", b"\0" * 500, b"mmap lm http://kheafield.com/code format version 5\n\0" + b"\0" * 200]
)
def test_rubbish_is_not_a_language_model(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError):
        open_language_model(tmp_path / "x")


def test_what_we_build_loads_and_a_second_build_is_the_same(tmp_path: Path) -> None:
    text = tmp_path / "t.tsv"
    text.write_text("source\tpost_edit\n" + "the house is small .\tdas haus ist klein .\nthe book\tdas buch\n" * 5)
    for folder in ("one", "two"):
        build_language_resources("en", [f"{text}:source"], tmp_path / folder / "en")
        build_language_resources("de", [f"{text}:post_edit"], tmp_path / folder / "de")
        build_pair_resources(LanguagePair("en", "de"), f"{text}:source", f"{text}:post_edit", tmp_path / folder / "en-de")
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert len(files) == 12
    for path in files:
        assert (tmp_path / "one" / path).read_bytes() == (tmp_path / "two" / path).read_bytes()
    assert [str(pair) for pair in load_resources(tmp_path / "one").pairs] == ["en-de"]


@pytest.fixture(scope="module")
def built_pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Resources of two pairs that share a language, built from next to nothing."""
    folder = tmp_path_factory.mktemp("built") / "resources"
    text = folder.parent / "t.tsv"
    text.write_text("source\tpost_edit\n" + "the house is small .\tdas haus ist klein .\nthe book\tdas buch\n" * 5)
    for code, column in (("en", "source"), ("de", "post_edit"), ("ro", "post_edit")):
        build_language_resources(code, [f"{text}:{column}"], folder / code)
    for pair in (LanguagePair("en", "de"), LanguagePair("ro", "en")):
        build_pair_resources(pair, f"{text}:source", f"{text}:post_edit", folder / str(pair))
    (folder / "function_words.json").write_text("{}")
    return folder


@pytest.fixture
def two_pairs(built_pairs: Path, tmp_path: Path) -> Path:
    """A copy of the two pairs, which a test may harm."""
    return Path(shutil.copytree(built_pairs, tmp_path / "resources"))


def _manifest(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def _replaced(path: Path, content: bytes) -> None:
    """Another content with the checksum to go with it: damage that no checksum shows."""
    path.write_bytes(content)
    manifest = json.loads((path.parent / "manifest.json").read_text())
    _manifest(path.parent, files={**manifest["files"], path.name: checksum(path)})


HARM: dict[str, Callable[[Path], object]] = {
    "is empty": lambda folder: [path.unlink() for path in folder.iterdir()],
    "manifest is gone": lambda folder: (folder / "manifest.json").unlink(),
    "manifest is cut off": lambda folder: (folder / "manifest.json").write_text('{"name": "x"'),
    "manifest is a list": lambda folder: (folder / "manifest.json").write_text("[]"),
    "manifest is deep": lambda folder: (folder / "manifest.json").write_text("[" * 100_000),
    "manifest is a folder": lambda folder: ((folder / "manifest.json").unlink(), (folder / "manifest.json").mkdir()),
    "manifest is a pipe": lambda folder: ((folder / "manifest.json").unlink(), os.mkfifo(folder / "manifest.json")),
    "files is a list": lambda folder: _manifest(folder, files=[1]),
    "checksums are numbers": lambda folder: _manifest(folder, files={"index.safetensors": 3}),
    "statistics are text": lambda folder: _manifest(folder, statistics="many"),
    "licence is a list": lambda folder: _manifest(folder, licence=["MIT"]),
    "a member too many": lambda folder: _manifest(folder, pickle="x"),
    "a member too few": lambda folder: (folder / "manifest.json").write_text('{"name": "x"}'),
    "is a loop": lambda folder: (shutil.rmtree(folder), folder.symlink_to(folder)),
    "is a file": lambda folder: (shutil.rmtree(folder), folder.write_text("x")),
}
HARM_OF_FILES: dict[str, Callable[[Path], object]] = {
    "is gone": lambda path: path.unlink(),
    "is changed": lambda path: path.write_bytes(path.read_bytes()[:-1] + bytes([path.read_bytes()[-1] ^ 1])),
    "is cut off": lambda path: path.write_bytes(path.read_bytes()[:100]),
    "is cut off with its checksum": lambda path: _replaced(path, path.read_bytes()[:100]),
    "is empty with its checksum": lambda path: _replaced(path, b""),
    "is of other arrays": lambda path: _replaced(path, save({"x": np.zeros(3)})),
    "is a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("name", ["en-de", "de"])
@pytest.mark.parametrize("harm", HARM)
def test_a_broken_folder_takes_its_pair_alone_out(two_pairs: Path, harm: str, name: str) -> None:
    HARM[harm](two_pairs / name)
    found = open_resources(two_pairs).sound()
    assert [str(pair) for pair in found.pairs] == ["ro-en"] and set(found.broken) == {name}
    assert str(two_pairs) not in found.broken[name] and len(found.broken[name]) < 300
    assert found.tables[LanguagePair("en", "ro")] and found.languages["en"].model
    with pytest.raises(InputError):
        load_resources(two_pairs)


@pytest.mark.parametrize(
    "file", ["en-de/index.safetensors", "en-de/lex.en-de.safetensors", "de/ngrams.safetensors", "de/lm.binary"]
)
@pytest.mark.parametrize("harm", HARM_OF_FILES)
def test_a_broken_file_takes_its_pair_alone_out(two_pairs: Path, harm: str, file: str) -> None:
    HARM_OF_FILES[harm](two_pairs / file)
    found = open_resources(two_pairs).sound()
    name = file.partition("/")[0]
    assert [str(pair) for pair in found.pairs] == ["ro-en"] and set(found.broken) == {name}


def test_what_is_none_of_ours_is_passed_over(two_pairs: Path) -> None:
    shutil.copytree(two_pairs / "de", two_pairs / ".de.new")
    (two_pairs / "notes").mkdir()
    (two_pairs / "loop").symlink_to(two_pairs / "loop")
    os.mkfifo(two_pairs / "pipe")
    shutil.copytree(two_pairs / "de", two_pairs / "German")
    shutil.copytree(two_pairs / "en-de", two_pairs / "en-de-at")
    found = open_resources(two_pairs).sound()
    assert len(found.pairs) == 2 and set(found.broken) == {"German", "en-de-at"}


@pytest.mark.parametrize("content", [b"", b"rubbish", None])
def test_a_broken_tagger_takes_its_language_out(two_pairs: Path, content: bytes | None) -> None:
    tagger = two_pairs / "de" / "tagger"
    tagger.mkdir()
    (tagger / "tagger.udpipe").write_bytes(content or b"x")
    if content is None:
        (tagger / "manifest.json").write_text("{")
    found = open_resources(two_pairs).sound()
    assert [str(pair) for pair in found.pairs] == ["ro-en"] and set(found.broken) == {"de"}


def test_what_is_built_is_there_whole_or_not_at_all(two_pairs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path.relative_to(two_pairs): path.read_bytes() for path in two_pairs.rglob("*") if path.is_file()}
    text = two_pairs.parent / "u.tsv"
    text.write_text("source\n" + "an other text .\n" * 5)

    def fail(folder: Path, manifest: object) -> None:
        assert folder.name.startswith(".") and set(open_resources(two_pairs).broken) == set()
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("app.building.building.write_manifest", fail)
        for code in ("en", "fr"):
            with pytest.raises(KeyboardInterrupt):
                build_language_resources(code, [f"{text}:source"], two_pairs / code, replace=True)
    assert {path.relative_to(two_pairs): path.read_bytes() for path in two_pairs.rglob("*") if path.is_file()} == before
    # What is built again keeps what else is in its folder.
    (two_pairs / "en" / "tagger").mkdir()
    build_language_resources("en", [f"{text}:source"], two_pairs / "en", replace=True)
    assert (two_pairs / "en" / "tagger").is_dir() and (two_pairs / "en" / "lm.binary").read_bytes() != before[Path("en/lm.binary")]
    assert open_resources(two_pairs).sound().broken == {}
