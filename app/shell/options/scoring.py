"""Options of `assay score`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from app.shell.declaration.command import declare
from app.shell.declaration.files import LOCAL_MACHINE, PLAIN_TEXT, REQUIREMENT, InFile, OutFile
from app.shell.declaration.parameters import Server, number

__all__ = ["ScoreOptions"]


@declare(server=True, style="app.shell.scoring.greedy:GreedyCommand")
@dataclass(frozen=True, kw_only=True)
class ScoreOptions:
    """Options of `assay score`."""

    first: Annotated[
        list[str] | None,
        typer.Argument(metavar="[REFERENCE]...", help="Reference files, or NAME=FILE; before all options."),
        InFile(),
        REQUIREMENT,
    ] = None
    references: Annotated[
        list[str] | None,
        typer.Option("--reference", "-r", help="Reference files, or NAME=FILE, instead of arguments."),
        InFile(),
        LOCAL_MACHINE,
    ] = None
    systems: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", help="System outputs; default: stdin, one system per column."),
        InFile(),
        REQUIREMENT,
    ] = None
    source: Annotated[str | None, typer.Option(help="Source file, for metrics neural:NAME that need it."), InFile()] = None
    num_refs: Annotated[int, typer.Option("--num-refs", "-nr", min=1, help="References per file, between tabs.")] = 1
    metrics: Annotated[
        list[str] | None, typer.Option("--metrics", "-m", help="Metrics; default: bleu, chrf and ter; with -b: bleu."), PLAIN_TEXT
    ] = None
    lowercase: Annotated[bool, typer.Option("--lowercase", "-lc", help="Ignore case; chrF and TER have options of their own.")] = (
        False
    )
    tokenize: Annotated[
        str | None, typer.Option("--tokenize", "-tok", help="Tokeniser, for metrics that have one."), PLAIN_TEXT
    ] = None
    language_pair: Annotated[
        str | None,
        typer.Option("--language-pair", "-l", help="Languages, as en-zh; they choose the tokeniser."),
        PLAIN_TEXT,
    ] = None
    smooth_method: Annotated[
        str | None,
        typer.Option("--smooth-method", "-s", help="BLEU's smoothing: exp, floor, add-k or none.", rich_help_panel="Metrics"),
        PLAIN_TEXT,
    ] = None
    smooth_value: Annotated[
        float | None, number("--smooth-value", "-sv", about="Value of floor or add-k smoothing.", panel="Metrics")
    ] = None
    chrf_char_order: Annotated[
        int | None,
        typer.Option("--chrf-char-order", "-cc", help="Characters of chrF's n-grams; default 6.", rich_help_panel="Metrics"),
    ] = None
    chrf_word_order: Annotated[
        int | None,
        typer.Option(
            "--chrf-word-order", "-cw", help="Words of chrF's n-grams; default 0; 2 is chrF++.", rich_help_panel="Metrics"
        ),
    ] = None
    chrf_beta: Annotated[int | None, typer.Option(help="Weight of chrF's recall; default 2.", rich_help_panel="Metrics")] = None
    chrf_whitespace: Annotated[bool, typer.Option("--chrf-whitespace", help="Count blanks in chrF.", rich_help_panel="Metrics")] = (
        False
    )
    chrf_lowercase: Annotated[bool, typer.Option("--chrf-lowercase", help="Ignore case in chrF.", rich_help_panel="Metrics")] = (
        False
    )
    chrf_eps_smoothing: Annotated[
        bool, typer.Option("--chrf-eps-smoothing", help="Smooth chrF as NLTK and Moses do.", rich_help_panel="Metrics")
    ] = False
    ter_case_sensitive: Annotated[
        bool, typer.Option("--ter-case-sensitive", help="Respect case in TER.", rich_help_panel="Metrics")
    ] = False
    ter_asian_support: Annotated[
        bool, typer.Option("--ter-asian-support", help="Split Asian characters in TER.", rich_help_panel="Metrics")
    ] = False
    ter_no_punct: Annotated[bool, typer.Option("--ter-no-punct", help="TER without punctuation.", rich_help_panel="Metrics")] = (
        False
    )
    ter_normalized: Annotated[
        bool, typer.Option("--ter-normalized", help="Tercom's normalisation in TER.", rich_help_panel="Metrics")
    ] = False
    segments: Annotated[bool, typer.Option("--sentence-level", "-sl", help="Add the score of every segment.")] = False
    confidence: Annotated[bool, typer.Option("--confidence", "-ci", help="Add bootstrap intervals and paired tests.")] = False
    paired_bs: Annotated[
        bool,
        typer.Option(
            "--paired-bs", "-pbs", help="As --confidence; the test is the paired bootstrap.", rich_help_panel="Significance"
        ),
    ] = False
    paired_ar: Annotated[
        bool,
        typer.Option(
            "--paired-ar", "-par", help="As --confidence; the test is approximate randomisation.", rich_help_panel="Significance"
        ),
    ] = False
    samples: Annotated[
        int,
        typer.Option(
            "--confidence-n",
            "-cin",
            "--paired-bs-n",
            "-pbsn",
            min=100,
            max=10000,
            help="Bootstrap resamples.",
            rich_help_panel="Significance",
        ),
    ] = 1000
    trials: Annotated[
        int,
        typer.Option(
            "--paired-ar-n",
            "-parn",
            min=100,
            max=100000,
            help="Trials of approximate randomisation.",
            rich_help_panel="Significance",
        ),
    ] = 10000
    paired_jobs: Annotated[
        int,
        typer.Option(
            "--paired-jobs",
            "-j",
            min=0,
            help="Accepted for sacreBLEU's sake; changes nothing.",
            rich_help_panel="For sacreBLEU's sake",
        ),
        LOCAL_MACHINE,
    ] = 1
    seed: Annotated[int, typer.Option(min=0, envvar="ASSAY_SEED", help="Seed of resampling.", rich_help_panel="Significance")] = (
        12345
    )
    baseline: Annotated[
        str | None,
        typer.Option(help="System, or file of --save-scores, to compare with; adds tests."),
        LOCAL_MACHINE,
    ] = None
    save_scores: Annotated[
        str | None,
        typer.Option(help="FILE or SYSTEM=FILE: keep scores for a later --baseline."),
        OutFile(),
        LOCAL_MACHINE,
    ] = None
    letters: Annotated[
        bool,
        typer.Option(
            "--letters", help="Test every two systems; equal letters: no difference at 0.05.", rich_help_panel="Significance"
        ),
    ] = False
    runs: Annotated[
        list[str] | None,
        typer.Option(help="SYSTEM=INPUT,INPUT: inputs that are runs of one system.", rich_help_panel="Significance"),
        PLAIN_TEXT,
    ] = None
    empty: Annotated[
        str, typer.Option(help="Segments that are empty in any file: score, skip or error.", rich_help_panel="Metrics"), PLAIN_TEXT
    ] = "score"
    fail_below: Annotated[
        list[str] | None, typer.Option(help="METRIC=VALUE: exit 1 when a system is worse.", rich_help_panel="Gates"), LOCAL_MACHINE
    ] = None
    fail_if_worse: Annotated[
        bool,
        typer.Option("--fail-if-worse", help="Exit 1 when a system is significantly worse by any metric.", rich_help_panel="Gates"),
        LOCAL_MACHINE,
    ] = False
    fail_unless_better: Annotated[
        bool,
        typer.Option(
            "--fail-unless-better", help="Exit 1 unless systems are significantly better by every metric.", rich_help_panel="Gates"
        ),
        LOCAL_MACHINE,
    ] = False
    fail_on: Annotated[
        str | None,
        typer.Option(help="Exit 1 on empty, repeated-loop, system-residue or any.", rich_help_panel="Gates"),
        LOCAL_MACHINE,
    ] = None
    alpha: Annotated[float, number(about="Level of significance.", panel="Gates", low=0, high=1, shares=True), LOCAL_MACHINE] = 0.05
    score_only: Annotated[bool, typer.Option("--score-only", "-b", help="Print scores only, one per line.")] = False
    width: Annotated[int | None, typer.Option("--width", "-w", min=0, max=15, help="Decimals of scores.")] = None
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No notes; failed gates are still named."), LOCAL_MACHINE] = False
    no_color: Annotated[
        bool,
        typer.Option(
            "--no-color",
            "-nc",
            help="Accepted for sacreBLEU's sake; output has no colours.",
            rich_help_panel="For sacreBLEU's sake",
        ),
        LOCAL_MACHINE,
    ] = False
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Accepted for sacreBLEU's sake; tokenised text needs no force.", rich_help_panel="For sacreBLEU's sake"
        ),
        LOCAL_MACHINE,
    ] = False
    server: Annotated[Server, LOCAL_MACHINE] = None
    form: Annotated[
        str, typer.Option("--format", "-f", envvar="ASSAY_FORMAT", help="text, json, tsv, markdown or junit."), PLAIN_TEXT
    ] = "text"
