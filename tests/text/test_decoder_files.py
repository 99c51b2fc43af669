"""Logs, search graphs and QuEst's XML of a decoder: counts against counts by hand, by other tools, and by definition."""

import gzip
import io
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.text.reading.decoder_files import read_decoder_files
from app.text.reading.decoder_files.search_graph import is_search_graph
from app.text.reading.lines import TextFile
from app.text.reading.n_best_files import read_lists
from tests.conftest import SHARED

# Statistics of a sentence as version 4 of Moses writes them: labels are right-aligned, times follow.
STATISTICS = """\
total hypotheses considered = {0}
    number popped from cube = 7
           number not built = 12
     number discarded early = 11
           number discarded = {1}
          number recombined = {2}
              number pruned = {3}
time to collect opts    0.001 (4%)
        create hyps     0.002 (9%)
        other           0.010 (40%)
total source words = 4
     words deleted = 0 ()
    words inserted = 0 ()
"""
NUMBERED = """\
Line {0}: Initialize search took 0.000 seconds total
Translating: das ist ein Haus
Line {0}: Collecting options took 0.000 seconds at moses/Manager.cpp Line 141
Line {0}: Search took 0.000 seconds
"""
BEST = (
    "BEST TRANSLATION: {0} [1111]  [total=-103.127] core=(-100.000,-4.000,2.000)  \nLine 0: Additional reporting took 0.0 seconds\n"
)
DECISION = "Line {0}: Decision rule took 0.000 seconds total\n"
HAUS = "this is a Haus|UNK|UNK|UNK"


def log_of(*sentences: tuple[Any, ...], numbered: bool = True) -> str:
    """A log of sentences, each with four statistics and a best translation."""
    parts = ["Defined parameters (per moses.ini or switch):\n\tconfig: moses.ini\n"]
    for number, (*statistics, best) in enumerate(sentences):
        parts.append(
            NUMBERED.format(number) if numbered else "Translating: das ist ein Haus\n\nCollecting options took 0 seconds\n"
        )
        parts += [STATISTICS.format(*statistics), BEST.format(best)]
        parts += [DECISION.format(number)] if numbered else ["Translation took 0.0 seconds\n"]
    return "".join(parts)


def read(**texts: str) -> dict[str, Any]:
    return read_decoder_files({role: TextFile(role, text.encode()) for role, text in texts.items()}).as_json()


def refusal(**texts: str) -> InputError:
    with pytest.raises(InputError) as refused:
        read(**texts)
    return refused.value


@pytest.mark.parametrize("numbered", [True, False])
def test_a_log_by_hand(numbered: bool) -> None:
    log = log_of((442, 146, 109, 20, HAUS), (0, 0, 0, 0, "a|UNK|UNK|UNK b|UNK|UNK|UNK UNK"), numbered=numbered)
    assert read(moses_log=log)["search"] == [
        {"hypotheses": 442, "discarded": 146, "recombined": 109, "pruned": 20, "unknown_words": 1},
        {"hypotheses": 0, "discarded": 0, "recombined": 0, "pruned": 0, "unknown_words": 2},
    ]


@given(
    st.lists(st.tuples(*[st.integers(0, 10**9)] * 4, st.sampled_from([HAUS, "a house", ""])), min_size=1, max_size=5), st.booleans()
)
def test_a_log_has_what_regular_expressions_find(sentences: list[tuple[Any, ...]], numbered: bool) -> None:
    log = log_of(*sentences, numbered=numbered)
    rows = read(moses_log=log)["search"]
    for name, pattern in {
        "hypotheses": r"hypotheses considered = (\d+)",
        "discarded": r"number discarded = (\d+)",
        "recombined": r"number recombined = (\d+)",
        "pruned": r"number pruned = (\d+)",
    }.items():
        assert [row[name] for row in rows] == [int(number) for number in re.findall(pattern, log)]
    bests = re.findall(r"^BEST TRANSLATION: (.*)$", log, re.MULTILINE)
    assert [row["unknown_words"] for row in rows] == [best.count("|UNK|UNK|UNK") for best in bests]


