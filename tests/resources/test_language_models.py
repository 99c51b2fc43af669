"""Language models of KenLM's own tools, each against what KenLM's Python package says of the file and of its ARPA."""

import gzip
import shutil
import subprocess
import sys
from pathlib import Path

import kenlm
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.resources.language_models import LanguageModel, open_language_model
from app.resources.language_models.kenlm_model import KenlmModel
from app.resources.language_models.trie import TrieModel
from app.resources.loading import load_resources
from app.settings import ROOT
from app.text import pack_tokens

DATA = Path(__file__).parent / "data"
ARPA = DATA / "model.arpa"
QUANTISED = ("quantised.binary", "quantised-array.binary")
EXACT = ("model.arpa", "probing.binary", "rest-probing.binary", "trie.binary", "array.binary")
BINARIES = ("probing.binary", "rest-probing.binary", "trie.binary", "array.binary", *QUANTISED)
VOCABULARY = sorted(
    {line.split("\t")[1] for line in ARPA.read_text().partition("\\2-grams")[0].split("\n") if line.count("\t") == 2}
)
LINES = st.lists(st.lists(st.sampled_from([*VOCABULARY, "zebra", "Haus"]) | st.text("abé雪", min_size=1), max_size=12), max_size=6)
# Models, a line, and the log10 probability of each word and of the end, as kenlm 0.3.0 says them when it is compiled by gcc.
RECORDED = [row.split("\t") for row in (DATA / "kenlm-scores.tsv").read_text().splitlines()]
MODELS = {name: open_language_model(DATA / name) for name in (*EXACT, *QUANTISED)}
PEERS = {name: kenlm.Model(str(DATA / name)) for name in (*EXACT, *QUANTISED)}


@pytest.mark.parametrize(("names", "line", "scores"), RECORDED)
def test_wheels_of_kenlm_score_to_the_last_bit_as_its_own_package(names: str, line: str, scores: str) -> None:
    for name in names.split():
        assert " ".join(score.hex() for score, _, _ in PEERS[name].full_scores(line)) == scores


def agrees(model: LanguageModel, peer: kenlm.Model, lines: list[list[str]], within: float) -> None:
    sentences, words = model.score_both(pack_tokens(lines))
    rows = [list(peer.full_scores(" ".join(line))) for line in lines]
    flat = [word for row in rows for word in row]
    assert words.log_prob == pytest.approx([p for p, _, _ in flat], abs=within)
    assert words.matched_orders.tolist() == [0 if unknown else n for _, n, unknown in flat]
    assert sentences.log_prob == pytest.approx([sum(p for p, _, unknown in row if not unknown) for row in rows], abs=10 * within)
    assert sentences.end_log_prob == pytest.approx([row[-1][0] for row in rows], abs=within)
    assert sentences.unknown.tolist() == [sum(unknown for *_, unknown in row) for row in rows]
    assert sentences.matched_orders.tolist() == [sum(n for _, n, unknown in row if not unknown) for row in rows]


@pytest.mark.parametrize("name", MODELS)
@given(lines=LINES)
def test_scores_are_kenlms(name: str, lines: list[list[str]]) -> None:
    agrees(MODELS[name], PEERS[name], lines, 1e-5 if name == "trie.binary" else 1e-12)


@pytest.mark.parametrize("name", EXACT)
@given(lines=LINES)
def test_every_exact_format_says_what_its_arpa_says(name: str, lines: list[list[str]]) -> None:
    agrees(MODELS[name], PEERS["model.arpa"], lines, 1e-5)


@given(lines=LINES)
def test_a_quantised_model_is_near_its_arpa(lines: list[list[str]]) -> None:
    exact = MODELS["model.arpa"].score_both(pack_tokens(lines))[1]
    for name in QUANTISED:
        near = MODELS[name].score_both(pack_tokens(lines))[1]
        assert (near.matched_orders == exact.matched_orders).all()
        assert near.log_prob == pytest.approx(exact.log_prob, abs=0.6)


def test_our_kernel_reads_plain_tries_and_kenlm_the_rest() -> None:
    assert {name: type(model) for name, model in MODELS.items()} == {
        name: TrieModel if name == "trie.binary" else KenlmModel for name in MODELS
    }
    assert {model.order for model in MODELS.values()} == {4}


def test_a_token_is_one_word_whatever_is_in_it() -> None:
    lines = [["the", "the house", "", "the\0", "\t", "is"], ["the\nhouse"]]
    unknown = [["the", "zz", "zz", "zz", "zz", "is"], ["zz"]]
    for model in MODELS.values():
        for found, expected in zip(model.score_both(pack_tokens(lines)), model.score_both(pack_tokens(unknown)), strict=True):
            assert all((a == b).all() for a, b in zip(vars(found).values(), vars(expected).values(), strict=True))


def test_a_batch_of_nothing_has_no_scores() -> None:
    for model in MODELS.values():
        sentences, words = model.score_both(pack_tokens([]))
        assert [len(each) for each in (*vars(sentences).values(), *vars(words).values())] == [0] * 6


