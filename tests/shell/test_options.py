"""Every option of every command that can ask a server: it reaches the request, the same here and there, or it is refused."""

import json
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

from app.errors import InputError
from app.operations.catalogue import OPERATIONS
from app.shell import running
from app.shell.declaration.catalogue import COMMANDS as LISTED
from app.shell.declaration.tree import command_named
from app.shell.program import program
from app.text.n_best import NBestLists

COMMANDS: Mapping[str, Any] = {name: command_named(name) for name, entry in LISTED.items() if entry.options}
SERVER = ["--server", "http://nobody.invalid"]
TEXTS = {
    "pairs.tsv": "source\ttranslation\tlabel\twho\tworse\tdocument\tsegment\nunu\tone\t0.5\tann\t0.6\ta\t1\ndoi\ttwo\t1.0\tbob\t0.9\tb\t2\n",
    "held.tsv": "source\ttranslation\tlabel\ntrei\tthree\t0.25\n",
    "numbers.tsv": "human\tx\ty\tgroup\n1\t2\t3\ta\n2\t1\t5\tb\n",
    "source.txt": "unu\ndoi\n",
    "one.txt": "one\ntwo\n",
    "two.txt": "eins\nzwei\n",
    "log.txt": "-1 -2\n-3 -4\n",
    "held-log.txt": "-5 -6\n",
    "tokens.txt": "o@@ ne\ntwo\n",
    "held-tokens.txt": "th@@ ree\n",
    "n-best.txt": "0 ||| one ||| d: 1 ||| -1\n1 ||| two ||| d: 2 ||| -2\n",
    "moses.log": "BEST TRANSLATION: one|UNK [1]  [total=-1]\nBEST TRANSLATION: two [1]  [total=-1]\n",
    "graph.txt": "0 hyp=0 stack=0\n1 hyp=0 stack=0\n",
    "more.txt": "0 ||| eins ||| d: 3 ||| -1\n",
    "weights.json": '{"format": "assay-weights", "version": 1, "weights": {"d": [2.0]}}',
    "samples.txt": "0 ||| some ||| d: 1 ||| -1\n1 ||| thing ||| d: 2 ||| -2\n",
    "votes.json": '{"weights": {"votes": [1, 2]}}',
    **{f"{language}.json": '{"hi": "Hello"}' for language in ("en", "de", "it")},
    "terms.csv": "source,target\nunu,one\n",
    "review.toml": "[review]\nmin-quality = { de = 0.5 }\n",
    "quest.xml": '<features><feature class="any" description="words" index="1001"/></features>',
}
PAIR = ["--pair", "ro-en"]
BESIDE = {"--log-probs": ["log.txt"], "--tokens": ["tokens.txt"]}
DECODER = {"--n-best": ["n-best.txt"], "--moses-log": ["moses.log"], "--search-graph": ["graph.txt"]}
MODEL = {"--model": ["mine"], "--label": ["da"], "--profile": ["fast"]}
Row = tuple[list[str], Mapping[str, list[str]], set[str]]
# Of commands whose options take more than any number, file or choice: arguments that are always there, options that become parts
# of the request, and those that only shape what is printed, how tables are read or where what is made goes.
WRITTEN: Mapping[str, Row] = {
    "quality": (
        ["pairs.tsv", *PAIR],
        {
            **MODEL, **BESIDE, **DECODER, "--interval": ["0.8"], "--explain": [], "--words": [], "--warnings": ["--no-warnings"], "--glossary": ["terms.csv"], "--fail-below": ["da=1"],
            "--bands": ["good=0.8:0.3,rest=0"], "--accept": ["0.3:0.2"], "--level": ["word"],
            "--currency": ["EUR", "--bands", "risk"], "--word-price": ["0.12", "--currency", "EUR", "--bands", "risk"],
            "--from-systems": ["pseudo_references"],
        },
        # Sources alone need a service; tests/server/translation/test_serving.py has one.
        {"--format", "--header", "--fail-on", "--quiet", "--translate"},
    ),
    "review": (
        ["de.json", "it.json", "en.json"],
        {
            "--source-language": ["de"], "--language": ["de"], "--min-quality": ["0.3"], "--predict": ["--no-predict"],
            "--profile": ["fast"], "--config": ["review.toml"], "--glossary": ["terms.csv"],
        },
        # tests/shell/test_review.py has a checkout.
        {"--format", "--since", "--fail-on", "--fail-if-worse", "--baseline", "--update-baseline", "--quiet", "--report", "--allow-empty"},
    ),
    "campaign make": (
        ["source.txt", "a=one.txt", "b=two.txt", "--output", "campaign.json", *PAIR],
        {**MODEL, "--pool": ["1"]},
        # The choice follows the answer; tests/shell/test_campaigns.py has it.
        {"--output", "--by", "--segments", "--annotators", "--judgements", "--checks", "--seed", "--id", "--marks", "--quiet"},
    ),
    "words": (["pairs.tsv", *PAIR], {"--model": ["mine"], **BESIDE}, {"--format", "--header"}),
    "rank": (
        ["source.txt", "one.txt", "two.txt", *PAIR],
        {**MODEL, "--warnings": ["--no-warnings"], "--baseline": ["two.txt"], "--alpha": ["0.01"]},
        {"--format", "--segments", "--quiet", "--fail-if-worse", "--fail-unless-better", "--translate", "--header"},
    ),
    "choose": (
        ["source.txt", "one.txt", "two.txt", *PAIR],
        {**MODEL, "--min-quality": ["0.4"], "--fail-on": ["warning"]},
        {"--format", "--quiet", "--header"},
    ),
    "features": (
        ["pairs.tsv", *PAIR],
        {
            **BESIDE, **DECODER, "--feature-set": ["quest.xml"], "--pseudo-references": ["two.txt"],
            "--back-translations": ["source.txt"], "--from-systems": ["n_best"],
            "--model": ["mine"], "--distribution": [],
        },
        {"--format", "--list", "--sets", "--header"},
    ),
    "smt translate-pair": (
        ["source.txt", *PAIR],
        {"--n-best": ["lists.txt", "3"], "--distinct": ["--n-best", "lists.txt", "3"], "--tokenise": []},
        {"--format"},
    ),
    "score": (
        ["one.txt", "-i", "a=one.txt", "-i", "b=two.txt"],
        {
            "--input": ["c=source.txt"], "--source": ["source.txt"], "--metrics": ["chrf"], "--lowercase": [], "--tokenize": ["intl"], "--sentence-level": [],
            "--paired-ar": [], "--confidence-n": ["200"], "--paired-ar-n": ["200"], "--seed": ["7"], "--baseline": ["b"], "--letters": [],
            "--alpha": ["0.01"], "--runs": ["R=a,b"], "--empty": ["skip"], "--save-scores": ["a=a.json"], "--language-pair": ["en-zh"],
            "--smooth-method": ["floor"], "--smooth-value": ["2", "--smooth-method", "add-k"], "--chrf-char-order": ["4"],
            "--chrf-word-order": ["2"], "--chrf-beta": ["3"], "--chrf-whitespace": [], "--chrf-lowercase": [],
            "--chrf-eps-smoothing": [], "--ter-case-sensitive": [], "--ter-asian-support": [], "--ter-no-punct": [],
            "--ter-normalized": [], "--score-only": [],
        },
        # References are told in another way, or in files of several; sacreBLEU's are in tests/shell/test_sacrebleu.py. Two systems
        # are tested without an option. tests/metrics/test_terms.py has a glossary.
        {"--format", "--glossary", "--confidence", "--paired-bs", "--fail-if-worse", "--fail-unless-better", "--fail-below", "--fail-on", "--width", "--quiet", "--no-color", "--force", "--paired-jobs", "--reference", "--num-refs", "--encoding", "--test-set"},
    ),
    "compare": (
        ["one.txt", "--baseline", "one.txt", "--system", "two.txt"],
        {"--metrics": ["ter"], "--tokenize": ["intl"], "--most": ["3"], "--source": ["source.txt"]},
        # tests/operations/test_differences.py compares without references.
        {"--format", "--pair", "--model", "--label", "--profile"},
    ),
    "correlate": (
        ["numbers.tsv", "--human", "human", "--metric", "x", "--group", "y"],
        {"--metric": ["y"], "--group": ["group"], "--system": ["group"], "--agreement": ["pearson"], "--tests": []},
        # Cells of spans are JSON; tests/shell/test_scoring.py has them.
        {"--format", "--spans"},
    ),
    "nbest oracle": (
        ["n-best.txt", "--reference", "one.txt"],
        {
            "--metrics": ["chrf"], "--oracle-metric": ["ter"], "--size": ["1"], "--shown": ["3"], "--mix": ["0.2"], "--share": ["0.5"],
            "--difference": ["0.1"], "--diversity": ["0.2"], "--source": ["source.txt"],
        },
        {"--format", "--segments", "--reference"},
    ),
    "nbest mbr": (
        ["n-best.txt"],
        {
            "--metric": ["ter"], "--samples": ["samples.txt"], "--source": ["source.txt"], "--model": [], "--scale": ["0.5"], "--no-own": [],
            "--way": ["counts"], "--scores": [],
        },
        {"--format"},
    ),
    "nbest combine": (
        ["one.txt", "two.txt"],
        {
            "--metric": ["chrf"], "--method": ["mert|restarts:2"], "--seed": ["7"], "--rounds": ["4"], "--backbone": ["ter"],
            "--consensus": ["chrf"], "--paths": ["7"], "--words": [], "--measure": ["one.txt"], "--weights": ["votes.json"],
            "--dev": ["one.txt", "--dev", "two.txt", "--reference", "one.txt"],
            "--reference": ["one.txt", "--dev", "one.txt", "--dev", "two.txt"],
        },
        {"--format", "--lm"},
    ),
    "nbest rerank": (
        ["n-best.txt", "--weights", "weights.json"],
        {
            **MODEL, "--features": ["len"], "--source": ["source.txt"], "--distinct": [], "--mbr": ["chrf"], "--scale": ["0.5"],
            "--top": ["3"], "--reference": ["source.txt"], "--metric": ["chrf", "--reference", "source.txt"], "--changes": [],
            "--missing-weights": ["zero"],
        },
        # What files of resources give is computed here, and goes along as a column of the lists.
        {
            "--format", "--weights", "--write-features", "--lm", "--tag-lm", "--tagger", "--table", "--reverse-table", "--lexicon", "--neural",
            "--continuous-space", "--cased",
        },
    ),
    "train": (
        ["pairs.tsv", *PAIR, "--label", "hter"],
        {
            **BESIDE, **DECODER, "--label-column": ["worse"], "--learner": ["ridge"], "--feature-set": ["blackbox-79"], "--held-out": ["held.tsv"],
            "--held-out-share": ["0.3"], "--held-out-log-probs": ["held-log.txt", "--held-out", "held.tsv"],
            "--held-out-tokens": ["held-tokens.txt", "--held-out", "held.tsv"], "--also": ["et-en=held.tsv"],
            "--task-column": ["who"], "--sharing": ["rank"], "--rank": ["2"], "--base": ["mine"], "--method": ["adapt"],
            "--feedback": [], "--promote": ["if-better"], "--curve": [], "--name": ["mine"], "--data-name": ["that"],
            "--licence": ["MIT"], "--seed": ["7"], "--documents": ["plain"],
            "--lower-is-better": [], "--higher-is-better": [],
            "--range": ["0:9", "--lower-is-better"], "--classes": ["0.5,1", "--lower-is-better"],
            "--unit": ["grades", "--lower-is-better"],
        },
        {"--format", "--out"},
    ),
    "evaluate": (
        ["pairs.tsv", *PAIR],
        {**MODEL, **BESIDE, **DECODER, "--label-column": ["worse"], "--task-column": ["who"]},
        {"--format"},
    ),
    "nbest tune": (
        ["n-best.txt", "--reference", "one.txt"],
        {
            "--method": ["mert|restarts:3"], "--metric": ["chrf"], "--seed": ["7"], "--runs": ["2"], "--start": ["weights.json"],
            "--missing-weights": ["zero"], "--take": ["mean"],
            "--source": ["source.txt"], "--held-out": ["more.txt", "--held-out-reference", "two.txt"],
            "--held-out-reference": ["two.txt", "--held-out", "n-best.txt"],
            "--held-out-source": ["source.txt", "--held-out", "more.txt", "--held-out-reference", "two.txt"],
        },
        # Files of Moses' extractor stand in place of lists and references; tests/smt/commands/test_extractor_files.py has them.
        {
            "--scores", "--format", "--out", "--out-form", "--moses-ini", "--changes",
            "--decoder", "--rounds", "--list-length", "--step", "--lattice", "--work",
        },
    ),
    "learn": (
        ["pairs.tsv", *PAIR, "--label", "hter"],
        {
            "--label-column": ["worse"], "--feature-set": ["blackbox-79"], "--start": ["30"], "--batch": ["3"], "--beta": ["0.5"],
            "--window": ["3"], "--tolerance": ["0.1"], "--finish": [], "--simulate": [], "--limit": ["99", "--simulate"],
            "--held-out": ["held.tsv", "--simulate"], "--name": ["mine"], "--licence": ["MIT"], "--seed": ["7"],
            "--after": ["job", "--label-column", "worse"],
            "--lower-is-better": [], "--higher-is-better": [],
            "--range": ["0:9", "--lower-is-better"], "--classes": ["0.5,1", "--lower-is-better"],
            "--unit": ["grades", "--lower-is-better"],
        },
        {"--format"},
    ),
    "select": (["pairs.tsv", *PAIR], {**MODEL, **BESIDE, "--count": ["1"], "--strategy": ["density"]}, {"--format"}),
}  # fmt: skip
# What tables and options above stand for the arguments that a command cannot do without.
ALWAYS = {"--pair", "--label", "--human", "--system", "--baseline", "--input", "--metric", "--reference", "--server", "--help"}
OF_METRICS = {
    "--language": ["en"],
    "--template": ["x"],
    "--objective": ["x"],
    "--factored": [],
    "--unjudged": ["x"],
    "--stem": ["en"],
    "--tables": ["x"],
}
HELD_BY_SERVERS = {
    name
    for name in COMMANDS
    if name.startswith(("feedback ", "jobs ")) or name in ("models promote", "models rollback", "server owners delete")
}
ASKING_SERVERS = {
    name for name, command in COMMANDS.items() if any("--server" in parameter.opts for parameter in command.params)
} - HELD_BY_SERVERS