def test_what_a_log_lacks_is_missing() -> None:
    # -verbose 1 has no statistics, minimum Bayes risk no best translation, and the chart decoder names its last rule alone.
    chart = "BEST TRANSLATION: 24 TOP -> S </s>  :1-1 : pC=-0.2, c=-2.1 [0..6] 3 [total=-7.2] <<2.0, -1.1>>\n"
    assert read(moses_log=NUMBERED.format(0) + BEST.format(HAUS))["search"] == [{"unknown_words": 1}]
    assert (
        read(moses_log=STATISTICS.format(1, 2, 3, 4) * 2)["search"]
        == [{"hypotheses": 1, "discarded": 2, "recombined": 3, "pruned": 4}] * 2
    )
    assert "search" not in read(moses_log=chart)
    assert "search" not in read(moses_log="NO BEST TRANSLATION\n")
    assert read(moses_log=log_of((1, 2, 3, 4, HAUS)) + NUMBERED.format(1) + "NO BEST TRANSLATION\n")["search"][1] == {}


@pytest.mark.parametrize(
    ("log", "line", "words"),
    [
        (NUMBERED.format(0) + NUMBERED.format(1), 8, "-threads 1"),
        (NUMBERED.format(0) + STATISTICS.format(1, 2, 3, 4) * 2, 18, "-threads 1"),
        (NUMBERED.format(0) + STATISTICS.format(1, "2total", 3, 4), 9, "whole number"),
        (log_of((1, 2, 3, 4, HAUS)) + DECISION.format(0) + STATISTICS.format(1, 2, 3, 4), 24, "-threads 1"),
        (log_of((1, 2, 3, 4, HAUS)) * 2, 28, "twice"),
        ("number pruned = 4\n", 1, "-threads 1"),
    ],
)
def test_sentences_that_overlap_are_refused_by_line(log: str, line: int, words: str) -> None:
    error = refusal(moses_log=log)
    assert (error.code, error.where) == ("invalid-table", ("moses_log", line))
    assert f"line {line} of moses_log" in error.detail and words in error.detail


def test_logs_without_sentences_and_with_gaps_are_refused() -> None:
    assert refusal(moses_log="Defined parameters\n").code == "empty-input"
    error = refusal(moses_log=NUMBERED.format(1) + BEST.format(HAUS))
    assert error.code == "unequal-lengths" and "number 0" in error.detail


# The words of a German sentence are covered from left to right; 3 is the better of two complete hypotheses. Line 5 is of Moses'
# own script sg2dot.perl, with its numbers changed.
GRAPH = """\
0 hyp=0 stack=0 forward=1 fscore=-3.2
0 hyp=1 stack=1 back=0 score=-1 transition=-1 forward=3 fscore=-2.2 covered=0-0 out=this
0 hyp=2 stack=1 back=0 score=-1.5 transition=-1.5 forward=4 fscore=-2.3 covered=0-0 out=that thing
0 hyp=5 stack=3 back=1 score=-3.5 transition=-2.5 recombined=3 forward=-1 fscore=0 covered=1-2 out=is a b c d
0 hyp=3 stack=3 back=1 score=-3.2 transition=-2.2 forward=-1 fscore=0 covered=1-2 out=is a house , pC=-0.640574, c=-1.07215
0 hyp=4 stack=3 back=2 score=-3.8 transition=-2.3 forward=-1 fscore=0 covered=1-2 out=was
"""


def test_a_graph_by_hand() -> None:
    assert read(search_graph=GRAPH)["search"] == [{"nodes": 6, "recombined": 1, "phrases": 2, "longest_phrase": 3}]
    # Without complete hypotheses there are no phrases; an empty sentence has none.
    assert read(search_graph="0 hyp=0 stack=0\n1 hyp=0 stack=0 forward=-1 fscore=0\n")["search"] == [
        {"nodes": 1, "recombined": 0},
        {"nodes": 1, "recombined": 0, "phrases": 0, "longest_phrase": 0},
    ]


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ('"ein Haus|a small house"', 3),
        ('"ein Haus|"', 0),
        ('"ein|ART Haus|N|a|DT small|J house|N"', 3),
        ('"ein|ART Haus|N|"', 0),
        ("a small|J house", 3),
        ("", 0),
    ],
)
def test_phrases_of_the_extended_form(out: str, words: int) -> None:
    scores = ' scores="core=(0.0, -1.0 , out) LM0= -3"' if out.startswith('"') else ""
    line = f"0 hyp=1 stack=2 back=0 score=-1 transition=-1 forward=-1 fscore=0 covered=0-1{scores} out={out}\n"
    assert read(search_graph="0 hyp=0 stack=0\n" + line)["search"][0]["longest_phrase"] == words


