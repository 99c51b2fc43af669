"""Does weighting beat concatenation: ``python -m benchmarks.weighting MULTI30K MLQE_EN_DE NTREX [SEEDS]``.

German to English. In the domain: 1,500 pairs of Multi30k's captions, others for each seed; out of it: 4,000 of MLQE-PE's sentences of
Wikipedia (English, and German that was post-edited) and NTREX' news. All are aligned together, once; tables of a seed differ by weights
alone. Decoder weights are tuned once a seed, by MERT on one round of lists with the concatenation's table and the mixed language
model, and are the same for all of its tables. 200 captions of `val` for mixtures and tuning, all of `test_2016_flickr` for BLEU
(tokenised, lower-cased; paired bootstrap against the concatenation).
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
from app.corpus.alignment.files import Outputs, align_files
from app.corpus.kenlm_trie import write_kenlm_trie
from app.corpus.kneser_ney import estimate_language_model
from app.corpus.phrases.extraction import extract_phrases
from app.corpus.phrases.scoring.tables import TableOptions, build_tables
from app.corpus.weighting.columns import Labels, read_numbers
from app.corpus.weighting.goodness import alignment_scores, inverse_perplexities
from app.corpus.weighting.mixture import fit_mixture, mix_models, token_probabilities
from app.corpus.weighting.phrase_scores import PhraseScores
from app.corpus.weighting.resampling import draw_counts, resample_files
from app.corpus.weighting.sentence_weights import PairScores, corpus_mixture, read_text
from app.resources.language_models import open_language_model
from app.text.batch import pack_lines
from app.text.tokenisation import tokeniser_for
from app.translation.decoder import Decoder
from app.translation.n_best_lines import n_best_lines
from app.translation.system import load_system
from app.translation.text_phrases import TextPhrases

IN_DOMAIN, WIKIPEDIA, DEV, LISTS = 1500, 4000, 200, 100
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
[weight]
LM= 0.5
D= 0.3
W= -1
P= 0.2
T= 0.2 0.2 0.2 0.2
"""

Pairs = list[tuple[str, str]]


def read(path: Path, language: str | None = None) -> list[str]:
    lines = [html.unescape(line).lower().strip() for line in gzip.open(path, "rt", encoding="utf-8")]
    if language is None:
        return lines
    tokenise = tokeniser_for(language)
    return [" ".join(tokenise(line)) for line in lines]


def kept(pairs: Pairs) -> Pairs:
    return [pair for pair in pairs if all(0 < len(side.split()) <= LONGEST for side in pair)]


