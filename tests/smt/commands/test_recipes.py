"""Every command line of the recipes for Moses, OPUS-MT and LibreTranslate, on small files of the forms that those tools document."""

import json
import math
import re
import runpy
import shlex
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

from app.settings import ROOT
from app.shell.program import run
from tests.servers import Server

EXAMPLES = ROOT / "examples"
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
# These would load what ships; the answers of a server are the same.
BY_SERVER = {"quality", "words", "annotate", "features"}
Typed = Callable[[str], tuple[int, str, str]]

SOURCES = ["Casa este mare.", "Nu știu unde este gara."]
REFERENCES = ["The house is large.", "I do not know where the station is."]
OUTPUT = ["The house is big.", "I do not know where the railway is."]
# As Moses prints it: blanks around the bars, one number a segment, LM and phrase scores by name; and an alignment in the second list.
N_BEST = """\
0 ||| the house is big .  ||| Distortion0= 0 LM0= -21.4 WordPenalty0= -5 PhrasePenalty0= 3 ||| -1.85
0 ||| the house is is .  ||| Distortion0= 0 LM0= -23.9 WordPenalty0= -5 PhrasePenalty0= 3 ||| -2.46
1 ||| I do not know where the station is .  ||| Distortion0= -2 LM0= -38.2 WordPenalty0= -9 PhrasePenalty0= 5 ||| -3.90
"""
SCORES = [
    [-0.21034, -0.10536, -0.05129, -0.35667, -0.0202, -0.01005],
    [-0.5, -0.25, -0.125, -1.0, -2.0, -0.5, -0.25, -0.0625, 0.0, -0.03125],
]
PIECES = ["▁The ▁house ▁is ▁big .", "▁I ▁do ▁not ▁know ▁where ▁the ▁station ▁is ."]
DECODED = ["The house is big.", "I do not know where the station is."]
WORD_SCORES = ["WordScores= " + " ".join(f"{score:.5f}" for score in row) for row in SCORES]


def files() -> dict[str, list[str]]:
    tokenised = [re.sub(r"\.$", " .", line) for line in REFERENCES]
    return {
        "source.txt": SOURCES,
        "reference.txt": REFERENCES,
        "reference.tok": tokenised,
        "output.tok": [re.sub(r"\.$", " .", line) for line in OUTPUT],
        "production.txt": ["House big.", "I know not where is railway."],
        "run.nbest": N_BEST.splitlines(),
        "output.txt": OUTPUT,
        "marian.txt": [f"{text} ||| {scores}" for text, scores in zip(PIECES, WORD_SCORES, strict=True)],
        "whole_words.txt": [f"{text} ||| 0-0 1-1 ||| {scores}" for text, scores in zip(DECODED, WORD_SCORES, strict=True)],
        "list.txt": [
            f"{number} ||| {text} ||| {scores} ||| {total}"
            for number, text, scores, total in (
                (0, PIECES[0], WORD_SCORES[0], "F0= -0.75375 ||| -0.12562"),
                (0, "▁House ▁big .", "WordScores= -1.5 -0.25 -0.5 -0.125", "F0= -2.375 ||| -0.59375"),
                (1, PIECES[1], WORD_SCORES[1], "F0=-4.71875 ||| -0.471875"),
            )
        ],
    }


class LibreTranslate(BaseHTTPRequestHandler):
    """`POST /translate` as its interface says: text for text, list for list, errors as a sentence."""

    WORDS = dict(zip(SOURCES, DECODED, strict=True))
    asked: list[dict[str, Any]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        status, answer = self.answer(body)
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        assert self.path == "/translate" and body["format"] == "text"
        if (body["source"], body["target"]) != ("ro", "en"):
            return 400, {"error": f"{body['target']} is not supported"}
        q = body["q"]
        return 200, {"translatedText": [self.WORDS[text] for text in q] if isinstance(q, list) else self.WORDS[q]}

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def libretranslate() -> Iterator[str]:
    LibreTranslate.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), LibreTranslate) as stub:
        thread = threading.Thread(target=stub.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{stub.server_port}"
        stub.shutdown()
        thread.join()


@pytest.fixture
def typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], server: Server, libretranslate: str
) -> Typed:
    """A line as somebody types it in the folder of a recipe: `assay`, or `python` and a script, and maybe ``> FILE``."""
    for name, lines in files().items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_FORMAT", raising=False)
    monkeypatch.setenv("ASSAY_SERVER", server.address)
    monkeypatch.setenv("LIBRETRANSLATE_URL", libretranslate)

    def call(line: str) -> tuple[int, str, str]:
        command, _, written = line.partition(" > ")
        program, *arguments = shlex.split(command)
        if program == "assay" and arguments[0] in BY_SERVER:
            arguments += ["--server", server.address]
        capsys.readouterr()
        try:
            if program == "assay":
                monkeypatch.setattr(sys, "argv", [program, *arguments])
                run()
            else:
                assert program == "python", line
                (script,) = EXAMPLES.glob(f"*/{arguments[0]}")
                monkeypatch.setattr(sys, "argv", arguments)
                runpy.run_path(str(script), run_name="__main__")
            code: int | str | None = 0
        except SystemExit as end:
            code = end.code
        told = capsys.readouterr()
        if written:
            Path(written).write_text(told.out, "utf-8")
        # What sys.exit is given as a sentence, Python says on stderr and ends with 1.
        return (1, told.out, code) if isinstance(code, str) else (code or 0, told.out, told.err)

    return call


