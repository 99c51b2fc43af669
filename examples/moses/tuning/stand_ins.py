"""Stand in the place of Moses' `extractor`, `mert`, `kbmira`, `pro`, `megam` and `evaluator`, so that mert-moses.pl tunes by Assay.

The scripts beside this file are called by mert-moses.pl, and each calls the function here that bears its name. `extractor` notes
which list belongs to which references; the optimisers call `assay nbest tune` on all lists so far and write
what mert-moses.pl reads.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

METRICS = {"BLEU": "bleu|tok:none", "TER": "ter", "PER": "per|tok:none", "WER": "wer|tok:none"}
# What mert-moses.pl says of case and of the length of several references, and how a metric is asked for the same; the shortest and
# the mean length are not what Assay's BLEU has.
CONFIGURED = {"case:true": "|case:mixed", "case:false": "|case:lc", "reflen:closest": ""}
SPARSE = "_"


def extractor(arguments: list[str]) -> None:
    """Note list and references where the statistics would be; the features' file is there, too, since others look for it."""
    parser = parser_of("extractor")
    add_scorer(parser)
    parser.add_argument("--binary", "-b", action="store_true", help="what is noted is no table of numbers")
    parser.add_argument("--scfile", "-S", required=True, type=Path)
    parser.add_argument("--ffile", "-F", required=True, type=Path)
    parser.add_argument("--reference", "-r", required=True)
    parser.add_argument("--nbest", "-n", required=True)
    given = parsed(parser, arguments)
    note = {
        "n_best": given.nbest.split(","),
        "references": given.reference.split(","),
        "sctype": given.sctype or "BLEU",
        "scconfig": given.scconfig,
    }
    for file in (given.scfile, given.ffile):
        file.write_text(json.dumps(note), encoding="utf-8")


def mert(arguments: list[str]) -> None:
    """Tune dense features from the weights of init.opt; writes weights.txt and the line that mert-moses.pl looks for."""
    parser = parser_of("mert")
    add_scorer(parser)
    add_assay(parser)
    parser.add_argument("-d", dest="features", required=True, type=int)
    parser.add_argument("-n", dest="restarts", default=20, type=int)
    parser.add_argument("-r", dest="seed", default=1, type=int)
    parser.add_argument("-m", dest="directions", default=None, type=int, help="--number-of-random-directions")
    parser.add_argument("--scfile", required=True)
    parser.add_argument("--ffile", required=True)
    parser.add_argument("--ifile", default="init.opt")
    parser.add_argument("--threads", help="all lists are one array; there are no threads to divide")
    given = parsed(parser, arguments)
    method = f"mert|restarts:{given.restarts}" + ("" if given.directions is None else f"|directions:{given.directions}")
    notes = [read_note(file) for file in given.scfile.split(",")]
    if any(sparse_names(notes)):
        sys.exit("mert: the lists have sparse features, which mert does not tune: leave them out, or use --batch-mira")
    answer = tuned(given, notes, method, ["--start", given.ifile.split(",")[-1]])
    weights = [row["weight"] for row in answer["spread"]]
    if len(weights) != given.features:
        sys.exit(f"mert: the lists have {len(weights)} dense features, and mert-moses.pl counts {given.features}")
    line = " ".join(map(digits, weights))
    Path("weights.txt").write_text(f"{line} \n", encoding="utf-8")
    print(f"Best point: {line}  => {fraction(answer):.6f}", file=sys.stderr)


def kbmira(arguments: list[str]) -> None:
    """Tune dense and sparse features from run*.dense and run*.sparse-weights; writes the weights to the file of -o."""
    parser = parser_of("kbmira")
    add_assay(parser)
    add_files(parser)
    parser.add_argument("--dense-init", "-d")
    parser.add_argument("--sparse-init", "-s")
    parser.add_argument("--output-file", "-o", type=Path)
    parser.add_argument("--cparam", "-C", default=None)
    parser.add_argument("--decay", "-D", default=None)
    parser.add_argument("--iters", "-J", default=None)
    parser.add_argument("--no-shuffle", action="store_true")
    parser.add_argument("--model-bg", action="store_true")
    given = parsed(parser, arguments)
    named = {"C": given.cparam, "decay": given.decay, "epochs": given.iters}
    options = [f"{name}:{value}" for name, value in named.items() if value is not None]
    options += ["shuffle:no"] * given.no_shuffle + ["background:model"] * given.model_bg
    notes = [read_note(file) for file in given.scfile]
    start = Path("assay-start.weights")
    lines = [Path(file).read_text(encoding="utf-8") for file in (given.dense_init, given.sparse_init) if file]
    # What the lists have and no file names begins at 0, as in kbmira.
    begun = {line.split()[0] for text in lines for line in text.splitlines() if line.strip()}
    lines += [f"{name} 0\n" for name in sparse_names(notes) if name not in begun]
    start.write_text("".join(lines), encoding="utf-8")
    answer = tuned(given, notes, "|".join(["mira", *options]), ["--start", str(start)] if given.dense_init else [])
    write_numbered(answer, given.output_file)
    print(f"Best BLEU = {fraction(answer):.6f}", file=sys.stderr)


def pro(arguments: list[str]) -> None:
    """Note for `megam_i686.opt`, which mert-moses.pl calls next, what is to be tuned on, and how."""
    parser = parser_of("pro")
    add_assay(parser)
    add_files(parser)
    parser.add_argument("--output-file", "-o", required=True, type=Path)
    given = parsed(parser, arguments)
    note = {key: value for key, value in vars(given).items() if key != "output_file"}
    given.output_file.write_text(json.dumps(note), encoding="utf-8")