def options_of(command: str) -> set[str]:
    """The long names of a command's options."""
    named = [parameter for parameter in COMMANDS[command].params if parameter.param_type_name == "option"]
    return {next(name for name in parameter.opts if name.startswith("--")) for parameter in named}


def values_of(parameter: Any) -> list[str]:
    """A value of a parameter that is not its default; none for a flag."""
    kind = next(iter(get_args(parameter.type_descriptor.annotation)), parameter.type_descriptor.annotation)
    if kind is bool:
        return []
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [next(str(member.value) for member in kind if member is not parameter.default)]
    if kind in (int, float):
        return [str(kind((parameter.default or 0) + 1))]
    return ["two.txt"]


def derived_row(command: str) -> Row:
    """A row of a command whose texts are files of lines, or any words."""
    always, options, printed = [], {}, {"--format", "--header"}
    for parameter in COMMANDS[command].params:
        name = next((name for name in parameter.opts if name.startswith("--")), "")
        if not name:
            always += ["one.txt"] if parameter.required else []
        elif name == "--pair":
            always += PAIR
        elif parameter.required:
            always += [name, *values_of(parameter)]
        elif name not in printed | ALWAYS:
            options[name] = values_of(parameter)
    return always, options, printed & options_of(command)


TABLE = {
    **WRITTEN,
    **{name: derived_row(name) for name in ASKING_SERVERS - WRITTEN.keys() - {"annotate", "mcp", "models list", "models show"}},
}
ABOUT_LISTS = {name for name, operation in OPERATIONS.items() if "n_best" in operation.request.model_fields}
CASES = [(command, name) for command, (_, options, _) in TABLE.items() for name in options]


