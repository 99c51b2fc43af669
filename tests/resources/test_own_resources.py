"""What users build lies beside what ships, in a folder of its own, and replaces nothing unless it is told to."""

import os
import shutil
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.building.building import build_language_resources, build_pair_resources
from app.errors import InputError
from app.features import PairResources
from app.registry.artifacts import LocalArtifacts
from app.resources.loading import Resources, open_resources
from app.resources.manifest import checksum
from app.server.upkeep.backup import saved_files
from app.server.upkeep.doctor import examine
from app.settings import Settings
from app.shell.here import settings_here
from app.shell.program import program
from app.text import LanguagePair

EN_DE, EN_FR = LanguagePair("en", "de"), LanguagePair("en", "fr")
SHIPPED_TEXT = "the house is small .\tdas haus ist klein .\nthe book\tdas buch\n"
OWN_TEXT = "a red car\teine rote bahn\nour old city\tunsere alte stadt\n"


def _build(folder: Path, pair: LanguagePair, lines: str) -> None:
    text = folder.parent / f"{folder.name}.tsv"
    text.write_text("source\ttarget\n" + lines * 5)
    build_language_resources(pair.source, [f"{text}:source"], folder / pair.source)
    build_language_resources(pair.target, [f"{text}:target"], folder / pair.target)
    build_pair_resources(pair, f"{text}:source", f"{text}:target", folder / str(pair))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """What ships, en-de; and what somebody built, en-fr with an English of its own."""
    root = tmp_path_factory.mktemp("resources")
    shipped, own = root / "shipped", root / "own"
    _build(shipped, EN_DE, SHIPPED_TEXT)
    _build(own, EN_FR, OWN_TEXT)
    return shipped, own


def _knows(resources: PairResources, word: str) -> bool:
    assert resources.source_counts is not None
    from app.text.hashing import hash_tokens

    return bool(resources.source_counts.word_frequencies(hash_tokens([word]))[0] > 0)


def _both(folders: tuple[Path, Path]) -> Resources:
    return open_resources(folders[0], user_folder=folders[1]).sound()


def test_each_pair_is_made_of_its_own_files(folders: tuple[Path, Path]) -> None:
    loaded = _both(folders)
    assert loaded.pairs == (EN_DE, EN_FR) and not loaded.broken
    ships, own = PairResources.of(loaded, EN_DE), PairResources.of(loaded, EN_FR)
    assert (_knows(ships, "house"), _knows(ships, "car")) == (True, False)
    assert (_knows(own, "house"), _knows(own, "car")) == (False, True)
    assert ships.files["source_model"] == ("en/lm.binary", checksum(folders[0] / "en" / "lm.binary"))
    assert own.files["source_model"] == ("en/lm.binary", checksum(folders[1] / "en" / "lm.binary"))


def test_an_own_pair_takes_a_language_that_ships_where_it_has_none(folders: tuple[Path, Path], tmp_path: Path) -> None:
    own = tmp_path / "own"
    shutil.copytree(folders[1], own)
    shutil.rmtree(own / "en")
    loaded = open_resources(folders[0], user_folder=own).sound()
    assert loaded.pairs == (EN_DE, EN_FR) and _knows(PairResources.of(loaded, EN_FR), "house")


def test_a_pair_that_ships_and_was_built_has_two_sets_the_own_one_first(folders: tuple[Path, Path], tmp_path: Path) -> None:
    own = tmp_path / "own"
    _build(own, EN_DE, OWN_TEXT)
    loaded = open_resources(folders[0], user_folder=own).sound()
    first, second = (PairResources.of_set(each) for each in loaded.sets(EN_DE))
    assert (_knows(first, "car"), _knows(second, "car")) == (True, False)
    assert first.files.keys() == second.files.keys() and first.files != second.files
    assert set(loaded.manifests) == {"en", "de", "en-de", "own/en", "own/de", "own/en-de"}


