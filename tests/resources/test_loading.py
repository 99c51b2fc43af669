"""Loading what ships, and refusing what is damaged."""

import shutil
from pathlib import Path

import kenlm
import pytest

from app.corpus.building import build_language_resources, build_pair_resources
from app.errors import InputError
from app.resources.language_models import open_language_model
from app.resources.loading import load_resources
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
