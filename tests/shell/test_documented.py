"""Every command line of docs/reference/commands.md, docs/smt/tuning.md and the README runs: in this process, on small files, or by a server.

What stands in capitals for somebody's own (FILE, ID) is put in place, `--server` is added where a command would load all that ships, and a
cheaper learner where it trains. A line with something else that has no place here fails, and so does one that is refused.
"""

import gzip
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import TypeVar

import pytest

from app.scale.engines import engine_of
from app.settings import ROOT
from app.shell.here import engine_here, settings_here
from app.shell.program import run
from scripts.reference.commands import commands, examples
from tests.servers import Server, small_house

# Commands with a body of their own, by their path.
COMMANDS = {" ".join(path) for path, command in commands() if not getattr(command, "commands", None)}
T = TypeVar("T")
Run = Callable[[list[str]], tuple[int, str, str]]
FENCE = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)

WORDS = {
    "ro": ["casa", "orașul", "drumul", "podul", "copilul", "câinele", "pomul", "omul"],
    "en": ["house", "city", "road", "bridge", "child", "dog", "tree", "man"],
    "fr": ["maison", "ville", "route", "fenêtre", "fille", "chienne", "forêt", "femme"],
}
KINDS = {
    "ro": ["mare", "mic", "vechi", "nou", "alb"],
    "en": ["big", "small", "old", "new", "white"],
    "fr": ["grande", "petite", "vieille", "nouvelle", "blanche"],
}
WHERE = {
    "ro": ["aici", "acolo", "acasă", "jos"],
    "en": ["here", "there", "at home", "below"],
    "fr": ["ici", "là-bas", "chez nous", "en dessous"],
}
SENTENCES = {"ro": "{} este {} {}", "en": "the {} is {} and stands {}", "fr": "la {} est {} et se trouve {}"}


def sentences(language: str) -> list[str]:
    form = SENTENCES[language]
    return [form.format(*words) for words in product(WORDS[language], KINDS[language], WHERE[language])]


PAIRS = list(zip(sentences("ro"), sentences("en"), strict=True))
LABELS = [(k % 7) / 10 for k in range(len(PAIRS))]
SENTENCE = [("the", "DET", 2), ("house", "NOUN", 4), ("is", "AUX", 4), ("big", "ADJ", 0), (".", "PUNCT", 4)]
CONLLU = "".join(
    f"{k}\t{word}\t{word}\t{tag}\t_\t_\t{head}\t{'root' if not head else 'dep'}\t_\t_\n"
    for k, (word, tag, head) in enumerate(SENTENCE, 1)
)
ANNOTATION = {
    "user_id": "calm-river-012",
    "item_i": 0,
    "item": [{"item_id": "1", "src": "casa", "tgt": {"old": "house"}}],
    "annotation": [{"old": {"score": 90, "error_spans": []}}],
}
XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file original="a" source-language="ro" target-language="en" datatype="x">
<body><trans-unit id="1"><source>Casa este mare.</source><target>The house is big.</target></trans-unit></body></file></xliff>
"""
ARPA = """\\data\\
ngram 1=4
ngram 2=2

\\1-grams:
-1\t<unk>\t0
0\t<s>\t-0.3
-0.6\t</s>\t0
-0.2\tcasa\t-0.3

\\2-grams:
-0.1\t<s> casa
-0.2\tcasa </s>