@st.composite
def graphs(draw: st.DrawFn) -> tuple[str, dict[str, float]]:
    """A graph of random hypotheses, and the counts of its best path by brute force over all paths."""
    size = draw(st.integers(1, 12))
    backs = [0, *(draw(st.integers(0, k)) for k in range(size))]
    words = [0, *(draw(st.integers(0, 4)) for _ in range(size))]
    scores = [0, *(draw(st.integers(-99, 0)) for _ in range(size))]
    ends = [False, *(draw(st.booleans()) for _ in range(size))]
    lines = ["0 hyp=0 stack=0 forward=1 fscore=0"]
    for k in range(1, size + 1):
        forward = -1 if ends[k] else 1
        out = " ".join(["w"] * words[k])
        lines.append(
            f"0 hyp={k} stack={k} back={backs[k]} score={scores[k]} transition=-1 forward={forward} fscore=0 covered=0-0 out={out}"
        )
    counts: dict[str, float] = {"nodes": size + 1, "recombined": 0}
    complete = [k for k in range(size + 1) if ends[k]]
    if complete:
        best = max(complete, key=lambda k: (scores[k], -k))
        path = []
        while best:
            path.append(words[best])
            best = backs[best]
        counts |= {"phrases": len(path), "longest_phrase": max(path)}
    return "\n".join(lines) + "\n", counts


@given(graphs())
def test_phrases_of_the_best_path(graph: tuple[str, dict[str, float]]) -> None:
    text, counts = graph
    assert read(search_graph=text)["search"] == [counts]
    assert is_search_graph(text.split("\n", 1)[0])


@pytest.mark.parametrize(
    ("graph", "line", "words"),
    [
        (GRAPH + "0 hyp=9 stack=1\n", 7, "expected"),
        ("hello\n", 1, "expected"),
        (GRAPH + GRAPH.splitlines()[5] + "\n", 7, "twice"),
        (GRAPH + "0 hyp=9 stack=3 back=8 score=-1 transition=-1 forward=-1 fscore=0 covered=0-0 out=x\n", 7, "hypothesis 8"),
        (GRAPH + "1 hyp=0 stack=0\n" + "0 hyp=9 stack=0\n", 8, "stand apart"),
        (GRAPH.replace("score=-1 ", "score=nan "), 2, "expected"),
    ],
)
def test_graphs_are_refused_by_line(graph: str, line: int, words: str) -> None:
    error = refusal(search_graph=graph)
    assert (error.code, error.where) == ("invalid-table", ("search_graph", line))
    assert words in error.detail


XML = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<text>
    <Sentence discarded="146" index="0" notBuilt="0" pruned="20" recombined="109" totalHypotheses="442" unknown="3">
        <phrase end="1" start="0" text="this is"/>
        <phrase end="3" start="2" text="a small house"/>
        <translation dist_feat_1="-2.0" dist_feat_2="-0.5" lm_features="-9.5" phrase_prob_feat_1="-1" phrase_prob_feat_2="null"
            prob="-4.25" rank="1" text=" this is a small home " word_penalty_feature="-5"/>
        <translation dist_feat_1="0.0" dist_feat_2="-0.25" lm_features="-8.5" phrase_prob_feat_1="-3" phrase_prob_feat_2="null"
            prob="-4" rank="0" text=" this is a small house " word_penalty_feature="-5"/>
    </Sentence>
    <Sentence index="1"/>
