"""Names and values of sparse features, worked out by hand; what is refused; and weights in files."""

import gzip
from pathlib import Path

import pytest

from app.building.arpa import write_arpa
from app.building.kneser_ney import estimate_language_model
from app.errors import InputError
from app.smt.corpus.phrases.compact import write_compact
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.markup.marks import MarkupUse
from app.smt.decoder.markup.reading import plain_and_marks
from app.smt.decoder.n_best_lines import n_best_lines, trace_of
from app.smt.decoder.system import load_system
from app.text import pack_tokens
from app.text.reading.n_best_lists.bars import read_n_best
from tests.smt.decoder.plain_features import sparse_of_derivation

TABLE = [
    "das haus ||| the house ||| 0.9 ||| 0-0 1-1 ||| 1 1 1 ||| x 0.5 y -2",
    "das haus ||| a ~ big house ||| 0.1 ||| 0-0 1-3 1-3",
    "ist ja ||| is ||| 0.5 ||| 0-0",
    "klein ||| small ||| 0.5",
    "klein ||| rather small ||| 0.4 ||| 0-1",
]


def write(folder: Path, features: str, weights: str = "", file: str = "", table: list[str] = TABLE) -> Path:
    write_arpa(estimate_language_model(pack_tokens([["the", "house", "is", "small"]] * 3), 2), folder / "lm.arpa")
    (folder / "table.gz").write_bytes(gzip.compress("".join(f"{line}\n" for line in table).encode()))
    config = folder / "moses.ini"
    text = (
        "[feature]\nUnknownWordPenalty\nWordPenalty\nDistortion\nPhraseDictionaryMemory name=TM num-features=1 path=table.gz\n"
        f"KENLM name=LM factor=0 path=lm.arpa\n{features}\n[weight]\nWordPenalty0= -1\nDistortion0= 0.3\nTM= 1\nLM= 0.5\n{weights}\n"
    )
    config.write_text(text + ("[weight-file]\nsparse.txt\n" if file else ""))
    (folder / "sparse.txt").write_text(file)
    return config


def values(config: Path, text: str, needed: str | None = None) -> dict[str, float]:
    system = load_system(config)
    best = Decoder(system).translate(text, target=needed).best()
    assert best is not None
    return sparse_of_derivation(system, best.phrases)


def test_lengths(tmp_path: Path) -> None:
    config = write(tmp_path, "PhraseLengthFeature name=pl")
    assert values(config, "das haus ist ja klein", "the house is small") == {
        "pl_s2": 2, "pl_s1": 1, "pl_t2": 1, "pl_t1": 2, "pl_2,2": 1, "pl_2,1": 1, "pl_1,1": 1, "TM_x": 0.5, "TM_y": -2,
    }  # fmt: skip