def test_a_broken_own_folder_leaves_what_ships(folders: tuple[Path, Path], tmp_path: Path) -> None:
    own = tmp_path / "own"
    shutil.copytree(folders[1], own)
    (own / "en" / "lm.binary").write_bytes(b"x")
    (own / "fr" / "manifest.json").unlink()
    loaded = open_resources(folders[0], user_folder=own).sound()
    assert loaded.pairs == (EN_DE,) and set(loaded.broken) == {"own/en", "own/fr"}
    assert _knows(PairResources.of(loaded, EN_DE), "house")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of commands."""
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "data"))
    settings_here.cache_clear()
    yield tmp_path / "data"  # type: ignore[misc]
    settings_here.cache_clear()


def test_commands_write_beside_what_ships_and_replace_nothing(data: Path, tmp_path: Path) -> None:
    text = tmp_path / "t.txt"
    before = {path: path.read_bytes() for path in (Settings().resources_dir / "en").glob("*.*")}
    run = CliRunner().invoke
    lm, align = ["resources", "lm", str(text), "--language", "en"], ["resources", "align", str(text), str(text), "--pair", "en-bm"]
    for command, folder in ((lm, "en"), (align, "en-bm")):
        text.write_text("the house is small .\n" * 5)
        assert run(program, command).exit_code == 0
        made = data / "resources" / folder
        first = {path.name: path.read_bytes() for path in made.iterdir()}
        text.write_text("another house is there .\n" * 5)
        with pytest.raises(InputError, match=r"is there already; --replace") as refused:
            run(program, command, catch_exceptions=False)
        assert str(made) in str(refused.value)
        assert {path.name: path.read_bytes() for path in made.iterdir()} == first
        assert run(program, [*command, "--replace"]).exit_code == 0
        assert {path.name: path.read_bytes() for path in made.iterdir()} != first
    assert {path: path.read_bytes() for path in before} == before


def test_backup_and_doctor_look_at_own_resources(data: Path, folders: tuple[Path, Path]) -> None:
    shutil.copytree(folders[1], data / "resources")
    settings = Settings(data_dir=data, models_dir=data / "none", resources_dir=folders[0])
    assert {"resources/en/lm.binary", "resources/en-fr/manifest.json"} <= {name for name, _ in saved_files(settings)}
    (found,) = [finding for finding in examine(settings, True) if finding.check == "own resources"]
    assert found.state == "ok" and "3 folders" in found.detail
    (data / "resources" / "fr" / "ngrams.safetensors").write_bytes(b"x")
    (found,) = [finding for finding in examine(settings, True) if finding.check == "own resources"]
    assert found.state == "problem" and "fr/ngrams.safetensors" in found.detail


@pytest.mark.parametrize(("mode", "of_files"), [(0o755, 0o644), (0o770, 0o660), (0o700, 0o600)])
def test_new_files_have_the_modes_of_their_folder(tmp_path: Path, mode: int, of_files: int) -> None:
    root = tmp_path / "root"
    root.mkdir()
    root.chmod(mode)

    def write(folder: Path) -> None:
        os.close(os.open(folder / "arrays", os.O_CREAT | os.O_WRONLY, 0o600))

    LocalArtifacts(root).save("model", write)
    text = tmp_path / "t.txt"
    text.write_text("the house\n" * 5)
    build_language_resources("en", [str(text)], root / "en")
    paths = [root / "model", root / "en", *(root / "model").iterdir(), *(root / "en").iterdir()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {mode, of_files}
    assert all(stat.S_IMODE(path.stat().st_mode) == of_files for path in paths if path.is_file())


def test_new_files_in_a_folder_that_is_there_have_its_modes(tmp_path: Path) -> None:
    folder = tmp_path / "en"
    folder.mkdir()
    folder.chmod(0o2775)
    tmp_path.chmod(0o755)
    text = tmp_path / "t.txt"
    text.write_text("the house\n" * 5)
    build_language_resources("en", [str(text)], folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o2775
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o664}
