"""Weighting against concatenation: ``python -m benchmarks.smt.corpus.weighting MULTI30K MLQE_EN_DE NTREX [SEEDS]``.

German to English. In the domain: 1,500 pairs of Multi30k's captions, new ones for each seed. Out of it: 4,000 of MLQE-PE's sentences of
Wikipedia (English, and post-edited German) and NTREX' news. All text of a seed is aligned together. Its tables differ in weights
alone, and all share the mixed language model. MIRA tunes decoder weights for each table in four rounds of translating.
A last table has weights found by `assay smt search-weights` with the decoder weights of its start. 300 captions of `val` serve mixtures,
search and tuning, all of `test_2016_flickr` BLEU (tokenised, lower-cased; paired bootstrap against the concatenation).
"""

import gzip
import html
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from app.arrays import Float64s
from app.building.alignment.files import AlignmentFiles, align_files
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.resources.language_models import open_language_model
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.scoring.tables import TableOptions, build_tables
from app.smt.corpus.weighting.columns import Labels, read_numbers
from app.smt.corpus.weighting.goodness import alignment_scores, inverse_perplexities
from app.smt.corpus.weighting.mixture import fit_mixture, mix_models, token_probabilities
from app.smt.corpus.weighting.phrase_scores import PhraseScores
from app.smt.corpus.weighting.resampling import draw_counts, resample_files
from app.smt.corpus.weighting.sentence_weights import PairScores, corpus_mixture, read_table, read_text
from app.text.batch import pack_lines
from app.text.tokenisation import tokeniser_for
from benchmarks.smt.systems.rounds import TunedSystem, tuned_system
from benchmarks.smt.systems.tuning import Text

IN_DOMAIN, WIKIPEDIA, DEV = 1500, 4000, 300
LISTS, ROUNDS, STACK, TRIALS = 50, 4, 30, 15
LONGEST = 50
NAMES = ("captions", "wikipedia", "news")
INI = """[distortion-limit]
6
[stack]
50
[feature]
KENLM name=LM path={lm}
Distortion name=D
WordPenalty name=W
PhrasePenalty name=P
PhraseDictionaryMemory name=T num-features=4 path={table}/phrase-table.gz table-limit=20
UnknownWordPenalty name=U
[weight]
LM= 0.5
D= 0.3
W= -1
P= 0.2
T= 0.2 0.2 0.2 0.2
U= 1
"""

Pairs = list[tuple[str, str]]


def read(path: Path, language: str | None = None) -> list[str]:
    lines = [html.unescape(line).lower().strip() for line in gzip.open(path, "rt", encoding="utf-8")]
    if language is None:
        return lines
    tokenise = tokeniser_for(language)
    return [" ".join(tokenise(line)) for line in lines]


def within_limits(pairs: Pairs) -> Pairs:
    return [pair for pair in pairs if all(0 < len(side.split()) <= LONGEST for side in pair)]


