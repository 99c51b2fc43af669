"""Compact tables, and tables of which only a text's phrases are held: both translate as the whole text tables do."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from app.errors import InputError
from app.smt.corpus.phrases.compact import write_compact
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.moses_ini import read_moses_ini
from app.smt.decoder.n_best_lines import trace_of
from app.smt.decoder.opened_files import open_files
from app.smt.decoder.system import System, load_system
from app.smt.decoder.text_phrases import TextPhrases
from tests.smt.decoder.plain_features import features_of_derivation
from tests.smt.decoder.systems import SENTENCE, number, write_system

TEXTS = (SENTENCE, "s0 s4", "new words")


@pytest.fixture(params=["hier-mslr-bidirectional-fe", "phrase-msd-backward-f"])
def config(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write_system(tmp_path, 3, request.param, 3, tables=2)


def lists(system: System) -> list[list[tuple[str, str, float]]]:
    decoder = Decoder(system)
    return [
        [(one.text, one.word_alignment(system), round(one.score, 4)) for one in decoder.translate(text, True).n_best(50)]
        for text in TEXTS
    ]


def test_compact_tables_translate_as_text_does(config: Path) -> None:
    folder = config.parent
    expected = lists(load_system(config))
    text = config.read_text()
    for name in ("table0", "table1", *([] if "backward-f " in text else ["reordering"])):
        path = folder / name if (folder / name).exists() else folder / f"{name}.gz"
        write_compact(path, folder / f"{name}.compact")
        text = text.replace(f"path={name}", f"path={name}.compact")
    config.write_text(text)
    phrases = TextPhrases(text.split() for text in TEXTS)
    assert lists(load_system(config)) == expected == lists(load_system(config, phrases))
    assert len(load_system(config, TextPhrases([["s0"]])).sources) == 1


@pytest.mark.parametrize("most", [0, 1000])
def test_what_the_text_cannot_use_is_not_held(config: Path, most: int) -> None:
    whole = load_system(config)
    expected = lists(whole)
    assert lists(load_system(config, TextPhrases([text.split() for text in TEXTS], limit=most))) == expected
    part = load_system(config, TextPhrases([["s0", "s1"]], limit=most))
    assert 2 <= len(part.sources) <= 3 + (most == 0) < len(whole.sources)
    nothing = load_system(config, TextPhrases([["new"]], limit=most))
    assert not len(nothing.rows) and Decoder(nothing).translate("new s0").n_best(1)[0].text == "new s0"


def test_compact_tables_of_other_scores_are_refused(config: Path) -> None:
    write_compact(config.parent / "table0.gz", config.parent / "table0.compact")
    text = config.read_text()
    config.write_text(
        text.replace("path=table0", "path=table0.compact")
        .replace("num-features=2", "num-features=3", 1)
        .replace("T0= 0.3", "T0= 0.1 0.3")
    )
    with pytest.raises(InputError, match="has 2 scores a row, but num-features is 3"):
        load_system(config)
    config.write_text(text.replace("path=reordering", "path=table0.compact"))
    with pytest.raises(InputError, match="scores a row for phrase pairs"):
        load_system(config)


def test_a_damaged_compact_table_translates_or_is_refused(tmp_path: Path) -> None:
    config = write_system(tmp_path, 3, "phrase-msd-backward-f", 3)
    place = tmp_path / "table0.compact"
    write_compact(tmp_path / "table0.gz", place)
    config.write_text(config.read_text().replace("path=table0", "path=table0.compact"))
    whole = np.frombuffer(place.read_bytes(), np.uint8)
    header = 16 + int(whole[8:16].view(np.int64)[0])
    rng = np.random.default_rng(1)
    refused = 0
    for share in (0.001, 0.01, 0.1, 1):
        for _ in range(15):
            damaged = whole.copy()
            places = header + rng.integers(0, len(whole) - header, max(1, int(share * (len(whole) - header))))
            damaged[places] = rng.integers(0, 256, len(places))
            place.write_bytes(damaged.tobytes())
            try:
                lists(load_system(config, TextPhrases(text.split() for text in TEXTS)))
            except InputError as error:
                assert error.code == "invalid-table" and "table0.compact is damaged" in str(error)
                refused += 1
    assert refused > 10


def test_phrases_of_a_text_by_hand() -> None:
    phrases = TextPhrases([["a", "b", "c"]]).limited(2)
    text = np.frombuffer(b"a b\nb c\na c\nb\nd", np.uint8)
    spans = np.array([[0, 3], [4, 7], [8, 11], [12, 13], [14, 15]])
    assert phrases.allowed(text, spans).tolist() == [True, True, False, True, False]
    assert TextPhrases([["a", "b", "c"]], limit=0).limited(2).allowed(text, spans).tolist() == [True, True, True, True, False]


@pytest.mark.parametrize("most", [0, 1000])
@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize(("limit", "translated"), [(None, False), (24, False), (25, True), (40, True)])
def test_phrases_of_a_text_are_as_long_as_the_configuration_says(
    tmp_path: Path, most: int, compact: bool, limit: int | None, translated: bool
) -> None:
    config = write_system(tmp_path, 3, "phrase-msd-backward-fe", 3)
    long = " ".join(f"w{number}" for number in range(25))
    for name, line in (("table0.gz", f"{long} ||| t3 t2 ||| 1 1 ||| 0-0"), ("reordering", f"{long} ||| t3 t2 ||| 1 1 1")):
        path = tmp_path / name
        opened = gzip.open(path, "at") if name.endswith(".gz") else path.open("a")
        with opened as file:
            file.write(f"{line}\n")
    text = config.read_text() + ("" if limit is None else f"[max-phrase-length]\n{limit}\n")
    if compact:
        for name in ("table0.gz", "reordering"):
            write_compact(tmp_path / name, tmp_path / f"{name}.compact")
        text = text.replace("path=table0", "path=table0.gz.compact").replace("path=reordering", "path=reordering.compact")
    config.write_text(text)
    of_pipe, of_file = load_system(config), load_system(config, TextPhrases([long.split()], most))
    best = [Decoder(system).translate(long, True).n_best(1)[0].text for system in (of_pipe, of_file)]
    assert best == ["t3 t2" if translated else long] * 2


def test_a_text_is_not_looked_at_beyond_the_longest_phrase_of_compact_tables(tmp_path: Path) -> None:
    config = write_system(tmp_path, 3, "phrase-msd-backward-fe", 3)
    config.write_text(f"{config.read_text()}[max-phrase-length]\n900\n")
    assert open_files(read_moses_ini(config)).longest == 900
    write_compact(tmp_path / "table0.gz", tmp_path / "table0.compact")
    config.write_text(config.read_text().replace("path=table0", "path=table0.compact"))
    assert open_files(read_moses_ini(config)).longest == 2


def test_a_way_of_two_tables_has_what_both_have(tmp_path: Path) -> None:
    """As one table of the pairs of both with all scores; the other two tables of the system stay ways of their own."""
    config = write_system(tmp_path, 9, "hier-mslr-bidirectional-fe", 3, tables=2)
    generator = np.random.default_rng(9)
    (tmp_path / "table1.gz").unlink()
    first = [line.split(" ||| ") for line in gzip.open(tmp_path / "table0.gz", "rt")]
    second = [[*row[:2], number(generator) + " " + number(generator)] for row in first[::-1] if generator.random() < 0.6]
    (tmp_path / "table1").write_text("".join(" ||| ".join(row) + "\n" for row in [*second, ["s0", "t3 t3 t3", "1 1"]]))
    of_pair = {tuple(row[:2]): row[2] for row in second}
    both = [[*row[:2], f"{row[2]} {of_pair[row[0], row[1]]}"] for row in first if (row[0], row[1]) in of_pair]
    (tmp_path / "both").write_text("".join(" ||| ".join([*row, "0-0"]) + "\n" for row in both))
    text = config.read_text().replace("table-limit=3", "table-limit=0")
    lines = [line for line in text.splitlines() if not line.startswith(("PhraseDictionaryMemory name=T1", "T1="))]
    joined = (
        "\n".join(lines)
        .replace("num-features=2 path=table0", "num-features=4 path=both")
        .replace("T0= 0.3 0.2", "T0= 0.3 0.2 0.3 0.3")
    )
    config.write_text(text.replace("[weight]", "[mapping]\n0 T 0\n0 T 1\n[weight]"))
    (tmp_path / "joined.ini").write_text(joined + "\n")
    system, expected = load_system(config), load_system(tmp_path / "joined.ini")
    assert 0 < len(system.rows) == len(expected.rows) < len(first)
    assert lists(system) == lists(expected)
    derivation = Decoder(system).translate(SENTENCE, True).n_best(1)[0]
    values = features_of_derivation(system, derivation.phrases)
    assert values @ system.weights == pytest.approx(derivation.score, abs=1e-9)
    phrases = [phrase for phrase in trace_of(system, derivation)["phrases"] if phrase["table"]]
    assert phrases and all(phrase["table"] == "T0+T1" and len(phrase["scores"]) == 4 for phrase in phrases)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ("0 T 0\n0 T 2", "table 2 does not exist"),
        ("0 T 0\n1 T 0", "T 0 is a step already"),
        ("0 T 0", "table 1 of .* no step of any way"),
        ("0 G 0", "only tables as steps"),
    ],
)
def test_ways_that_are_none(config: Path, mapping: str, message: str) -> None:
    config.write_text(config.read_text().replace("[weight]", f"[mapping]\n{mapping}\n[weight]"))
    with pytest.raises(InputError, match=message):
        load_system(config)
