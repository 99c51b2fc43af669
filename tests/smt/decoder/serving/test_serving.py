"""Systems that a server has: packed whole, moved anywhere, held to their folder, and saying what the command says."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.resources.manifest import MANIFEST, checksum, read_manifest, write_manifest
from app.running.deadline import Deadline, until
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.n_best_lines import n_best_lines
from app.smt.decoder.serving.packing import pack_system
from app.smt.decoder.serving.served_system import CARD, ServedSystem
from app.smt.decoder.system import load_system
from app.text.languages import LanguagePair
from tests.smt.decoder.systems import SENTENCE, write_system
from tests.smt.decoder.toy_systems import EN_RO, RO_EN, write_configuration

PAIR = LanguagePair("ro", "en")


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_configuration(tmp_path_factory.mktemp("system"), RO_EN, "en")


@pytest.fixture(scope="module")
def packed(config: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("resources") / "ro-en" / "system"
    pack_system(config, PAIR, folder, lowercase=True, licence="CC0-1.0")
    return folder


@pytest.fixture
def harmed(packed: Path, tmp_path: Path) -> Path:
    """A copy for a test that changes it."""
    return Path(shutil.copytree(packed, tmp_path / "system"))


def listed_anew(folder: Path) -> None:
    """Let the manifest say what is there, so that nothing but the test's own harm is wrong."""
    old = read_manifest(folder)
    files = {path.name: checksum(path) for path in folder.iterdir() if path.name != MANIFEST and path.is_file()}
    write_manifest(folder, type(old)(old.name, old.description, old.command, old.licence, old.inputs, files, old.statistics))


def test_a_packed_folder_has_all_that_it_needs_and_says_so(packed: Path, config: Path) -> None:
    manifest = read_manifest(packed)
    assert {path.name for path in packed.iterdir()} == {*manifest.files, MANIFEST}
    assert all(checksum(packed / name) == digest for name, digest in manifest.files.items())
    assert manifest.licence == "CC0-1.0" and manifest.inputs["table"] == checksum(config.parent / "table")
    paths = [word for line in (packed / "moses.ini").read_text().splitlines() for word in line.split() if word.startswith("path=")]
    assert paths == ["path=phrases-0.compact", "path=orientations-0.compact", "path=lm-0.binary"]
    assert json.loads((packed / CARD).read_text())["lowercase"] is True