def write(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def perplexity(probabilities: Float64s) -> float:
    return float(np.exp(-np.log(probabilities).mean()))


def run(folder: Path, seed: int, text: Pairs, pairs: Labels, sentences: dict[str, list[str]]) -> dict[str, object]:
    """Results of a seed. `pairs` labels the corpus of each pair of `text`; all files go to `folder`."""
    files = [write(folder / name, [pair[side] for pair in text]) for side, name in enumerate(("de", "en"))]
    files.append(folder / "links")
    align_files(files[0], files[1], AlignmentFiles(links=files[2], scores=folder / "scores"))
    captions = np.flatnonzero(pairs.ids == 0)
    answer: dict[str, object] = {"seed": seed, "pairs": dict(zip(NAMES, pairs.sizes.tolist(), strict=True))}

    english, german = read_text(folder / "en"), read_text(folder / "de")
    models = [estimate_language_model(english.rows(np.flatnonzero(pairs.ids == k))) for k in range(len(NAMES))]
    dev, test = pack_lines(sentences["dev.en"]), pack_lines(sentences["test.en"])
    mixture = fit_mixture(token_probabilities(models, dev))
    write_kenlm_trie(mix_models(models, mixture.weights), folder / "mixed.lm")
    # All models have equal vocabularies, so that perplexities are comparable.
    probabilities = token_probabilities([*models, estimate_language_model(english)], test)
    answer["perplexity"] = {
        "captions": perplexity(probabilities[0]), "concatenation": perplexity(probabilities[3]), "mixture": perplexity(mixture.weights @ probabilities[:3]),
    }  # fmt: skip
    answer["mixture"] = dict(zip(NAMES, mixture.weights.tolist(), strict=True))

    domain = folder / "domain.lm"
    write_kenlm_trie(estimate_language_model(german.rows(captions)), domain)
    weights = corpus_mixture(german, pairs, pack_lines(sentences["dev.de"])).weights
    answer["corpora"] = dict(zip(NAMES, weights.tolist(), strict=True))
    scores = {
        "perplexity": inverse_perplexities(open_language_model(domain), german),
        "alignment": alignment_scores(read_numbers(folder / "scores", 2), 0.1),
    }
    recipes = {
        "concatenation": PairScores(pairs, np.ones(3)),
        "captions": PairScores(pairs, np.array([1.0, 0.0, 0.0])),
        "equal-shares": PairScores(pairs, 1 / pairs.sizes),
        "corpora": PairScores(pairs, weights),
        "scores": PairScores(pairs, np.ones(3), scores),
        "corpora-and-scores": PairScores(pairs, weights, scores),
    }
    extract_phrases(files[0], files[1], files[2], folder / "extracted", numbered=True)
    for name, recipe in recipes.items():
        build_tables(folder / "extracted", folder / f"table-{name}", TableOptions(weigher=PhraseScores(recipe, {})))
    counts = draw_counts(pairs, np.random.default_rng(seed), 10 * len(pairs), weights, scores["alignment"])
    resample_files(files, folder / "drawn", counts, pairs, True, "benchmarks.smt.corpus.weighting")
    resampled_files = [folder / "drawn" / path.name for path in files]
    extract_phrases(resampled_files[0], resampled_files[1], resampled_files[2], folder / "drawn-extracted")
    # Lexical weights come from all text, as in the other tables.
    build_tables(folder / "drawn-extracted", folder / "table-resampled", lexical=folder / "extracted")

    def configured(name: str, table: Path) -> Path:
        (folder / f"{name}.ini").write_text(INI.format(lm=folder / "mixed.lm", table=table), "utf-8")
        return folder / f"{name}.ini"

    dev_text, test_text = (Text(sentences[f"{part}.de"], sentences[f"{part}.en"]) for part in ("dev", "test"))
    scores_of: dict[str, TunedSystem] = {}

    def measure(name: str, config: Path) -> None:
        scores_of[name] = tuned_system(config, dev_text, test_text, seed, folder / "rounds", ROUNDS, LISTS, STACK)
        print(seed, name, f"{scores_of[name].dev:.2f} {scores_of[name].test:.2f}", file=sys.stderr, flush=True)
        write(folder / f"{name}.out", scores_of[name].texts)

    for name in (*recipes, "resampled"):
        measure(name, configured(name, folder / f"table-{name}"))
    # The search has the decoder weights of its start system, and its best table is tuned again.
    (folder / "search.ini").write_bytes(scores_of["corpora-and-scores"].configuration)
    recipes["corpora-and-scores"].write(folder / "scores.tsv")
    for part in ("dev", "test"):
        for side in ("de", "en"):
            write(folder / f"{part}.{side}", sentences[f"{part}.{side}"])
    words = [
        "smt",
        "search-weights",
        folder / "extracted",
        "--pair-scores",
        folder / "scores.tsv",
        "--config",
        folder / "search.ini",
    ]
    words += ["--source", folder / "dev.de", "--reference", folder / "dev.en", "--metric", "bleu|tok:none", "--trials", TRIALS]
    search = json.loads(assay(*words, "--out", folder / "weights.json", "--table", folder / "searched.tsv"))
    answer["searched"] = search
    weigher = PhraseScores(read_table(folder / "searched.tsv"), search["best"]["powers"])
    build_tables(folder / "extracted", folder / "table-searched", TableOptions(weigher=weigher))
    measure("searched", configured("searched", folder / "table-searched"))
    systems = [word for name in scores_of for word in ("-i", f"{name}={folder / f'{name}.out'}")]
    words = ["score", folder / "test.en", *systems, "--tokenize", "none", "--paired-bs", "--baseline", "concatenation"]
    answer["bleu"] = json.loads(assay(*words, "-f", "json"))
    answer["dev"] = {name: system.dev for name, system in scores_of.items()}
    answer["test"] = {name: system.test for name, system in scores_of.items()}
    return answer


def assay(*words: object) -> str:
    process = subprocess.run([sys.executable, "-m", "app", *map(str, words)], capture_output=True, text=True, check=False)
    if process.returncode:
        raise SystemExit(f"{words}\n{process.stderr}")
    return process.stdout


def main(arguments: list[str]) -> None:
    multi30k, mlqe, ntrex = (Path(argument) for argument in arguments[:3])
    seeds = [int(argument) for argument in arguments[3:]] or [1, 2, 3]
    captions = within_limits(list(zip(read(multi30k / "train.de.gz"), read(multi30k / "train.en.gz"), strict=True)))
    order = np.random.default_rng(0).permutation(len(captions))
    wikipedia = within_limits(list(zip(read(mlqe / "train.tok.pe.gz"), read(mlqe / "train.tok.src.gz"), strict=True)))[:WIKIPEDIA]
    news = [read(ntrex / f"newstest2019-{name}.txt.gz", language) for name, language in (("ref.deu", "de"), ("src.eng", "en"))]
    sentences = {
        f"{name}.{side}": read(multi30k / f"{part}.{side}.gz")
        for name, part in (("dev", "val"), ("test", "test_2016_flickr"))
        for side in ("de", "en")
    }
    sentences |= {name: lines[:DEV] for name, lines in sentences.items() if name.startswith("dev")}
    for seed in seeds:
        begin = time.process_time()
        sample = order[(seed - 1) * IN_DOMAIN : seed * IN_DOMAIN]
        parts = ([captions[k] for k in sample], wikipedia, within_limits(list(zip(*news, strict=True))))
        labels = Labels(NAMES, np.repeat(np.arange(len(NAMES)), [len(part) for part in parts]).astype(np.int32))
        with TemporaryDirectory() as scratch:
            answer = run(Path(scratch), seed, [pair for part in parts for pair in part], labels, sentences)
        print(json.dumps({**answer, "seconds": time.process_time() - begin}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
