"""Options of `assay score`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import LOCAL_MACHINE, PLAIN_TEXT, REQUIREMENT, InFile, OutFile
from app.shell.declaration.parameters import GateFormat, Quiet, Server, number
from app.shell.options.large_tables import LargeTableOptions

__all__ = ["ScoreOptions"]


@declare(server=True, style="app.shell.scoring.greedy:GreedyCommand")
@dataclass(frozen=True, kw_only=True)
class ScoreOptions(LargeTableOptions):
    """Options of `assay score`."""

    first: Annotated[
        list[str] | None,
        argument(metavar="[REFERENCE]...", help="Reference files, or NAME=FILE; before all options."),
        InFile(),
        REQUIREMENT,
    ] = None
    references: Annotated[
        list[str] | None,
        option("--reference", "-r", help="Reference files, or NAME=FILE, instead of arguments."),
        InFile(),
        LOCAL_MACHINE,
    ] = None
    systems: Annotated[
        list[str] | None,
        option("--input", "-i", help="System outputs; default: stdin, one system per column."),
        InFile(),
        REQUIREMENT,
    ] = None
    source: Annotated[str | None, option(help="Source file, for terms and metrics neural:NAME that need it."), InFile()] = None
    glossary: Annotated[
        Path | None, option(help="Add the metric terms for this glossary: .csv, .tsv, .tbx or .xlsx."), InFile(), LOCAL_MACHINE
    ] = None
    num_refs: Annotated[int, option("--num-refs", "-nr", min=1, help="References per file, between tabs.")] = 1
    encoding: Annotated[str, option("--encoding", "-e", help="Encoding of all files of text, as latin-1."), PLAIN_TEXT] = "utf-8"
    metrics: Annotated[
        list[str] | None, option("--metrics", "-m", help="Metrics; default: bleu, chrf and ter; with -b: bleu."), PLAIN_TEXT
    ] = None
    lowercase: Annotated[bool, option("--lowercase", "-lc", help="Ignore case; chrF and TER have options of their own.")] = False
    tokenize: Annotated[str | None, option("--tokenize", "-tok", help="Tokeniser, for metrics that have one."), PLAIN_TEXT] = None
    language_pair: Annotated[
        str | None, option("--language-pair", "-l", help="Languages, as en-zh; they choose the tokeniser."), PLAIN_TEXT
    ] = None
    smooth_method: Annotated[
        str | None,
        option("--smooth-method", "-s", help="BLEU's smoothing: exp, floor, add-k or none.", panel="Metrics"),
        PLAIN_TEXT,
    ] = None
    smooth_value: Annotated[
        float | None, number("--smooth-value", "-sv", about="Value of floor or add-k smoothing.", panel="Metrics")
    ] = None
    chrf_char_order: Annotated[
        int | None, option("--chrf-char-order", "-cc", help="Characters of chrF's n-grams; default 6.", panel="Metrics")
    ] = None
    chrf_word_order: Annotated[
        int | None, option("--chrf-word-order", "-cw", help="Words of chrF's n-grams; default 0; 2 is chrF++.", panel="Metrics")
    ] = None
    chrf_beta: Annotated[int | None, option(help="Weight of chrF's recall; default 2.", panel="Metrics")] = None
    chrf_whitespace: Annotated[bool, option("--chrf-whitespace", help="Count blanks in chrF.", panel="Metrics")] = False
    chrf_lowercase: Annotated[bool, option("--chrf-lowercase", help="Ignore case in chrF.", panel="Metrics")] = False
    chrf_eps_smoothing: Annotated[
        bool, option("--chrf-eps-smoothing", help="Smooth chrF as NLTK and Moses do.", panel="Metrics")
    ] = False
    ter_case_sensitive: Annotated[bool, option("--ter-case-sensitive", help="Respect case in TER.", panel="Metrics")] = False
    ter_asian_support: Annotated[bool, option("--ter-asian-support", help="Split Asian characters in TER.", panel="Metrics")] = (
        False
    )
    ter_no_punct: Annotated[bool, option("--ter-no-punct", help="TER without punctuation.", panel="Metrics")] = False
    ter_normalized: Annotated[bool, option("--ter-normalized", help="Tercom's normalisation in TER.", panel="Metrics")] = False
    test_set: Annotated[
        list[str] | None,
        option("--test-set", "-t", help="Refused: Assay downloads no test sets.", panel="For sacreBLEU's sake"),
        LOCAL_MACHINE,
    ] = None
    segments: Annotated[bool, option("--sentence-level", "-sl", help="Add the score of every segment.")] = False
    confidence: Annotated[bool, option("--confidence", "-ci", help="Add bootstrap intervals to a single system's scores.")] = False
    paired_bs: Annotated[
        bool, option("--paired-bs", "-pbs", help="Add intervals, and test by the paired bootstrap.", panel="Significance")
    ] = False
    paired_ar: Annotated[
        bool, option("--paired-ar", "-par", help="Add intervals, and test by approximate randomisation.", panel="Significance")
    ] = False
    samples: Annotated[
        int,
        option(
            "--confidence-n",
            "-cin",
            "--paired-bs-n",
            "-pbsn",
            min=100,
            max=10000,
            help="Bootstrap resamples.",
            panel="Significance",
        ),
    ] = 1000
    trials: Annotated[
        int,
        option("--paired-ar-n", "-parn", min=100, max=100000, help="Trials of approximate randomisation.", panel="Significance"),
    ] = 10000
    paired_jobs: Annotated[
        int,
        option("--paired-jobs", "-j", min=0, help="Accepted for sacreBLEU's sake; changes nothing.", panel="For sacreBLEU's sake"),
        LOCAL_MACHINE,
    ] = 1
    seed: Annotated[int, option(min=0, envvar="ASSAY_SEED", help="Seed of resampling.", panel="Significance")] = 12345
    baseline: Annotated[
        str | None, option(help="System, or file of --save-scores, to compare with; default: the first."), LOCAL_MACHINE
    ] = None
    save_scores: Annotated[
        str | None, option(help="FILE or SYSTEM=FILE: keep scores for a later --baseline."), OutFile(named=True), LOCAL_MACHINE
    ] = None
    letters: Annotated[
        bool, option("--letters", help="Test every two systems; equal letters: no difference.", panel="Significance")
    ] = False
    runs: Annotated[
        list[str] | None, option(help="SYSTEM=INPUT,INPUT: inputs that are runs of one system.", panel="Significance"), PLAIN_TEXT
    ] = None
    empty: Annotated[
        str, option(help="Segments that are empty in any file: score, skip or error.", panel="Metrics"), PLAIN_TEXT
    ] = "score"
    fail_below: Annotated[
        list[str] | None,
        option(help="METRIC=VALUE: exit 1 when a system other than the baseline is worse.", panel="Gates"),
        LOCAL_MACHINE,
    ] = None
    fail_if_worse: Annotated[
        bool,
        option("--fail-if-worse", help="Exit 1 when a system is significantly worse by any metric.", panel="Gates"),
        LOCAL_MACHINE,
    ] = False
    fail_unless_better: Annotated[
        bool,
        option("--fail-unless-better", help="Exit 1 unless systems are significantly better by every metric.", panel="Gates"),
        LOCAL_MACHINE,
    ] = False
    fail_on: Annotated[
        str | None, option(help="Exit 1 on empty, repeated-loop, system-residue or any.", panel="Gates"), LOCAL_MACHINE
    ] = None
    alpha: Annotated[float, number(about="Level of significance.", panel="Gates", low=0, high=1, shares=True), LOCAL_MACHINE] = 0.05
    score_only: Annotated[bool, option("--score-only", "-b", help="Print scores only, one per line, without tests.")] = False
    width: Annotated[int | None, option("--width", "-w", min=0, max=15, help="Decimals of scores.")] = None
    quiet: Annotated[Quiet, LOCAL_MACHINE] = False
    no_color: Annotated[
        bool,
        option("--no-color", "-nc", help="Accepted for sacreBLEU's sake; output has no colours.", panel="For sacreBLEU's sake"),
        LOCAL_MACHINE,
    ] = False
    force: Annotated[
        bool,
        option("--force", help="Accepted for sacreBLEU's sake; tokenised text needs no force.", panel="For sacreBLEU's sake"),
        LOCAL_MACHINE,
    ] = False
    server: Annotated[Server, LOCAL_MACHINE] = None
    form: Annotated[GateFormat, option("--format", "-f", envvar="ASSAY_FORMAT", help="text, json, tsv, markdown or junit.")] = (
        "text"
    )