def lines_of(recipe: str) -> list[str]:
    text = (EXAMPLES / recipe / "README.md").read_text("utf-8")
    return [line for block in BLOCK.findall(text) for line in block.splitlines()]


def test_the_readme_names_every_recipe() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert all(f"(examples/{recipe}/README.md)" in text for recipe in ("moses", "opus-mt", "libretranslate", "weblate", "eole"))


def test_moses(typed: Typed) -> None:
    out: dict[str, str] = {}
    for line in lines_of("moses"):
        code, out[line], err = typed(line)
        assert code == 0, f"{line}\n{err}"
    raw, tokenised = (
        next(text for line, text in out.items() if line.endswith(end)) for end in ("chrf ter", "output.tok -m bleu -tok none")
    )
    expected = sacrebleu.corpus_bleu(OUTPUT, [REFERENCES]).score
    assert f"{expected:.2f}" in raw
    lists = files()
    assert (
        f"{sacrebleu.corpus_bleu(lists['output.tok'], [lists['reference.tok']], tokenize='none', force=True).score:.2f}"
        in tokenised
    )
    scored = Path("scored.nbest").read_text("utf-8")
    assert re.sub(r" Assay= 0\.\d+", "", scored) == N_BEST
    (shown,) = re.findall(r"^0 \|\|\| .*$", (EXAMPLES / "moses" / "README.md").read_text("utf-8"), re.MULTILINE)
    assert scored.splitlines()[0] == shown
    given = [float(number) for number in re.findall(r"Assay= (0\.\d+)", scored)]
    assert len(given) == 3
    first = 0 if given[0] >= given[1] else 1
    assert Path("chosen.tok").read_text("utf-8").splitlines() == [
        N_BEST.splitlines()[k].split(" ||| ")[1].strip() for k in (first, 2)
    ]
    header, *rows = next(text for line, text in out.items() if line.startswith("assay features")).splitlines()
    # The decoder's own total of the first translation, and how many hypotheses there are.
    assert [row.split("\t")[header.split("\t").index("2003")] for row in rows] == ["2.0", "1.0"]
    assert [row.split("\t")[0] for row in rows] == ["-1.85", "-3.9"]


def test_the_gate_of_the_recipe_can_fail(typed: Typed) -> None:
    """A hundred segments, so that a worse system is significantly worse."""
    for name, line in (
        ("reference.txt", "the house is big today ."),
        ("production.txt", "the house is big today ."),
        ("output.txt", "x y z ."),
    ):
        Path(name).write_text(f"{line}\n" * 100, "utf-8")
    (gate,) = [line for line in lines_of("moses") if "--fail-if-worse" in line]
    code, _, err = typed(gate)
    assert code == 1 and "new" in err


@pytest.mark.parametrize(
    ("line", "reason"), [("0 ||| a ||| F0= 1 ||| 1", "no hypothesis with Assay="), ("a b", "no hypothesis with Assay=")]
)
def test_only_a_scored_list_is_chosen_from(typed: Typed, line: str, reason: str) -> None:
    Path("scored.nbest").write_text(f"{line}\n", "utf-8")
    code, _, err = typed("python best.py scored.nbest")
    assert code == 1 and reason in err