\\end\\
"""


def table(columns: str, rows: list[tuple[object, ...]]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in [tuple(columns.split()), *rows])


def memory(pairs: list[tuple[str, str]]) -> str:
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{ours}</seg></tuv><tuv xml:lang="fr"><seg>{theirs}</seg></tuv></tu>' for ours, theirs in pairs
    )
    header = (
        'srclang="en" segtype="sentence" adminlang="en" creationtool="x" creationtoolversion="1" o-tmf="x" datatype="plaintext"'
    )
    return f'<?xml version="1.0" encoding="UTF-8"?><tmx version="1.4"><header {header}/><body>{units}</body></tmx>'


def n_best_of(lines: list[str]) -> str:
    """Two hypotheses a segment, with two features."""
    return "".join(
        f"{k} ||| {line} ||| lm= {-k % 5} w= {-len(line)} ||| {-k % 5}\n{k} ||| {line} here ||| lm= {-k % 3} w= {-len(line) - 5} ||| -5\n"
        for k, line in enumerate(lines)
    )


def texts() -> dict[str, str]:
    """What lies in the folder where commands are typed."""
    right = [english for _, english in PAIRS]
    spoilt = [line if k % 3 else line.replace("the", "a") for k, line in enumerate(right)]
    labelled = [(*pair, label, label) for pair, label in zip(PAIRS, LABELS, strict=True)]
    french = list(zip(sentences("en"), sentences("fr"), LABELS, strict=True))
    lines = {
        "ref.txt": right,
        "candidate.txt": right,
        "out.txt": right,
        "prod.txt": spoilt,
        "links.txt": ["0-0 1-1"] * len(PAIRS),
        "orders.txt": ["3 0 1 2"] * len(PAIRS),
        "corpora": [("first", "second")[k % 2] for k in range(len(PAIRS))],
        "tree-links.txt": ["0-0 1-1 2-2 3-3"] * 20,
        "source.txt": [ours for ours, _ in PAIRS],
    }
    return {
        **{name: "".join(f"{line}\n" for line in content) for name, content in lines.items()},
        "pairs.tsv": table("source translation", list(PAIRS[:2])),
        "lm.arpa": (ROOT / "tests" / "resources" / "data" / "model.arpa").read_text("utf-8"),
        "recipe.yaml": "steps:\n- resources align: {source: ref.txt, target: out.txt, links: links}\n",
        "counts": "a\t5\nlittle\t4\na little\t3\n",
        # Words given words: "the" is the likeliest of both that it is given.
        "lex.f2e": "the casa 0.7\nhouse casa 0.3\nthe mare 0.6\nbig mare 0.4\n",
        "lex.e2f": "casa the 0.5\nmare the 0.5\ncasa house 1.0\nmare big 1.0\n",
        "labels.tsv": table("source translation label hter", labelled),
        "labelled.tsv": table("source translation hter", french),
        "train.tsv": table("source target", [(ours, theirs) for ours, theirs, _ in french]),
        "judged.tsv": table("source translation hter", french[:70]),
        "memory.tmx": memory([(ours, theirs) for ours, theirs, _ in french]),
        "trees.txt": "(S (NP (DT the) (NN house)) (VP (VB is) (ADJP (JJ big))))\n",
        "entities.tsv": "Peter B-PER\nsleeps O\n\nParis B-LOC\nsleeps O\n" * 5,
        "test.tsv": "Peter B-PER\nis O\nbig O\n",
        "edits.tsv": table("source translation post_edit", [(*PAIRS[0], "the house is large here")]),
        "scores.tsv": table("human x", [(k, k * k) for k in range(6)]),
        "mqm.tsv": table("system doc seg_id rater source target category severity", [(name, "d", "1", "r", "casa", "the <v>big</v> house", "Style", "Minor") for name in ("a", "ref")]),
        "letter.xlf": XLIFF,
        "memory.xlf": XLIFF,
        **dict.fromkeys(("lists.txt", "dev.nbest", "test.nbest", "run1.nbest", "run2.nbest"), n_best_of(spoilt)),
        **dict.fromkeys(("dev.ref", "dev.ref2", "test.ref"), "".join(f"{line}\n" for line in right)),
        **dict.fromkeys(("first.arpa", "second.arpa"), ARPA),
        "moses.ini": "[feature]\nKENLM name=lm\nWordPenalty name=w\n[weight]\nlm= 0.5\nw= -1\n",
        "system.ini": "[feature]\nPhraseDictionaryMemory name=T num-features=1 path=phrases\nWordPenalty name=W\n[weight]\nT= 1\nW= -1\n",
        "tables.ini": "[feature]\nPhraseDictionaryMemory name=T num-features=4 path=phrases\nWordPenalty name=W\n[weight]\nT= 1 1 1 1\nW= -1\n",
        "four": "casa ||| house ||| 1 1 1 1\n",
        "linked.nbest": "0 ||| the house ||| T= 0 ||| -1 ||| 0-1=0-1 ||| 0-0 1-1\n",
        "phrases": "casa ||| the house ||| 0.5\neste mare ||| is big ||| 0.25\n",
        "weights.json": json.dumps({"format": "assay-weights", "version": 1, "weights": {"lm": [1.0], "w": [-1.0], "len": [1.0]}}),
        "annotations.jsonl": json.dumps(ANNOTATION) + "\n",
        "locales/en.json": json.dumps({"greeting": "Hello, {name}!"}),
        "locales/de.json": json.dumps({"greeting": "Hallo, {name}!"}),
        "job.json": json.dumps({"kind": "score", "params": {"metrics": ["bleu"], "systems": {"a": ["a b"]}, "references": {"r": ["a b"]}}}),
    }  # fmt: skip


# What stands for somebody's own, by command where it differs.
FILES = {
    "train": "labels.tsv", "models select-features": "labels.tsv", "evaluate": "labels.tsv", "learn": "labels.tsv", "feedback": "edits.tsv", "resources lm": "source.txt",
    "jobs": "job.json", "pair": "memory.tmx", "server backup": "saved", "server restore": "saved", "annotate": "letter.xlf",
    "smt convert-trees": "treebank/train.conllu.gz", "nbest rerank": "weights.json", "score": "source.txt",
    "corpus weight": "source.txt",
}  # fmt: skip
STANDS_FOR = {
    "LOCALES": "locales", "SCORED": "scored.xlf", "CHECKPOINT": "nothing", "ENCODER": "nothing", "SOURCE": "source.txt", "TARGET": "ref.txt", "SOURCE_TREES": "treebank/test.conllu.gz", "TARGET_TREES": "treebank/train.conllu.gz", "WORD_LINKS": "tree-links.txt", "LINKS": "links.txt", "ORDERS": "orders.txt", "FORWARD": "links.txt", "REVERSE": "links.txt", "A": "ref.txt", "B": "prod.txt", "REFERENCE": "ref.txt",
    "OUTPUT": "out.txt", "OLD": "prod.txt", "NEW": "out.txt", "TABLE": "scores.tsv", "MQM": "mqm.tsv", "TREEBANK": "treebank", "NAME": "translators",
    "MODEL": "ro-en-da-gp-27", "TEXT": "the house is large", "DAYS": "30", "NBEST": "lists.txt", "URL": "http://127.0.0.1:1",
}  # fmt: skip
# What keeps a command cheap, or lets nobody be asked.
ADDED = {
    "train": ["--learner", "ridge"],
    "models select-features": ["--learner", "ridge", "--feature-set", "quest-baseline-17"],
    "evaluate": ["--model", "ro-en-hter-gp-17"],
    "select": ["--model", "ro-en-hter-gp-17"],
    "learn": ["--feature-set", "quest-baseline-17"],
    "server owners": ["--yes"],
    "pair remove": ["--yes"],
    # The lines before have written there.
    "resources lm": ["--replace"],
    "resources align": ["--replace"],
    # Beside what the lines before have built.
    "resources import-lm": ["--out", "imported"],
    "resources import-lexical": ["--out", "imported-pair"],
    "resources word-lexicon": ["--replace"],
    "resources translation-model": ["--replace"],
    "resources continuous-space-model": ["--replace"],
    # It stands there for its name alone.
    "feedback send": ["--pair", "ro-en", "--model", "ro-en-hter-gp-17"],
}
# These would load what ships; the answers of a server are the same.
BY_SERVER = {
    *("quality", "words", "annotate", "features", "rank", "choose", "campaign make", "evaluate", "select"),
    *("models list", "models show"),
}
# A job that is done is not cancelled, nor queued again; a house without models has a problem, which the doctor tells; a
# checkpoint is hundreds of megabytes, and nobody has one here.
MAY_BE_REFUSED = {
    "jobs cancel": (0, 2),
    "jobs retry": (0, 2),
    "server doctor": (0, 1),
    "resources import-checkpoint": (2,),
    "server work": (2,),
}


def lines_of(name: str) -> list[str]:
    """The command lines of a page's blocks, in its order."""
    text = (ROOT / name).read_text("utf-8")
    blocks = [block.replace("\\\n", " ") for block in FENCE.findall(text)]
    lines = [line.removeprefix(".venv/bin/") for block in blocks for line in block.splitlines()]
    return [line for line in dict.fromkeys(lines) if line.startswith("assay ")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Iterator[Path]:
    """Where commands are typed: a house with small resources of its own, and the files that lines speak of."""
    folder = tmp_path_factory.mktemp("typed")
    (folder / "locales").mkdir()
    for name, content in texts().items():
        (folder / name).write_text(content, "utf-8")
    (folder / "treebank").mkdir()
    for name in ("train", "test"):
        (folder / "treebank" / f"{name}.conllu.gz").write_bytes(gzip.compress((CONLLU + "\n").encode() * 20))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("ASSAY_FORMAT", raising=False)
        patch.setenv("ASSAY_SERVER", server.address)
        for name in ("data", "resources", "models"):
            patch.setenv(f"ASSAY_{name.upper()}_DIR", str(folder / "house" / name))
        patch.setenv("ASSAY_ENCODER", "none")
        settings_here.cache_clear()
        engine_here.cache_clear()
        engine_of.cache_clear()
        from app.building.building import build_language_resources, build_pair_resources
        from app.text import LanguagePair

        for language, text in (("ro", "source.txt"), ("en", "ref.txt")):
            build_language_resources(language, [text], folder / "house" / "resources" / language, 3, "CC0")
        build_pair_resources(LanguagePair("ro", "en"), "source.txt", "ref.txt", folder / "house" / "resources" / "ro-en", "CC0")
        yield folder
    settings_here.cache_clear()
    engine_here.cache_clear()


@pytest.fixture
def typed(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    def call(arguments: list[str]) -> tuple[int, str, str]:
        settings_here.cache_clear()
        engine_here.cache_clear()
        engine_of.cache_clear()
        monkeypatch.setattr(sys, "argv", ["assay", *arguments])
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            run()
        captured = capfd.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return call


def command_of(words: list[str]) -> str:
    """The command that a line begins with, by its whole name."""
    return next(name for k in (3, 2, 1) if (name := " ".join(words[:k])) in COMMANDS)


def own_of(table: Mapping[str, T], command: str, default: T) -> T:
    """What a table has for a command, or for its group."""
    return table.get(command, table.get(command.rpartition(" ")[0], default))


def in_place(line: str, ids: dict[str, str], address: str) -> list[str]:
    """The arguments of a line, with values in the place of capitals."""
    words = shlex.split(line, comments=True)[1:]
    command = command_of(words)
    rest = words[len(command.split()) :]
    own = {**STANDS_FOR, "FILE": own_of(FILES, command, "pairs.tsv"), "ID": own_of(ids, command, "ro-en-hter-gp-17")}
    if command in ("feedback send", "feedback list"):
        own["ID"] = "ro-en-hter-gp-17"
    arguments = [own.get(word, word) for word in rest]
    for k, word in enumerate(arguments):
        if word == "COLUMN":
            arguments[k] = "human" if arguments[k - 1] == "--human" else "x"
    arguments += own_of(ADDED, command, [])
    left = [word for word in arguments if re.fullmatch("[A-Z]{4,}", word)]
    assert not left, f"{line}: what stands for {left}?"
    return [*command.split(), *arguments, *(["--server", address] if command in BY_SERVER else [])]


def test_every_example_of_a_command_does_what_it_says(typed: Run, server: Server, folder: Path) -> None:
    lines = examples()
    assert set(lines) == set(lines_of("docs/reference/commands.md"))
    silent = COMMANDS - {command_of(line.split()[1:]) for line in lines}
    assert not silent, f"without an example: {silent}"
    ids: dict[str, str] = {}
    for line in lines:
        arguments = in_place(line, ids, server.address)
        if arguments[0] == "mcp":
            # tests/shell/test_mcp.py speaks its protocol.
            continue
        if arguments[0] == "serve":
            # The session's server is this very line.
            assert server.process is not None and "serve" in list(server.process.args)  # type: ignore[arg-type]
            continue
        if arguments[:2] == ["server", "restore"]:
            (folder / "house" / "data").rename(folder / "house" / "before")
        code, out, err = typed(arguments)
        expected = MAY_BE_REFUSED.get(command_of(arguments), (0,))
        assert code in expected, f"{line}\n{shlex.join(arguments)}\n{out}\n{err}"
        assert "No such" not in err and "Usage:" not in err and "Traceback" not in err, f"{line}\n{err}"
        if line.startswith("assay jobs submit"):
            ids["jobs"] = out.strip()
        if line.startswith("assay feedback") and "--model" in line:
            ids["feedback"] = json.loads(typed(["feedback", "list", "--format", "json"])[1])["feedback"][0]["id"]
    assert (folder / "scored.xlf").read_text("utf-8").count("mtConfidence") == 1
    assert json.loads((folder / "prod.scores.json").read_text("utf-8"))
    assert (folder / "house" / "data" / "resources").is_dir()


def test_every_command_line_of_the_readme_does_what_it_says(typed: Run, server: Server, folder: Path) -> None:
    (folder / "scored.xlf").unlink(missing_ok=True)
    lines = lines_of("README.md")
    assert len(lines) >= 2
    for line in lines:
        code, out, err = typed(in_place(line, {}, server.address))
        assert code == 0, f"{line}\n{out}\n{err}"
    assert "mtConfidence" in (folder / "scored.xlf").read_text("utf-8")


def test_every_command_line_about_tuning_does_what_it_says(typed: Run, server: Server, folder: Path) -> None:
    lines = lines_of("docs/smt/tuning.md")
    assert len(lines) >= 8
    for line in lines:
        command, _, file = line.partition(" > ")
        code, out, err = typed(in_place(command, {}, server.address))
        assert code == 0 and "No such" not in err, f"{line}\n{out}\n{err}"
        if file:
            assert len(out.splitlines()) == len(PAIRS), line
    assert json.loads((folder / "weights.json").read_text("utf-8"))["card"]["method"] == "mira"
    assert {"total", "np", "words"} <= json.loads((folder / "more.json").read_text("utf-8"))["weights"].keys()
    assert (folder / "tuned.ini").read_text("utf-8").startswith("[feature]\nKENLM name=lm\n")


@pytest.mark.parametrize(("name", "section"), [("docs/smt/corpus.md", "## Lines of files"), ("docs/smt/rules.md", "")])
def test_every_command_line_about_lines_and_rules_does_what_it_says(typed: Run, folder: Path, name: str, section: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    there = text.partition(f"\n{section}\n")[2].partition("\n## ")[0] if section else text
    lines = [line for block in FENCE.findall(there) for line in block.splitlines()]
    assert len(lines) >= 2 and all(line.startswith("assay ") for line in lines)
    for line in lines:
        code, out, err = typed([*in_place(line, {}, ""), "--replace"])
        assert code == 0 and "No such" not in err, f"{line}\n{out}\n{err}"


def test_the_other_lines_of_the_readme(tmp_path: Path) -> None:
    """`make` has what is typed, and the answer of the call is the one that is shown: of the pair's server with the cross-encoder."""
    text = (ROOT / "README.md").read_text("utf-8")
    typed = [line.split()[1] for block in FENCE.findall(text) for line in block.splitlines() if line.startswith("make ")]
    planned = subprocess.run(["make", "-n", *typed], cwd=ROOT, capture_output=True, text=True, check=False)
    assert typed and planned.returncode == 0, planned.stderr
    (call,) = re.findall(r"^curl -s localhost:8000(\S+) -H '([^']+): ([^']+)' -d '(.*?)'$", text, re.MULTILINE | re.DOTALL)
    (shown,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    (tmp_path / "data").mkdir()
    server = Server(tmp_path / "data", {**small_house(tmp_path, "ro-en"), "ASSAY_ENCODER": "auto", "ASSAY_WORKERS": "0"})
    server.start()
    with server.client() as client:
        answer = client.post(call[0], content=call[3].encode(), headers={call[1]: call[2]}).json()
    server.stop()
    # The last digits are the processor's.
    rounded = partial(json.loads, parse_float=lambda text: round(float(text), 3))
    assert rounded(json.dumps(answer)) == rounded(shown)


def test_no_other_kind_of_line_is_in_a_block() -> None:
    for name, others in (
        ("docs/reference/commands.md", ()),
        ("docs/smt/tuning.md", ("curl ", "python -m benchmarks.")),
        ("README.md", ("make ", "curl ", '  "')),
    ):
        text = (ROOT / name).read_text("utf-8")
        for block in FENCE.findall(text):
            for line in block.replace("\\\n", " ").splitlines():
                assert line.removeprefix(".venv/bin/").startswith(("assay ", *others)), f"{name}: {line} is run by no test"