def test_it_says_the_same_wherever_it_lies(packed: Path, harmed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = ["Casa mea este mare .", ""]
    there = list(ServedSystem.open(packed).translate(text, 5))
    # What lies in the working folder under the same names is nothing of it.
    (tmp_path / "phrases-0.compact").write_bytes(b"other")
    monkeypatch.chdir(tmp_path)
    assert list(ServedSystem.open(harmed).translate(text, 5)) == there


@pytest.mark.parametrize("distinct", [False, True])
def test_it_says_what_the_decoder_says_of_its_configuration(packed: Path, distinct: bool) -> None:
    text = ["casa mea este mare și roșie .", "", "un om necunoscut doarme ||| <b> .", "acolo"]
    whole = load_system(packed / "moses.ini")
    decoder = Decoder(whole)
    for segment, (line, one) in enumerate(zip(text, ServedSystem.open(packed).translate(text, 20, distinct), strict=True)):
        found = decoder.translate(line, True)
        derivations = found.n_best(20, distinct)
        assert one.best.text == derivations[0].text and one.words == line.split()
        lines = [row.split(" ||| ")[2:4] for row in n_best_lines(whole, segment, derivations)] if "|||" not in line else []
        entries = one.n_best if lines else []
        printed = [
            [" ".join(f"{name}= {' '.join(f'{value:.8g}' for value in values)}" for name, values in entry.features.items()), f"{entry.score:.10g}"]
            for entry in entries
        ]  # fmt: skip
        assert printed == lines
        assert [entry.text for entry in one.n_best] == [derivation.text for derivation in derivations]
        assert [entry.links for entry in one.n_best] == [derivation.links(whole) for derivation in derivations]


@pytest.mark.parametrize("reordering", ["hier-mslr-bidirectional-fe", "wbe-msd-backward-fe"])
def test_packing_changes_scores_by_no_more_than_their_seventh_digit(reordering: str, tmp_path: Path) -> None:
    (tmp_path / "moses").mkdir()
    config = write_system(tmp_path / "moses", 3, reordering, 3, tables=2)
    # A stack that a server may have, and a beam that prunes nothing here.
    config.write_text(config.read_text().replace("5000", "1000"))
    pack_system(config, PAIR, tmp_path / "packed")
    (one,) = ServedSystem.open(tmp_path / "packed").translate([SENTENCE], 30)
    before = Decoder(load_system(config)).translate(SENTENCE, True).n_best(30)
    assert [entry.score for entry in one.n_best] == pytest.approx([derivation.score for derivation in before], abs=1e-5)
    assert one.best.text == before[0].text


def test_texts_are_the_same_however_many_are_looked_up_together(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["casa mea este mare .", "", "om nou", "casa", "", "mea"]
    together = [one.best.text for one in ServedSystem.open(packed).translate(texts)]
    monkeypatch.setattr("app.smt.decoder.serving.served_system.BATCH_WORDS", 2)
    assert [one.best.text for one in ServedSystem.open(packed).translate(texts)] == together


def test_features_sum_up_to_the_score_and_phrases_to_the_translation(packed: Path) -> None:
    weights = {"UnknownWordPenalty0": [1], "WordPenalty0": [-0.3], "PhrasePenalty0": [0.1], "T": [0.4, 0.2], "R": [0.1] * 6,
               "Distortion0": [0.2], "LM": [0.5]}  # fmt: skip
    for one in ServedSystem.open(packed).translate(["casa mea este mare .", "om nou"], 10):
        for entry in one.n_best:
            total = sum(w * h for name, row in entry.features.items() for w, h in zip(weights[name], row, strict=True))
            assert not any(h == 0 and np.signbit(h) for row in entry.features.values() for h in row)
            assert total == pytest.approx(entry.score, abs=1e-5)
            assert " ".join(word for _, _, words in entry.phrases for word in words) == entry.text
            covered = sorted(place for start, end, _ in entry.phrases for place in range(start, end))
            assert covered == list(range(len(one.words)))


@given(st.lists(st.text(alphabet="acsă ros|<>&\t\n\x01\u200f\u202eשלום مرحبا", max_size=20), max_size=4), st.booleans())
def test_any_text_has_a_translation_of_its_words_alone(texts: list[str], tokenise: bool) -> None:
    system = any_system()
    together = list(system.translate(texts, tokenise=tokenise))
    assert together == [next(iter(system.translate([text], tokenise=tokenise))) for text in texts]
    for text, one in zip(texts, together, strict=True):
        assert (one.best.text == "") == (one.words == [])
        assert "\n" not in one.best.text and (text.strip() or not one.words)


OPENED: dict[str, ServedSystem] = {}


@pytest.fixture(autouse=True)
def opened(packed: Path) -> None:
    OPENED.setdefault("one", ServedSystem.open(packed))


def any_system() -> ServedSystem:
    return OPENED["one"]


def test_a_sentence_is_as_long_as_the_decoder_takes_and_no_longer(packed: Path) -> None:
    system = ServedSystem.open(packed)
    with pytest.raises(InputError, match="1001 words") as refused:
        list(system.translate(["casa", "casa " * 1001], first=4))
    assert refused.value.code == "segment-too-long" and refused.value.where == ("segments", 5)
    (one,) = system.translate(["casa " * 1000])
    assert len(one.words) == 1000


def test_nobody_waits_for_what_nobody_asks_any_more(packed: Path) -> None:
    deadline = Deadline()
    rows = ServedSystem.open(packed).translate(["casa"] * 10)
    with until(deadline):
        next(rows)
        deadline.give_up()
        with pytest.raises(InputError) as refused:
            next(rows)
    assert refused.value.code == "too-slow"


@pytest.mark.parametrize(
    "path", ["../moses.ini", "/etc/passwd", "a/../../b", "phrases-0.compact/../../x"]
)  # fmt: skip
def test_no_path_leads_out_of_the_folder(harmed: Path, path: str) -> None:
    ini = harmed / "moses.ini"
    ini.write_text(ini.read_text().replace("path=phrases-0.compact", f"path={path}"))
    listed_anew(harmed)
    with pytest.raises(InputError, match="lies outside the system's folder"):
        ServedSystem.open(harmed)


def test_no_link_leads_out_of_the_folder(harmed: Path, packed: Path) -> None:
    (harmed / "lm-0.binary").unlink()
    (harmed / "lm-0.binary").symlink_to(packed / "lm-0.binary")
    with pytest.raises(InputError, match="the file of LM lies outside"):
        ServedSystem.open(harmed)


def test_what_the_manifest_does_not_list_is_not_read(harmed: Path) -> None:
    (harmed / "other").write_bytes((harmed / "lm-0.binary").read_bytes())
    ini = harmed / "moses.ini"
    ini.write_text(ini.read_text().replace("path=lm-0.binary", "path=other"))
    with pytest.raises(InputError, match=r"not in manifest\.json"):
        ServedSystem.open(harmed)


def broken_cards() -> list[Callable[[Path], object]]:
    return [
        lambda folder: (folder / CARD).unlink(),
        lambda folder: (folder / CARD).write_text("{"),
        lambda folder: (folder / CARD).write_text('{"pair": "ro-en"}'),
        lambda folder: (folder / CARD).write_text((folder / CARD).read_text().replace('"version": 1', '"version": 2')),
        lambda folder: (folder / MANIFEST).unlink(),
        lambda folder: (folder / "phrases-0.compact").write_bytes((folder / "phrases-0.compact").read_bytes()[:5000]),
        lambda folder: (folder / "phrases-0.compact").write_bytes(b""),
        lambda folder: (folder / "lm-0.binary").write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0"),
    ]


@pytest.mark.parametrize("harm", broken_cards())
def test_what_is_no_system_is_refused(harmed: Path, harm: Callable[[Path], object]) -> None:
    harm(harmed)
    with pytest.raises(InputError):
        list(ServedSystem.open(harmed).translate(["casa"]))


@pytest.mark.parametrize(("packed_name", "text_name"), [("phrases-0.compact", "table"), ("orientations-0.compact", "orders")])
def test_tables_of_text_are_not_read_for_each_request(harmed: Path, config: Path, packed_name: str, text_name: str) -> None:
    shutil.copy(config.parent / text_name, harmed / packed_name)
    listed_anew(harmed)
    # It is a table that the decoder reads.
    assert len(load_system(harmed / "moses.ini").rows)
    with pytest.raises(InputError, match=f"{packed_name} is no compact table.*; pack the system with assay smt import"):
        ServedSystem.open(harmed)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[stack]\n50", "[stack]\n1001", "a server allows 1 to 1000"),
        ("[distortion-limit]\n4", "[distortion-limit]\n-1", "allows 0 to 20 words"),
        ("[distortion-limit]\n4", "[distortion-limit]\n21", "allows 0 to 20 words"),
        ("table-limit=5", "table-limit=0", "allows 1 to 100"),
        ("phrase-msd-bidirectional-fe", "phrase-msd-bidirectional-f", "source phrases alone"),
        ("[feature]\n", "[feature]\nPhraseLengthFeature name=pl\n", "pl is a sparse feature"),
        ("[weight]\n", "[weight-file]\n/etc/passwd\n[weight]\n", "weights of sparse features|does not exist|expected: a name"),
    ],
)
def test_searches_that_may_take_any_time_are_not_served(config: Path, tmp_path: Path, old: str, new: str, said: str) -> None:
    other = config.with_name(f"{tmp_path.name}.ini")
    other.write_text(config.read_text().replace(old, new))
    with pytest.raises(InputError, match=said):
        pack_system(other, PAIR, tmp_path / "system")
    assert not (tmp_path / "system").exists()


def test_what_cannot_be_packed_leaves_nothing(config: Path, tmp_path: Path) -> None:
    (tmp_path / "table").write_text("casa ||| house ||| NaN 0.5\n")
    for name in ("orders", "lm.arpa", "moses.ini"):
        shutil.copy(config.parent / name, tmp_path / name)
    with pytest.raises(InputError):
        pack_system(tmp_path / "moses.ini", PAIR, tmp_path / "out")
    assert not (tmp_path / "out").exists() and not list(tmp_path.glob(".*"))


def test_a_system_is_replaced_where_that_is_said(config: Path, harmed: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there already"):
        pack_system(config, PAIR, harmed)
    other = write_configuration(tmp_path / "other", EN_RO, "ro")
    pack_system(other, PAIR.reversed, harmed, replace=True)
    assert ServedSystem.open(harmed).pair == PAIR.reversed


def test_a_folder_knows_what_it_was_trained_on(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="assay smt train"):
        pack_system(tmp_path, PAIR, tmp_path / "out")
    with pytest.raises(InputError, match="one set of weights"):
        pack_system(write_configuration(tmp_path / "x", RO_EN, "en"), PAIR, tmp_path / "out", untuned=True)