class _Asked(Exception):
    """What was asked, instead of an answer."""

    def __init__(self, kind: str, content: Any) -> None:
        super().__init__(kind)
        self.kind, self.content = kind, content


class _Nobody:
    """A client that tells what it is told to post."""

    def __init__(self, address: str, timeout: float, api_key: str | None) -> None:
        self.address = address

    def __enter__(self) -> "_Nobody":
        return self

    def __exit__(self, *raised: object) -> None:
        pass

    def ask(self, operation: str, body: Any) -> Any:
        raise _Asked(operation, body)

    def run(self, kind: str, params: Any, on_progress: Callable[[Any], None]) -> Any:
        raise _Asked(kind, params)

    def submit_files(self, files: Mapping[str, Path], params: Any, kind: str) -> Any:
        read = OPERATIONS[kind].read_files
        assert read is not None
        raise _Asked(kind, {**params, **read({role: path.read_bytes() for role, path in files.items()})})

    def submit_file(
        self, path: Path, params: Any, source: Path | None = None, priority: str | None = None, header: bool | None = None
    ) -> Any:
        raise _Asked("quality", (path, params, source, priority, header))


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Calls `assay` and gives the request that it would be answered to."""
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def here(operation: Any, request: Any, models: Any) -> Any:
        raise _Asked(operation.name, request)

    monkeypatch.setattr(running, "_local_answer", here)
    monkeypatch.setattr("app.shell.there.Client", _Nobody)

    def call(*arguments: str) -> Any:
        with pytest.raises(_Asked) as told:
            assay(*arguments)
        kind, content = told.value.kind, told.value.content
        if "--server" in arguments:
            # As it goes over the wire; lists that went as files are read already.
            lists = {name: value for name, value in content.items() if isinstance(value, NBestLists)}
            rest = {name: value for name, value in content.items() if name not in lists}
            content = OPERATIONS[kind].request.model_validate({**json.loads(json.dumps(rest)), **lists})
        # Lists are arrays, which are equal where their JSON is.
        return content.model_dump(mode="json") if kind in ABOUT_LISTS else content

    return call


def assay(*arguments: str) -> None:
    typer.main.get_command(program).main(list(arguments), standalone_mode=False)


def test_the_table_names_every_option() -> None:
    for command, (_, options, printed) in TABLE.items():
        more = {"--kind", *OF_METRICS} if command == "train" else set()
        # With --out, tests/shell/test_large_tables.py.
        more |= OF_TABLES if "--out-format" in options_of(command) else set()
        assert options_of(command) - ALWAYS - more == (set(options) | printed) - ALWAYS, command


@pytest.mark.parametrize(("command", "name"), CASES, ids=lambda value: value)
def test_an_option_reaches_the_request_here_and_there(command: str, name: str, asked: Callable[..., Any]) -> None:
    always, options, _ = TABLE[command]
    value = options[name]
    arguments = [*command.split(), *always, name, *value]
    here, there = asked(*arguments), asked(*arguments, *SERVER)
    assert here == there
    without = [*command.split(), *always]
    for companion in ("--confidence", "--held-out", "--bands"):
        if companion in value:
            without += value[value.index(companion) :]
    assert here != asked(*without), "the option changes nothing"


OF_TABLES = {"--out", "--columns", "--out-format", "--processes", "--cluster"}
COMMAS = {
    "quality --interval": (["0.8"], ["0,8"], ["80%"]),
    "quality --bands": (["good=0.8:0.3,rest=0"], ["good=0,8:0,3,rest=0"], ["good=0,8:0,3;rest=0"], ["good=80%:30%;rest=0"]),
    "quality --accept": (["0.3:0.2"], ["0,3:0,2"], ["30%:20%"]),
    "quality --word-price": tuple([price, "--currency", "EUR", "--bands", "risk"] for price in ("0.12", "0,12", " 0,120")),
    "train --held-out-share": (["0.3"], ["0,3"], ["30%"]),
    "train --range": (["0.5:9", "--lower-is-better"], ["0,5:9", "--lower-is-better"]),
    "train --classes": (["0.5,1", "--lower-is-better"], ["0,5;1", "--lower-is-better"], ["0.5;1,0", "--lower-is-better"]),
    "nbest rerank --scale": (["0.5"], ["0,5"]),
    "nbest oracle --mix": (["0.3"], ["0,3"], ["30%"]),
    "nbest oracle --share": (["0.3"], ["0,3"], ["30%"]),
    "nbest oracle --difference": (["0.3"], ["0,3"]),
    "nbest oracle --diversity": (["0.3"], ["0,3"]),
    "score --smooth-value": (["2.5", "--smooth-method", "add-k"], ["2,5", "--smooth-method", "add-k"]),
}


@pytest.mark.parametrize("case", COMMAS)
def test_numbers_have_points_or_commas(case: str, asked: Callable[..., Any]) -> None:
    command, _, option = case.rpartition(" ")
    with_point, *others = COMMAS[case]
    expected = asked(*command.split(), *TABLE[command][0], option, *with_point)
    for values in others:
        assert asked(*command.split(), *TABLE[command][0], option, *values) == expected


@pytest.mark.parametrize("command", TABLE)
def test_what_a_command_is_always_given_is_the_same_here_and_there(command: str, asked: Callable[..., Any]) -> None:
    always, _, _ = TABLE[command]
    assert asked(*command.split(), *always) == asked(*command.split(), *always, *SERVER)


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["train", *TABLE["train"][0], "--out", "there", *SERVER], "--out"),
        (["train", "pairs.tsv", "--kind", "rose", "--language", "en", *SERVER], "--server"),
        (["train", *TABLE["train"][0], "--held-out-log-probs", "held-log.txt"], "--held-out-log-probs"),
        (["train", *TABLE["train"][0], "--held-out-tokens", "held-tokens.txt"], "--held-out-tokens"),
        *((["train", *TABLE["train"][0], name, *value], name) for name, value in OF_METRICS.items()),
        *(
            (["train", "pairs.tsv", "--kind", "rose", "--language", "en", name, *value], name)
            for name, value in {**TABLE["train"][1], "--pair": ["ro-en"], "--label": ["da"]}.items()
            if name not in ("--label-column", "--name", "--licence", "--seed")
        ),
        *(
            (["quality", *TABLE["quality"][0], "--level", "word", name, *TABLE["quality"][1][name]], name)
            for name in ("--label", "--interval", "--explain", "--words", "--bands", "--accept")
        ),
    ],
)  # fmt: skip
def test_what_a_path_cannot_do_is_refused(arguments: list[str], option: str, asked: Callable[..., Any]) -> None:
    with pytest.raises(InputError) as refused:
        assay(*arguments)
    assert refused.value.code == "invalid-request"
    assert str(refused.value).partition(":")[0] in (option, "--held-out")


def test_annotate_asks_the_same_of_both(asked: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from app.operations.annotate import ANNOTATION

    def annotate_document(
        engine: Any,
        raw: bytes,
        name: str,
        limits: Any,
        pair: Any,
        sources: Any,
        model: Any,
        label: Any,
        header: Any,
        profile: Any,
        glossary: Any,
    ) -> Any:
        raise _Asked("annotate", (raw, str(pair), sources, model, label, header, profile, glossary))

    monkeypatch.setattr("app.shell.commands.documents.annotate_document", annotate_document)
    arguments = [
        "annotate",
        "pairs.tsv",
        *PAIR,
        "--source",
        "source.txt",
        "--model",
        "mine",
        "--label",
        "da",
        "--profile",
        "fast",
        "--glossary",
        "terms.csv",
        "--header",
    ]
    assert options_of("annotate") == {*(name for name in arguments if name.startswith("--")), "--output", "--server", "--priority"}
    terms = {"name": "terms.csv", "text": Path("terms.csv").read_text()}
    with pytest.raises(_Asked) as told:
        assay(*arguments)
    assert told.value.content == (Path("pairs.tsv").read_bytes(), "ro-en", ["unu", "doi"], "mine", "da", True, "fast", terms)
    with pytest.raises(_Asked) as told:
        assay(*arguments, *SERVER, "--priority", "low")
    path, params, source, priority, header = told.value.content
    assert (path, source, priority, header) == (Path("pairs.tsv"), Path("source.txt"), "low", True)
    assert params == {
        "source_language": "ro",
        "target_language": "en",
        "model": "mine",
        "label": "da",
        "profile": "fast",
        "glossary": terms,
        **ANNOTATION,
    }
    with pytest.raises(InputError) as refused:
        assay(*arguments, "--priority", "low")
    assert refused.value.where == ("--priority",)


@pytest.mark.parametrize("command", ["quality", "words", "features"])
def test_the_first_row_of_a_table_is_what_is_said(
    command: str, asked: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("plain.tsv").write_text("eins\tzwei\nunu\tone\n", encoding="utf-8")
    for options, heading, told in (
        ([], False, "may be"),
        (["--header"], True, "as the request says"),
        (["--no-header"], False, "no heading"),
    ):
        sources = [segment.source for segment in asked(command, "plain.tsv", *PAIR, *options).segments]
        assert sources == (["unu"] if heading else ["eins", "unu"])
        said = capsys.readouterr().err
        assert told in said.replace("say so if it is a heading", "may be") and "column 1" in said
    # Columns that are called what they are need no words.
    asked(command, "pairs.tsv", *PAIR)
    assert "column" not in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_usage_names_arguments_as_their_descriptions_do(name: str) -> None:
    command = COMMANDS[name]
    context = typer.Context(command, info_name=f"assay {name}")
    usage = " ".join(command.get_usage(context).split()).partition("[OPTIONS]")[2].split()
    assert len(usage) == sum(parameter.param_type_name == "argument" for parameter in command.get_params(context))
    described = command.get_help(context).partition("Arguments:")[2]
    for argument in usage:
        assert f"  {argument.strip('[]')}  " in described, argument