def megam(arguments: list[str]) -> None:
    """Tune by PRO on what `pro` noted; prints the weights. All but the file is about megam's own optimiser."""
    given = argparse.Namespace(**read_note(arguments[-1]))
    notes = [read_note(file) for file in given.scfile]
    write_numbered(tuned(given, notes, "pro", []), None)


def evaluator(arguments: list[str]) -> None:
    """Print the score of an output as a fraction, for --return-best-dev."""
    parser = parser_of("evaluator")
    add_scorer(parser, "-s")
    parser.add_argument("--reference", "-R", required=True)
    parser.add_argument("--candidate", "-C", required=True)
    given = parsed(parser, arguments)
    references = [f"r{number}={file}" for number, file in enumerate(given.reference.split(","))]
    command = ["score", *references, "-i", given.candidate, "-m", metric_of(given.sctype or "BLEU", given.scconfig)]
    (score,) = called([*command, "--format", "json"])["metrics"]
    print(f"{fraction(score, 'score'):.6f}")


def parser_of(name: str) -> argparse.ArgumentParser:
    """A parser that guesses nothing."""
    return argparse.ArgumentParser(prog=name, allow_abbrev=False)


def add_scorer(parser: argparse.ArgumentParser, *short: str) -> None:
    """What --mertargs may say of the metric."""
    parser.add_argument("--sctype", *short, default=None)
    parser.add_argument("--scconfig", default=None)


def add_assay(parser: argparse.ArgumentParser) -> None:
    """What --mertmertargs, --batch-mira-args and --proargs hand on to Assay."""
    parser.add_argument("--method", default=None)
    parser.add_argument("--metric", default=None)
    parser.add_argument("--runs", default=1, type=int)


def add_files(parser: argparse.ArgumentParser) -> None:
    """Lists as kbmira and pro are told them: an option a file."""
    parser.add_argument("--random-seed", "-r", dest="seed", default=1, type=int)
    parser.add_argument("--scfile", "-S", action="append", required=True)
    parser.add_argument("--ffile", "-F", action="append", required=True)


def parsed(parser: argparse.ArgumentParser, arguments: list[str]) -> argparse.Namespace:
    """The options; what would change the weights, and is not understood, is not passed over."""
    given, others = parser.parse_known_args(arguments)
    if others:
        sys.exit(f"{parser.prog}: not understood: {' '.join(others)}")
    return given


def read_note(file: str) -> dict[str, Any]:
    """What a stand-in before this one noted."""
    try:
        note = json.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        sys.exit(f"{file}: {error.strerror}")
    except ValueError:
        sys.exit(f"{file} is not what the stand-ins write: remove what Moses' own extractor wrote, and begin anew")
    return dict(note)


def tuned(given: argparse.Namespace, notes: list[dict[str, Any]], method: str, more: list[str]) -> dict[str, Any]:
    """The answer of `assay nbest tune` on the lists of all notes."""
    last = notes[-1]
    metric = given.metric or metric_of(getattr(given, "sctype", None) or last["sctype"], last["scconfig"])
    command = ["nbest", "tune", *(file for note in notes for file in note["n_best"]), *more, "--method", given.method or method]
    command += ["--metric", metric, "--seed", str(given.seed), "--runs", str(given.runs), "--format", "json"]
    for number, reference in enumerate(last["references"]):
        command += ["--reference", f"r{number}={reference}"]
    return called(command)


def called(arguments: list[str]) -> dict[str, Any]:
    """What Assay answers; its exit code where it fails."""
    done = subprocess.run([*os.environ.get("ASSAY", "assay").split(), *arguments], stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    return dict(json.loads(done.stdout))


def metric_of(kind: str, configured: str | None) -> str:
    """The metric of --sctype and --scconfig."""
    if kind not in METRICS:
        sys.exit(f"--sctype is one of {', '.join(METRICS)}, or name any metric by --mertmertargs '--metric NAME '")
    parts = configured.split(",") if configured else []
    others = [part for part in parts if part not in CONFIGURED]
    if others:
        sys.exit(f"not understood: --scconfig {','.join(others)}; there are {', '.join(CONFIGURED)}")
    return METRICS[kind] + "".join(CONFIGURED[part] for part in parts)


def sparse_names(notes: list[dict[str, Any]]) -> list[str]:
    """Features of the lists that have an underscore in their name, which Moses calls sparse."""
    names: dict[str, None] = {}
    for note in notes:
        for file in note["n_best"]:
            with gzip.open(file, "rb") if file.endswith(".gz") else Path(file).open("rb") as lines:
                for line in lines:
                    cells = line.decode("utf-8", "replace").split("|||")
                    words = cells[2].split() if len(cells) > 2 else []
                    names |= dict.fromkeys(word[:-1] for word in words if word[-1] in "=:" and SPARSE in word)
    return list(names)


def write_numbered(answer: dict[str, Any], file: Path | None) -> None:
    """Weights as kbmira and megam print them: dense ones by number, sparse ones by name."""
    dense = [row["weight"] for row in answer["spread"] if SPARSE not in row["feature"]]
    sparse = [row for row in answer["spread"] if SPARSE in row["feature"] and row["weight"]]
    lines = [f"F{number} {digits(weight)}\n" for number, weight in enumerate(dense)]
    text = "".join([*lines, *(f"{row['feature']} {digits(row['weight'])}\n" for row in sparse)])
    if file is None:
        sys.stdout.write(text)
    else:
        file.write_text(text, encoding="utf-8")


def digits(weight: float) -> str:
    """A number as mert-moses.pl reads it."""
    return f"{weight:.12f}".rstrip("0").rstrip(".")


def fraction(answer: dict[str, Any], name: str = "dev_score") -> float:
    """A score; those of 100 points as Moses counts them, of 1."""
    return float(answer[name]) / (100 if "100" in answer["unit"] else 1)