def write(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def perplexity(probabilities: Float64s) -> float:
    return float(np.exp(-np.log(probabilities).mean()))


def run(
    folder: Path, seed: int, texts: dict[str, list[str]], labels: list[str], sentences: dict[str, list[str]]
) -> dict[str, object]:
    """A seed: `labels` tells corpora, captions by their seeds; `texts` are de, en, links and scores of all pairs."""
    rows = [k for k, label in enumerate(labels) if label in (*NAMES[1:], f"captions{seed}")]
    for name, column in texts.items():
        write(folder / name, [column[k] for k in rows])
    pairs = Labels(NAMES, np.array([NAMES.index(labels[k].rstrip("0123456789")) for k in rows], np.int32))
    captions = np.flatnonzero(pairs.ids == 0)
    answer: dict[str, object] = {"seed": seed, "pairs": dict(zip(NAMES, pairs.sizes.tolist(), strict=True))}

    english, german = read_text(folder / "en"), read_text(folder / "de")
    models = [estimate_language_model(english.rows(np.flatnonzero(pairs.ids == k))) for k in range(len(NAMES))]
    dev, test = pack_lines(sentences["dev.en"]), pack_lines(sentences["test.en"])
    mixture = fit_mixture(token_probabilities(models, dev))
    write_kenlm_trie(mix_models(models, mixture.weights), folder / "mixed.lm")
    # All models have the same words here, so that perplexities can be compared.
    scored = token_probabilities([*models, estimate_language_model(english)], test)
    answer["perplexity"] = {
        "captions": perplexity(scored[0]), "concatenation": perplexity(scored[3]), "mixture": perplexity(mixture.weights @ scored[:3]),
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
        "corpora": PairScores(pairs, weights),
        "scores": PairScores(pairs, np.ones(3), scores),
        "corpora-and-scores": PairScores(pairs, weights, scores),
    }
    files = [folder / name for name in ("de", "en", "links")]
    extract_phrases(*files, folder / "extracted", numbered=True)
    for name, recipe in recipes.items():
        build_tables(folder / "extracted", folder / f"table-{name}", TableOptions(weigher=PhraseScores(recipe, {})))
    counts = draw_counts(pairs, np.random.default_rng(seed), 10 * len(pairs), weights, scores["alignment"])
    resample_files(files, folder / "drawn", counts, pairs, True, "benchmarks.weighting")
    extract_phrases(*(folder / "drawn" / path.name for path in files), folder / "drawn-extracted")
    # Lexical weights are those of all text, as for the other tables.
    build_tables(folder / "drawn-extracted", folder / "table-resampled", lexical=folder / "extracted")

    def configured(name: str) -> Path:
        (folder / f"{name}.ini").write_text(INI.format(lm=folder / "mixed.lm", table=folder / f"table-{name}"), "utf-8")
        return folder / f"{name}.ini"

    def decoder(config: Path, side: str) -> Decoder:
        return Decoder(load_system(config, TextPhrases(line.split() for line in sentences[side])))

    made = decoder(configured("concatenation"), "dev.de")
    with (folder / "lists").open("w", encoding="utf-8") as lists:
        for segment, line in enumerate(sentences["dev.de"]):
            lists.writelines(f"{row}\n" for row in n_best_lines(made.system, segment, made.translate(line, True).n_best(LISTS)))
    write(folder / "dev.en", sentences["dev.en"])
    ini = folder / "concatenation.ini"
    words = [
        "tune",
        folder / "lists",
        "-r",
        folder / "dev.en",
        "--method",
        "mert",
        "--seed",
        seed,
        "--start",
        ini,
        "--moses-ini",
        ini,
    ]
    assay(*words, "--out", folder / "tuned.ini")
    weighted = (folder / "tuned.ini").read_text("utf-8").partition("[weight]\n")[2]
    systems = []
    for name in (*recipes, "resampled"):
        config = configured(name)
        config.write_text(config.read_text("utf-8").partition("[weight]\n")[0] + "[weight]\n" + weighted, "utf-8")
        made = decoder(config, "test.de")
        best = [made.translate(line).best() for line in sentences["test.de"]]
        write(folder / f"{name}.out", ["" if derivation is None else derivation.text for derivation in best])
        systems += ["-i", f"{name}={folder / f'{name}.out'}"]
    write(folder / "test.en", sentences["test.en"])
    score = [
        "score",
        folder / "test.en",
        *systems,
        "--tokenize",
        "none",
        "--paired-bs",
        "--baseline",
        "concatenation",
        "-f",
        "json",
    ]
    answer["bleu"] = json.loads(assay(*score))
    return answer


def assay(*words: object) -> str:
    made = subprocess.run([sys.executable, "-m", "app", *map(str, words)], capture_output=True, text=True, check=False)
    if made.returncode:
        raise SystemExit(f"{words}\n{made.stderr}")
    return made.stdout


def main(arguments: list[str]) -> None:
    multi30k, mlqe, ntrex = (Path(argument) for argument in arguments[:3])
    seeds = [int(argument) for argument in arguments[3:]] or [1, 2, 3]
    captions = kept(list(zip(read(multi30k / "train.de.gz"), read(multi30k / "train.en.gz"), strict=True)))
    order = np.random.default_rng(0).permutation(len(captions))
    parts: dict[str, Pairs] = {
        f"captions{seed}": [captions[k] for k in order[n * IN_DOMAIN : (n + 1) * IN_DOMAIN]] for n, seed in enumerate(seeds)
    }
    parts["wikipedia"] = kept(list(zip(read(mlqe / "train.tok.pe.gz"), read(mlqe / "train.tok.src.gz"), strict=True)))[:WIKIPEDIA]
    news = [read(ntrex / f"newstest2019-{name}.txt.gz", language) for name, language in (("ref.deu", "de"), ("src.eng", "en"))]
    parts["news"] = kept(list(zip(*news, strict=True)))
    labels = [name for name, part in parts.items() for _ in part]
    sentences = {
        f"{name}.{side}": read(multi30k / f"{part}.{side}.gz")
        for name, part in (("dev", "val"), ("test", "test_2016_flickr"))
        for side in ("de", "en")
    }
    sentences |= {name: lines[:DEV] for name, lines in sentences.items() if name.startswith("dev")}
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        columns = [[pair[side] for part in parts.values() for pair in part] for side in (0, 1)]
        paths = [write(folder / name, column) for name, column in zip(("de", "en"), columns, strict=True)]
        align_files(*paths, Outputs(links=folder / "links", scores=folder / "scores"))
        texts = {name: (folder / name).read_text("utf-8").splitlines() for name in ("de", "en", "links", "scores")}
        for seed in seeds:
            begin = time.process_time()
            (folder / str(seed)).mkdir()
            answer = run(folder / str(seed), seed, texts, labels, sentences)
            print(json.dumps({**answer, "seconds": time.process_time() - begin}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