def test_words_that_are_put_in_or_left_out(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("~\n")
    config = write(tmp_path, "TargetWordInsertionFeature name=twi factor=0\nSourceWordDeletionFeature name=swd factor=0")
    text, needed = "das haus ist ja klein", "a ~ big house is rather small"
    assert values(config, text, needed) == {"twi_~": 1, "twi_big": 1, "twi_rather": 1, "swd_ja": 1}
    # One word without links to one word is neither.
    assert values(config, "klein", "small") == {}
    config = write(
        tmp_path, "TargetWordInsertionFeature name=twi factor=0 path=words\nSourceWordDeletionFeature factor=0 path=words"
    )
    assert values(config, text, needed) == {"twi_~": 1, "twi_OTHER": 2, "SourceWordDeletionFeature0_OTHER": 1}


def test_translations_of_words(tmp_path: Path) -> None:
    (tmp_path / "source").write_text("das\nist\n")
    (tmp_path / "target").write_text("a\nhouse\n")
    config = write(tmp_path, "WordTranslationFeature name=wt input-factor=0 output-factor=0 simple=1 texttype=news")
    text, needed = "das haus ist ja new", "a ~ big house is new"
    # Of two links between the same words one counts; an unknown word is linked to itself.
    assert values(config, text, needed) == {"wt_das~a": 1, "wt_haus~house": 1, "wt_ist~is": 1, "wt_new~new": 1}
    config = write(tmp_path, "WordTranslationFeature name=wt source-path=source target-path=target")
    assert values(config, text, needed) == {"wt_das~a": 1, "wt_OTHER~house": 1, "wt_ist~OTHER": 1, "wt_OTHER~OTHER": 1}


def test_pairs_of_phrases_and_their_tildes(tmp_path: Path) -> None:
    config = write(tmp_path, "PhrasePairFeature name=pp unrestricted=1")
    found = values(config, "das haus klein", "a ~ big house small")
    assert found == {"pp_das~haus~~a~<TILDE>~big~house": 1, "pp_klein~~small": 1}


def test_what_markup_gives_has_no_links(tmp_path: Path) -> None:
    config = write(tmp_path, "SourceWordDeletionFeature name=swd\nTargetWordInsertionFeature name=twi\nPhraseLengthFeature name=pl")
    system = load_system(config)
    plain, marks = plain_and_marks('<n translation="some home">das haus</n> klein', MarkupUse.EXCLUSIVE, "text", 1)
    best = Decoder(system).translate(plain, marks=marks).best()
    assert best is not None and best.text.startswith("some home")
    found = sparse_of_derivation(system, best.phrases[:1])
    assert found == {"swd_das": 1, "swd_haus": 1, "twi_some": 1, "twi_home": 1, "pl_s2": 1, "pl_t2": 1, "pl_2,2": 1}


def test_bigrams_of_the_target(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("the\nhouse\nsmall\n")
    config = write(tmp_path, "TargetBigramFeature name=tb factor=0 path=*", table=TABLE[2:] + [TABLE[0].rsplit(" |||", 2)[0]])
    text, needed = "das haus ist ja klein", "the house is small"
    assert values(config, text, needed) == dict.fromkeys(
        ("tb_<s>:the", "tb_the:house", "tb_house:is", "tb_is:small", "tb_small:</s>"), 1
    )
    config = write(tmp_path, "TargetBigramFeature name=tb factor=0 path=words", table=TABLE[2:] + [TABLE[0].rsplit(" |||", 2)[0]])
    assert values(config, text, needed) == dict.fromkeys(("tb_<s>:the", "tb_the:house", "tb_small:</s>"), 1)


FIGURE = [("a b", "europe 's"), ("c", "after"), ("d", "racial"), ("e f g h", "house divided against itself")]
TAGS = ["NNP", "POS", "IN", "JJ", "NN", "VBN", "IN", "PRP"]


def test_boundaries_of_the_papers_figure(tmp_path: Path) -> None:
    """Haddow, Arun and Koehn (2011), figure 4, through the decoder, its lists and its trace."""
    words = " ".join(target for _, target in FIGURE).split()
    (tmp_path / "tags").write_text("".join(f"{word} {tag}\n" for word, tag in zip(words, TAGS, strict=True)))
    features = "PhraseBoundaryFeature name=pb target=1 target-classes=tags"
    weights = "pb_tgt:1:POS:IN= 3"
    config = write(tmp_path, features, weights, table=[f"{source} ||| {target} ||| 0.5" for source, target in FIGURE])
    system = load_system(config)
    best = Decoder(system).translate("a b c d e f g h", alternatives=True).n_best(1)
    expected = dict.fromkeys((f"pb_tgt:1:{pair}" for pair in ("<s>:NNP", "POS:IN", "IN:JJ", "JJ:NN", "PRP:</s>")), 1.0)
    assert sparse_of_derivation(system, best[0].phrases) == expected == trace_of(system, best[0])["sparse"]
    lists = read_n_best(n_best_lines(system, 0, best))
    named = lists.named(0)
    assert {name: row[0] for name, row in named.items() if name.startswith("pb_")} == expected
    assert list(named)[:3] == ["Distortion0", "LM", "pb_tgt:1:<s>:NNP"]
    dense = sum(row[0] * {"Distortion0": 0.3, "LM": 0.5, "TM": 1, "WordPenalty0": -1}.get(name, 0) for name, row in named.items())
    assert best[0].score == pytest.approx(dense + 3, abs=1e-5)


def test_boundaries_of_both_sides_and_words_without_a_class(tmp_path: Path) -> None:
    (tmp_path / "tags").write_text("is V\n")
    config = write(tmp_path, "PhraseBoundaryFeature name=pb source=0 target=0,1 target-classes=tags", table=TABLE[2:])
    assert values(config, "ist ja klein", "is small") == dict.fromkeys(
        (
            "pb_tgt:0:<s>:is", "pb_tgt:0:is:small", "pb_tgt:0:small:</s>", "pb_tgt:1:<s>:V", "pb_tgt:1:V:?", "pb_tgt:1:?:</s>",
            "pb_src:0:<s>:ist", "pb_src:0:ja:klein", "pb_src:0:klein:</s>",
        ),
        1,
    )  # fmt: skip


def test_weights_of_words_with_colons_are_those_of_their_names(tmp_path: Path) -> None:
    table = ["a ||| x: ||| 0.5", "a ||| x ||| 0.5", "b ||| :y ||| 0.5", "b ||| y ||| 0.5"]
    config = write(tmp_path, "PhraseBoundaryFeature name=pb target=0", "pb_tgt:0:x::y= 9", table=table)
    system = load_system(config)
    scores = {one.text: one.score for one in Decoder(system).translate("a b", alternatives=True).n_best(20, distinct=True)}
    assert {text for text, score in scores.items() if score > 0} == {"x: y", "x :y"}


def test_limits_of_tables_look_at_pairs_and_not_at_links(tmp_path: Path) -> None:
    """As Moses, which looks at what words are linked to once limits have chosen."""
    table = [f"a ||| {word} ||| {score} ||| 0-0" for word, score in (("x", 0.5), ("y", 0.4))]
    for name, best in (("pp_a~~y", "y"), ("wt_a~y", "x"), ("TM_own", "y")):
        features = "PhrasePairFeature name=pp unrestricted=1\nWordTranslationFeature name=wt"
        own = [table[0], f"{table[1]} ||| ||| own 1"] if name == "TM_own" else table
        config = write(tmp_path, features, f"{name}= 5", table=own)
        config.write_text(config.read_text().replace("path=table.gz", "path=table.gz table-limit=1"))
        derivation = Decoder(load_system(config)).translate("a").best()
        assert derivation is not None and derivation.text == best


def test_tables_of_one_way_have_one_pair_and_each_its_own_column(tmp_path: Path) -> None:
    table = ["a ||| x ||| 0.5 ||| 0-0 ||| ||| p 2"]
    config = write(tmp_path, "PhraseLengthFeature name=pl", "pl_s1= 1\nTM_p= 10\nTN_q= 100\nTN= 1", table=table)
    (tmp_path / "other.gz").write_bytes(gzip.compress(b"a ||| x ||| 0.25 ||| 0-0 ||| ||| q 3\n"))
    text = config.read_text().replace("KENLM", "PhraseDictionaryMemory name=TN num-features=1 path=other.gz\nKENLM")
    config.write_text(text.replace("[feature]", "[mapping]\n0 T 0\n0 T 1\n[feature]"))
    system = load_system(config)
    best = Decoder(system).translate("a").best()
    assert best is not None
    assert sparse_of_derivation(system, best.phrases) == {"pl_s1": 1, "pl_t1": 1, "pl_1,1": 1, "TM_p": 2, "TN_q": 3}
    without = write(tmp_path, "", "", table=["a ||| x ||| 0.125 ||| 0-0"])
    plain = Decoder(load_system(without)).translate("a").best()
    assert plain is not None and best.score == pytest.approx(plain.score + 1 + 20 + 300, abs=1e-9)


def test_weights_of_the_configuration_overrule_those_of_the_file(tmp_path: Path) -> None:
    config = write(tmp_path, "PhraseLengthFeature name=pl", "pl_s1= 7", "# none\npl_s1 1\npl_t1 -0.5\n")
    assert load_system(config).sparse_weights.by_name == {"pl_s1": 7.0, "pl_t1": -0.5}
    (tmp_path / "other").write_text("pl_s2 4\n")
    assert load_system(config, weight_file=tmp_path / "other").sparse_weights.by_name == {"pl_s1": 7.0, "pl_s2": 4.0}


@pytest.mark.parametrize("file", ["twi_= 1\n", "twi_= 1\nwt_a~= 2\n", "twi_id= 1\ntwi_a 2\n"])
def test_features_of_the_word_equals_have_weights(file: str, tmp_path: Path) -> None:
    config = write(tmp_path, "TargetWordInsertionFeature name=twi\nWordTranslationFeature name=wt", "", file)
    weights = {name: float(weight) for name, weight in map(str.split, file.splitlines())}
    assert load_system(config).sparse_weights.by_name == weights


@pytest.mark.parametrize(
    ("features", "weights", "file", "said"),
    [
        ("WordTranslationFeature name=wt source-context=1", "", "", "source-context=1 of WordTranslationFeature is not supported"),
        ("WordTranslationFeature name=wt simple=0", "", "", "simple=0 of WordTranslationFeature is not supported"),
        ("PhrasePairFeature domain-trigger=1", "", "", "domain-trigger=1 of PhrasePairFeature is not supported"),
        ("TargetWordInsertionFeature factor=1", "", "", "factor=1 of TargetWordInsertionFeature is not supported"),
        ("WordTranslationFeature source-path=table.gz", "", "", "give both, or none"),
        ("SourceWordDeletionFeature path=nowhere", "", "", "nowhere, does not exist"),
        ("PhraseLengthFeature name=p_l", "", "", "an underscore"),
        ("PhraseLengthFeature name=pl", "pl= 1", "", "pl has only sparse scores"),
        ("PhraseLengthFeature name=pl", "other_s1= 1", "", "weights of other_s1, but .* no such feature"),
        ("PhraseLengthFeature name=pl", "pl_s1= 1 2", "", "2 weights of pl_s1"),
        ("PhraseLengthFeature name=pl", "", "pl_s1 1\npl_s1 2\n", "line 2 of sparse.txt: pl_s1 has a weight already"),
        ("PhraseLengthFeature name=pl", "", "pl_s1 one\n", "line 1 of sparse.txt: expected"),
        ("", "", "TM_x 1\nTM_dom_web= 5\n", "line 2 of sparse.txt: TM_dom_web= ends in =, .*; expected: TM_dom_web and its weight"),
        ("PhraseLengthFeature name=pl", "", "pl_s1= 1\n", "line 1 of sparse.txt: pl_s1= ends in ="),
        ("TargetWordInsertionFeature name=twi", "", "# all\ntwi_~= 1\ntwi_a= 1\n", "line 3 of sparse.txt: twi_a= ends in ="),
        ("PhraseLengthFeature name=pl", "", "LM_s1 1\n", "sparse.txt has weights of LM_s1"),
        ("PhraseBoundaryFeature name=pb", "", "", "pb has neither side"),
        ("PhraseBoundaryFeature name=pb target=1", "", "", "pb takes target-classes=FILE"),
        ("PhraseBoundaryFeature name=pb target=2", "", "", "target of pb is 0"),
        ("TargetBigramFeature name=tb factor=0", "", "", "tb has no word list"),
        ("TargetNgramFeature name=tn", "", "", "the feature TargetNgramFeature is not supported"),
    ],
)
def test_what_is_not_done_is_refused_by_name(features: str, weights: str, file: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said.replace("|", r"\|")):
        load_system(write(tmp_path, features, weights, file))


def test_tables_that_have_no_room_for_them(tmp_path: Path) -> None:
    config = write(tmp_path, "PhraseLengthFeature name=pl", table=TABLE[1:])
    write_compact(tmp_path / "table.gz", tmp_path / "table.compact")
    config.write_text(config.read_text().replace("path=table.gz", "path=table.compact"))
    with pytest.raises(InputError, match="compact and lacks source words for pl"):
        load_system(config)
    write(tmp_path, "")
    with pytest.raises(InputError, match="has sparse features; a compact table cannot hold them"):
        write_compact(tmp_path / "table.gz", tmp_path / "other.compact")
    for own in ("x", "x y", "x 1 x 2", "x inf"):
        with pytest.raises(InputError, match=r"line 1 of table\.gz: "):
            load_system(write(tmp_path, "", table=[f"a ||| b ||| 0.5 ||| ||| ||| {own}"]))