def test_opus_mt(typed: Typed) -> None:
    Path("output.txt").write_bytes(Path("marian.txt").read_bytes())
    for line in lines_of("opus-mt"):
        code, out, err = typed(line)
        assert code == 0, f"{line}\n{err}"
        if line.startswith("python"):
            assert Path("translation.txt").read_text("utf-8").splitlines() == DECODED
            assert [[float(word) for word in row.split()] for row in Path("log_probs.txt").read_text().splitlines()] == SCORES
            if "tokens.txt" in line:
                assert Path("tokens.txt").read_text("utf-8").splitlines() == PIECES
        elif "json" in line:
            answer = json.loads(out)
            # 105 features are the 95 of the texts and ten of the log-probabilities.
            assert answer["model"] == "ro-en-hter-blend-105" and len(answer["segments"]) == 2
    code, out, _ = typed(
        "assay features source.txt translation.txt --pair ro-en --log-probs log_probs.txt --feature-set nmt-glassbox-10 --format tsv"
    )
    header, *rows = out.splitlines()
    means = [float(row.split("\t")[header.split("\t").index("nmt.mean")]) for row in rows]
    assert code == 0 and means == pytest.approx([math.fsum(row) / len(row) for row in SCORES])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("▁The ▁house", "line 1 has no WordScores=; run marian-decoder with --word-scores"),
        ("▁a ||| WordScores= 0.5 -1", "line 1 has a score above 0"),
        ("▁a ||| WordScores= x", "line 1: could not convert"),
        ("The house is ||| WordScores= -1 -1 -1 -1 -1 -1", "its pieces were joined, leave TOKENS out"),
        ("2 ||| ▁a ||| WordScores= -1 -1 ||| F0= -2 ||| -1", "segment 2 follows segment -1"),
    ],
)
def test_what_marian_did_not_write_is_refused(typed: Typed, line: str, reason: str) -> None:
    Path("output.txt").write_text(f"{line}\n", "utf-8")
    code, _, err = typed("python word_scores.py output.txt translation.txt log_probs.txt tokens.txt")
    assert code == 1 and err.startswith("output.txt: ") and reason in err
    assert not Path("translation.txt").exists()


def test_pieces_of_bpe_are_joined(typed: Typed) -> None:
    Path("output.txt").write_text("the hou@@ se ||| WordScores= -1 -2 -3 -4\n", "utf-8")
    assert typed("python word_scores.py output.txt translation.txt log_probs.txt tokens.txt")[0] == 0
    assert Path("translation.txt").read_text() == "the house\n" and Path("tokens.txt").read_text() == "the hou@@ se\n"


def test_libretranslate(typed: Typed, server: Server, libretranslate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBRETRANSLATE_KEY", "k")
    for line in lines_of("libretranslate"):
        if line.startswith("curl"):
            continue
        code, _, err = typed(line)
        assert code == 0, f"{line}\n{err}"
    rows = [line.split("\t") for line in Path("scored.tsv").read_text("utf-8").splitlines()]
    segments = [{"source": source, "translation": text} for source, text in zip(SOURCES, DECODED, strict=True)]
    with server.client() as client:
        answer = client.post("/v1/quality", json={"source_language": "ro", "target_language": "en", "segments": segments}).json()
    scores = [[f"{row['score']:.4f}", f"{row['confidence']:.4f}"] for row in answer["segments"]]
    expected = [[source, text, *score] for source, text, score in zip(SOURCES, DECODED, scores, strict=True)]
    assert rows == [["source", "translation", "score", "confidence"], *expected]
    assert LibreTranslate.asked == [{"q": SOURCES, "source": "ro", "target": "en", "format": "text", "api_key": "k"}]


def test_the_call_by_hand(libretranslate: str) -> None:
    text = (EXAMPLES / "libretranslate" / "README.md").read_text("utf-8")
    (body,) = re.findall(r"^curl -s localhost:5000/translate -H '[^']+' -d '(.*)'$", text, re.MULTILINE)
    (shown,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    request = urllib.request.Request(f"{libretranslate}/translate", body.encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        assert json.load(answer) == json.loads(shown)


def test_lines_are_asked_by_parts_and_empty_ones_are_rows(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBRETRANSLATE_TEXTS", "2")
    Path("source.txt").write_text(f"{SOURCES[0]}\n\n{SOURCES[1]}\n", "utf-8")
    code, out, err = typed("python translate.py ro en source.txt > scored.tsv")
    assert code == 0, err
    assert [row.split("\t")[0] for row in out.splitlines()] == ["source", SOURCES[0], "", SOURCES[1]]
    assert [body["q"] for body in LibreTranslate.asked] == [[SOURCES[0]], [SOURCES[1]]]


def test_what_a_server_refuses_is_a_sentence(typed: Typed, libretranslate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, err = typed("python translate.py ro xx source.txt")
    assert (code, err) == (1, f"{libretranslate}/translate answers 400: xx is not supported")
    monkeypatch.setenv("LIBRETRANSLATE_URL", "http://127.0.0.1:1")
    code, _, err = typed("python translate.py ro en source.txt")
    assert code == 1 and err.startswith("http://127.0.0.1:1/translate does not answer: ")
    code, _, err = typed("python translate.py ro en nowhere.txt")
    assert (code, err) == (1, "nowhere.txt cannot be read: No such file or directory")