</text>
"""


def test_the_xml_of_quest_by_hand() -> None:
    columns = read(n_best=XML)
    first, second = columns["n_best"][0]
    assert (first["text"], first["score"]) == ("this is a small house", -4)
    assert first["features"] == {"d": [0, -0.25], "lm": [-8.5], "w": [-5], "tm": [-3]}
    assert second["features"] == {"d": [-2, -0.5], "lm": [-9.5], "w": [-5], "tm": [-1]}
    counts = {"hypotheses": 442, "discarded": 146, "recombined": 109, "pruned": 20, "phrases": 2, "longest_phrase": 3}
    assert columns["search"] == [counts, {}]
    assert columns["n_best"][1] == []


@pytest.mark.parametrize(
    ("xml", "code", "words"),
    [
        (XML[:-8], "invalid-document", "is not XML"),
        (XML.replace("<text>", '<!DOCTYPE text [<!ENTITY a "b">]><text>', 1), "unsafe-document", "document type"),
        (XML.replace('index="1"', 'index="3"'), "invalid-document", "line 11 of n_best"),
        (XML.replace('"-4.25"', '"x"'), "invalid-document", "prob"),
        (XML.replace('"-9.5"', '"nan"'), "invalid-document", "lm_features"),
        (XML.replace('"146"', '"-1"'), "invalid-document", "discarded"),
        ("<text/>", "empty-input", "Sentence"),
        ('<t><Sentence index="0"/>\n<translation prob="-1" text="a"/></t>', "invalid-document", "line 2"),
        ("<text>" + "<a>" * 20, "invalid-document", "deep"),
        ("<text><translation/></text>", "invalid-document", "outside"),
        ('<text a="' + "b" * (1 << 25) + '"/>', "segment-too-long", "bytes"),
    ],
)
def test_bad_xml_is_refused_by_line(xml: str, code: str, words: str) -> None:
    error = refusal(n_best=xml)
    assert error.code == code and words in error.detail


def test_spans_between_phrases_make_counts() -> None:
    lines = "0 ||| a strategy |0-1| to hinder it |3-4| ||| d= 0 ||| -3\n1 ||| a b ||| d= 0 ||| -2 ||| 0=0 1-2=1\n"
    assert read(n_best=lines)["search"] == [{"phrases": 2, "longest_phrase": 3}, {"phrases": 2, "longest_phrase": 1}]
    assert "search" not in read(n_best="0 ||| c ||| d= 0 ||| -2 ||| 0-0\n")


def test_files_join_with_the_log_first() -> None:
    log = log_of((442, 146, 109, 20, HAUS))
    joined = read(moses_log=log, search_graph=GRAPH, n_best="0 ||| a |0-1| ||| d= 0 ||| -3\n")
    assert joined["search"] == [
        {
            "phrases": 2, "longest_phrase": 3, "nodes": 6, "recombined": 109, "hypotheses": 442, "discarded": 146, "pruned": 20,
            "unknown_words": 1,
        }
    ]  # fmt: skip
    error = refusal(moses_log=log, search_graph=GRAPH + GRAPH.replace("0 hyp", "1 hyp"))
    assert error.code == "unequal-lengths" and "search_graph of 2, moses_log of 1" in error.detail
    many = "".join(f"0 ||| a ||| d= 0 ||| -{k}\n" for k in range(1001))
    assert "at most 1000" in refusal(n_best=many).detail


def test_files_are_read_as_streams_of_bounded_lines() -> None:
    log = log_of((442, 146, 109, 20, HAUS)).encode()
    for content in (gzip.compress(log), io.BytesIO(log), io.BufferedReader(io.BytesIO(log))):
        assert read_decoder_files({"moses_log": TextFile("x", content)}).as_json()["search"][0]["pruned"] == 20
    with pytest.raises(InputError) as refused:
        read_decoder_files({"moses_log": TextFile("x", log + b"a" * 5000, 4000)})
    assert refused.value.where == ("x", log.count(b"\n") + 1)


def test_a_real_list_of_moses_stays_what_it_is() -> None:
    path = SHARED / "data" / "moses-nbest" / "nbest.out.gz"
    if not path.exists():
        pytest.skip("the shared n-best list of Moses is not on this machine")
    lists = read_lists([path], merge=False).lists
    columns = read_decoder_files({"n_best": Path(path)}).as_json()
    assert columns == {"n_best": lists.as_json()}


@pytest.mark.parametrize("name", ["bogus", "hex", "utf-7", "big5", "idna"])
def test_a_declared_encoding_is_never_looked_up(name: str) -> None:
    assert read(n_best=XML.replace("UTF-8", name)) == read(n_best=XML)
