"""`assay smt decode`: text in, translations, n-best lists and traces out, and Moses' flags."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.errors import InputError
from app.shell.program import program
from app.smt.commands.translation.moses_flags import options_from_flags
from app.text.reading.n_best_lists.bars import read_n_best
from tests.smt.decoder.sparse.systems import write_sparse_system
from tests.smt.decoder.systems import SENTENCE, write_system


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write_system(tmp_path, 3, "msd-bidirectional-fe", 2)


def run(arguments: list[str], text: str) -> str:
    result = CliRunner().invoke(program, ["smt", "decode", *arguments], input=text)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_text_is_translated_and_lists_are_written(config: Path, tmp_path: Path) -> None:
    lists, trace = tmp_path / "lists", tmp_path / "trace"
    out = run(["--config", str(config), "--n-best", str(lists), "5", "--trace", str(trace)], f"{SENTENCE}\n\ns0\n")
    first, empty, _ = out.splitlines()
    assert not empty and "new" in first.split()
    read = read_n_best(lists.read_text().splitlines())
    assert read.lengths.tolist()[0] == 5 and read.texts[0] == first
    traced = [json.loads(line) for line in trace.read_text().splitlines()]
    assert " ".join(word for phrase in traced[0]["phrases"] for word in phrase["target"]) == first
    assert {phrase["table"] for phrase in traced[0]["phrases"]} == {"T0", None}
    moses = run(["-f", str(config), "-n-best-list", str(tmp_path / "more"), "5", "-s", "5000", "-v", "0", "-t"], SENTENCE)
    assert " ".join(word for word in moses.split() if "|" not in word) == first
    assert (tmp_path / "more").read_text() == "".join(lists.read_text().splitlines(keepends=True)[:5])


@pytest.mark.parametrize("sparse", [False, True])
def test_the_output_does_not_depend_on_threads(config: Path, tmp_path: Path, sparse: bool) -> None:
    if sparse:
        (tmp_path / "sparse").mkdir()
        config = write_sparse_system(tmp_path / "sparse", 5, "msd-bidirectional-fe", 2)
    words = SENTENCE.split()
    # Unknown words give new names of sparse features, in an order that depends on the threads.
    lines = [" ".join([*words[k % len(words) :], f"new{k}", *words[: k % 3]]) for k in range(100)]
    results = []
    for threads in ("1", "3"):
        outputs = [tmp_path / f"{name}{threads}" for name in ("lists", "trace", "graph")]
        options = ["--n-best", str(outputs[0]), "20", "--trace", str(outputs[1]), "--search-graph", str(outputs[2])]
        text = run(["--config", str(config), *options, "-threads", threads], "".join(f"{line}\n" for line in lines))
        results.append([text, *(path.read_text() for path in outputs)])
    assert results[0] == results[1] and len(results[0][0].splitlines()) == len(lines)


def test_an_error_of_a_line_comes_after_the_lines_before_it(config: Path, tmp_path: Path) -> None:
    (tmp_path / "needed").write_text("no\n" * 40)
    with pytest.raises(InputError, match="needed has 40 lines, and the text has more"):
        run(["--config", str(config), "--needed", str(tmp_path / "needed"), "--threads", "2"], "s0\n" * 41)


def test_needed_translations_are_reached_or_empty(config: Path, tmp_path: Path) -> None:
    best = run(["--config", str(config)], f"{SENTENCE}\n")
    (tmp_path / "needed").write_text(f"{best}no way\n")
    assert run(["--config", str(config), "--needed", str(tmp_path / "needed")], f"{SENTENCE}\ns0\n") == f"{best}\n"
    with pytest.raises(InputError, match="has more lines than the text"):
        run(["--config", str(config), "--needed", str(tmp_path / "needed"), "--n-best", str(tmp_path / "lists"), "3"], "s0\n")
    assert not (tmp_path / "lists").exists()


def test_flags_of_moses() -> None:
    assert options_from_flags(["-f", "a", "-dl", "-1", "-n-best-list", "b", "9", "distinct"]) == [
        "--config", "a", "--distortion-limit", "-1", "--n-best", "b", "9", "--distinct",
    ]  # fmt: skip
    assert options_from_flags(["--distortion-limit", "-1", "-"]) == ["--distortion-limit", "-1", "-"]
    assert options_from_flags(["-xml-input", "exclusive"]) == ["--xml-input", "exclusive"]
    assert options_from_flags(["-th", "3"]) == ["--threads", "3"]
    assert int(options_from_flags(["-threads", "all"])[1]) >= 1
    with pytest.raises(InputError, match="-xml-brackets is not done here"):
        options_from_flags(["-f", "a", "-xml-brackets", "{{ }}"])
    with pytest.raises(InputError, match="Moses' -n-best-list takes FILE N"):
        options_from_flags(["-n-best-list", "10"])


def test_nothing_that_is_read_is_written_and_nothing_twice(config: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text(f"{SENTENCE}\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    read = [*before, tmp_path / "link"]
    (tmp_path / "link").symlink_to(config)
    for path in read:
        with pytest.raises(InputError, match="name another file"):
            run(["--config", str(config), str(tmp_path / "text"), "--n-best", str(path), "5"], "")
    with pytest.raises(InputError, match="two outputs are the same file"):
        run(["--config", str(config), "--n-best", str(tmp_path / "a"), "5", "--trace", str(tmp_path / "." / "a")], "s0\n")
    with pytest.raises(InputError, match="nowhere is not a folder"):
        run(["--config", str(config), "--n-best", str(tmp_path / "nowhere" / "a"), "5"], "s0\n")
    with pytest.raises(InputError, match="1 to 100,000"):
        run(["--config", str(config), "--n-best", str(tmp_path / "a"), "10000000"], "s0\n")
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    ("text", "what"), [("s0\n" + "s0 " * 1001 + "\n", "1001 words"), ("s0\ns0 ||| s1\n", "line 2 of .* has a word")]
)
def test_a_line_that_cannot_be_translated_is_named_before_anything_is(config: Path, tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "text").write_text(text)
    with pytest.raises(InputError, match=what) as refused:
        run(["--config", str(config), str(tmp_path / "text")], "")
    assert refused.value.where == ("text", 2)


def test_markup_gives_translations(config: Path, tmp_path: Path) -> None:
    line, trace = 's1 <n translation="made here">s0 new</n> s3\n', tmp_path / "trace"
    assert " made here " in f" {run(['-f', str(config), '-xml-input', 'exclusive', '--trace', str(trace)], line)} "
    assert "markup" in {phrase["table"] for phrase in json.loads(trace.read_text())["phrases"]}
    assert run(["-f", str(config), "-xml-input", "ignore"], line) == run(["-f", str(config)], "s1 s0 new s3\n")
    (tmp_path / "text").write_text(f"s0\n{line}s1 <n>\n")
    with pytest.raises(InputError, match="line 3 of text, character 4: <n> is not closed"):
        run(["-f", str(config), "--xml-input", "inclusive", "--n-best", str(tmp_path / "lists"), "2", str(tmp_path / "text")], "")
    assert not (tmp_path / "lists").exists()


def test_agreement_is_that_of_the_written_list(config: Path, tmp_path: Path) -> None:
    text = f"{SENTENCE}\ns4 s4 s1 s2\n"
    lists = tmp_path / "lists"
    flags = ["-f", str(config), "-mbr", "-mbr-size", "40", "-mbr-scale", "0.3"]
    made = run([*flags, "-n-best-list", str(lists), "40", "distinct"], text)
    judged = CliRunner().invoke(program, ["nbest", "mbr", str(lists), "--model", "--scale", "0.3", "--metric", "bleu"])
    assert made == judged.stdout != run(flags[:2], text)
    with pytest.raises(InputError, match="options of --mbr"):
        run([*flags[:2], "--mbr-size", "40"], text)
    with pytest.raises(InputError, match="1 to 10000"):
        run([*flags[:2], "--mbr", "--mbr-size", "0"], text)


def test_search_graphs_are_written(config: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    run(["-f", str(config), "-output-search-graph", str(graph)], f"s0\n\n{SENTENCE}\n")
    lines = graph.read_text().splitlines()
    assert lines[0].startswith("0 hyp=0 stack=0 forward=") and {line.split()[0] for line in lines} == {"0", "2"}


def test_oracles_are_printed_and_translations_begin_as_they_are_told(config: Path, tmp_path: Path) -> None:
    text, lists = f"{SENTENCE}\ns0 s1 s2\n\n", tmp_path / "lists"
    plain = run(["-f", str(config), "--n-best", str(lists), "50", "--distinct"], text)
    wanted = read_n_best(lists.read_text().splitlines()).texts
    (tmp_path / "one").write_text(f"{wanted[40]}\n{wanted[70]} t0\n\n")
    (tmp_path / "other").write_text(f"t1\n{wanted[70]}\n\n")
    result = CliRunner().invoke(
        program,
        ["smt", "decode", "-f", str(config), "--oracle", str(tmp_path / "one"), "--oracle", str(tmp_path / "other")],
        input=text,
    )
    assert result.stdout.splitlines() == [wanted[40], wanted[70], ""] != plain.splitlines()
    assert "BLEU 100.00" in result.stderr and "3 of 3 sentences reach a reference; 3 oracles are exact" in result.stderr
    (tmp_path / "begins").write_text(f"{' '.join(wanted[40].split()[:3])}\nno way\n\n")
    first, second, _ = run(["-f", str(config), "--needed-begin", str(tmp_path / "begins")], text).split("\n", 2)
    assert first.split()[:3] == wanted[40].split()[:3] and not second
    with pytest.raises(InputError, match="one of --needed and"):
        run(["-f", str(config), "--needed", "a", "--needed-begin", "b"], text)
    with pytest.raises(InputError, match="one has 3 lines, and the text has more"):
        run(["-f", str(config), "--oracle", str(tmp_path / "one")], text * 2)


def test_lattices_are_translated_like_their_paths(config: Path, tmp_path: Path) -> None:
    text = config.read_text()
    (config.parent / "lattices.ini").write_text(
        text.replace("[feature]\n", "[feature]\nInputFeature\n").replace("[weight]\n", "[weight]\nInputFeature0= 0.5\n")
    )
    ini = str(config.parent / "lattices.ini")
    words = SENTENCE.split()
    one_path = "(" + "".join(f"(('{word}',1.0,1),)," for word in words) + ")"
    first = run(["-f", ini, "-inputtype", "2"], f"{one_path}\n\n{one_path}\n")
    plain = run(["-f", ini, "-inputtype", "0"], f"{SENTENCE}\n\n{SENTENCE}\n")
    assert first == plain
    # A second word of a tiny probability changes nothing; lists are read back.
    unlikely = one_path.replace(f"(('{words[0]}',1.0,1),)", f"(('{words[0]}',1.0,1),('{words[1]}',1e-300,1),)", 1)
    lists = tmp_path / "lists"
    assert run(["-f", ini, "--lattice", "-n-best-list", str(lists), "5"], f"{unlikely}\n") == run(["-f", ini], f"{SENTENCE}\n")
    agreed = run(["-f", ini, "--lattice", "-lmbr", "-lmbr-p", "0.7", "-lmbr-r", "0.5", "-mbr-size", "5"], f"{unlikely}\n")
    assert agreed.strip() in {line.split(" ||| ")[1] for line in lists.read_text().splitlines()}
    assert "InputFeature0= 0 " in lists.read_text().splitlines()[0]
    for flags, message in (
        (["--lattice", "--xml-input", "exclusive"], "is of texts"),
        (["-inputtype", "1"], "confusion networks as lattices"),
        (["-lmbr-thetas", "1"], "-lmbr-p and -lmbr-r"),
        (["--mbr-ratio", "0.5", "--mbr"], "option of --lattice-mbr"),
        (["--mbr", "--lattice-mbr"], "take one of"),
    ):
        with pytest.raises(InputError, match=message):
            run(["-f", ini, *flags], f"{one_path}\n")
    with pytest.raises(InputError, match="line 2 of stdin, character 3"):
        run(["-f", ini, "--lattice"], f"{one_path}\n(('a',1,1),)\n")