@pytest.mark.parametrize("name", BINARIES)
@pytest.mark.parametrize("share", [0.01, 0.02, 0.05, 0.3, 0.6, 0.9])
def test_a_file_cut_short_is_refused(tmp_path: Path, name: str, share: float) -> None:
    raw = (DATA / name).read_bytes()
    # The words at the end of a file are text that nobody reads.
    tables = len(raw) - sum(len(word.encode()) + 1 for word in VOCABULARY)
    path = tmp_path / "cut.binary"
    path.write_bytes(raw[: int(share * tables)])
    with pytest.raises(InputError, match=r"cut\.binary .*(probing|ARPA)"):
        open_language_model(path)


@pytest.mark.parametrize(
    ("at", "value", "reason"),
    [
        (49, b"4", "another version"),
        (56, b"\x01", "another version or machine"),
        (88, b"\x01", "damaged"),
        (88, b"\x09", "refused by KenLM|cut short|damaged"),
        (92, b"\0\0\xc0\x7f", "damaged"),
        (92, b"\0\0\0\0", "damaged"),
        (96, b"\x07", "damaged"),
        (104, b"\x63", "refused by KenLM|cut short|damaged"),
        (108, b"\xff" * 8, "damaged"),
        (116, b"\xff\xff\xff\xff\xff\xff\xff\x1f", "damaged"),
    ],
)
@pytest.mark.parametrize("name", ["probing.binary", "quantised.binary", "array.binary"])
def test_a_wrong_header_is_refused(tmp_path: Path, name: str, at: int, value: bytes, reason: str) -> None:
    raw = bytearray((DATA / name).read_bytes())
    raw[at : at + len(value)] = value
    (tmp_path / "wrong").write_bytes(bytes(raw))
    with pytest.raises(InputError, match=reason):
        open_language_model(tmp_path / "wrong")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"ngram 1=44", b"ngram 1=4400000000", "more n-grams than it can hold"),
        (b"\thouse\t", b"\those\t", "house was not seen"),
        (b"-1.643875", b"\xff", "refused by KenLM"),
        (b"\\data\\", b"# text\n\\data\\", "is not a language model"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_wrong_arpa_is_refused(tmp_path: Path, old: bytes, new: bytes, reason: str, pack: object) -> None:
    (tmp_path / "lm.arpa").write_bytes(pack(ARPA.read_bytes().replace(old, new, 1)))  # type: ignore[operator]
    with pytest.raises(InputError, match=reason) as raised:
        open_language_model(tmp_path / "lm.arpa")
    assert str(tmp_path) not in raised.value.detail


@pytest.mark.parametrize("cut", [0, 2, 3, 30, 400])
def test_a_packed_arpa_cut_short_is_refused(tmp_path: Path, cut: int) -> None:
    (tmp_path / "lm.arpa.gz").write_bytes(gzip.compress(ARPA.read_bytes())[:cut])
    with pytest.raises(InputError, match=r"lm\.arpa\.gz"):
        open_language_model(tmp_path / "lm.arpa.gz")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is a folder; name a file, such as the lm\.binary"):
        open_language_model(tmp_path)
    with pytest.raises(InputError, match=r"lm\.binary does not exist"):
        open_language_model(tmp_path / "lm.binary")


@pytest.mark.parametrize(
    ("source", "name"), [("probing.binary", "lm.binary"), ("quantised.binary", "lm.binary"), ("model.arpa", "lm.arpa.gz")]
)
def test_resources_take_any_of_them(tmp_path: Path, source: str, name: str) -> None:
    """A language of one's own: no checksum is asked of a file that the manifest does not name."""
    shutil.copytree(ROOT / "resources" / "si", tmp_path / "si")
    (tmp_path / "si" / "lm.binary").unlink()
    raw = (DATA / source).read_bytes()
    (tmp_path / "si" / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    manifest = (tmp_path / "si" / "manifest.json").read_text()
    (tmp_path / "si" / "manifest.json").write_text("\n".join(line for line in manifest.split("\n") if '"lm.binary"' not in line))
    model = load_resources(tmp_path).languages["si"].model
    assert model.score(pack_tokens([["the", "house"]])).log_prob == pytest.approx(
        MODELS[source].score(pack_tokens([["the", "house"]])).log_prob
    )


def test_kenlm_is_imported_for_its_own_files_alone() -> None:
    script = (
        "import sys; from pathlib import Path; from app.resources.language_models import open_language_model\n"
        f"open_language_model(Path({str(DATA / 'trie.binary')!r})); assert 'kenlm' not in sys.modules\n"
        f"open_language_model(Path({str(DATA / 'probing.binary')!r})); assert 'kenlm' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_without_kenlm_its_files_say_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kenlm", None)
    with pytest.raises(InputError, match="pip install ufal-kenlm"):
        open_language_model(DATA / "probing.binary")
    assert np.isfinite(open_language_model(DATA / "trie.binary").score(pack_tokens([["the"]])).log_prob).all()
