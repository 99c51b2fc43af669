"""Worth of word order as a quality feature: ``python -m benchmarks.reordering_features DATA OUT [PAIR ...]``.

DATA is MLQE-PE. Five times, a Reordering Grammar and lexical tables of four fifths of the training rows give the features of the rest, in
the folds of the shipped rows. Features of dev come from all training rows. The order of a translation comes from links: the published
ones, or those of both lexical tables, which the service has. Learners:

- the support vector regression of ``python -m benchmarks.feature_sets``, learned from the training rows, on `quest-baseline-17` and on
  `text-only+words`
- a ridge regression of the score by the profile `accurate`, in ten folds of dev, mean over three orders

Tables have Pearson on dev, and differences with 95 % intervals of 2,000 bootstrap samples of the rows of each pair. OUT gets all
features and predictions; a second run goes on from them.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from app.arrays import Float64s, Int64s
from app.building.alignment.symmetrisation import alignment_error_rate
from app.building.building import align_corpus
from app.building.lexical_table import estimate_lexical_table
from app.engine import Engine
from app.engine.segments import Segments
from app.features import exact_set, feature_set
from app.registry.rows import ROWS_FILE, read_rows
from app.settings import Settings
from app.smt.preordering.evaluation import evaluate_orders
from app.smt.preordering.gold import NO_PLACE, mean_places
from app.smt.reordering.grammar import Grammar
from app.smt.reordering.labels import Layout
from app.smt.reordering.learning import initial_grammar, split_grammar, steps
from app.smt.reordering.models.preordering import Preordering, preorder
from app.smt.reordering.treebank import build_treebank
from app.smt.reordering.trees import tree_of
from app.smt.reordering.units import phrases_of
from app.text.batch import pack_lines
from app.text.languages import LanguagePair
from app.text.parallel_corpus import ParallelCorpus, WordLinks
from app.text.tokenisation import tokeniser_for
from benchmarks.gains import Task, corrected, difference, regression
from benchmarks.reordering_links import Part, pairs_of, table_links
from scripts.mlqe_pe.cross_fitting import folds_of
from scripts.mlqe_pe.everything import FOLDS, LABEL_COLUMNS, Split, language_pairs, split_of, tell

LAYOUT, STEPS, NOISE, SAMPLES, SEED = Layout(10, 1), 20, 0.5, 1000, 1
FEATURES = ("kendall", "monotone", "jumps", "arity", "predicted", "expected", "entropy")
SETS = {**{name: [k] for k, name in enumerate(FEATURES)}, "links": [0, 1, 2, 3], "grammar": [4, 5, 6], "all": list(range(7))}
LINKS = ("published", "tables")
WIDE = [feature.id for feature in feature_set("text-only+words").features]
BASES = ("quest-baseline-17", "text-only+words", "accurate")
GROUPS = ("links", "grammar", "all")
# Base, kind of links, set of further features; the baselines stand first.
SYSTEMS = [
    *((base, 0, "none") for base in BASES),
    *(("text-only+words", 0, name) for name in GROUPS),
    *(("text-only+words", 1, name) for name in SETS),
    *(("quest-baseline-17", 1, name) for name in GROUPS),
    *(("accurate", k, name) for k, name in product(range(2), SETS)),
]
FAR = 6
Array = Float64s


def learn(part: Part, rows: Int64s) -> Grammar:
    links = pairs_of(part.links)
    treebank = build_treebank([(part.words[i], links[i]) for i in rows], classes=[part.classes[i] for i in rows])
    *_, last = steps(split_grammar(initial_grammar(treebank), LAYOUT, SEED, NOISE), treebank, STEPS)
    return last.grammar


def order_features(length: int, links: Int64s, prediction: Preordering) -> list[float]:
    """The numbers of FEATURES; without two linked words all but the entropy are those of a translation in the expected order."""
    if len(np.unique(links[:, 0])) < 2:
        return [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, prediction.entropy]
    places = mean_places(length, links)
    places[np.bincount(links[:, 0], minlength=length) == 0] = NO_PLACE
    kendall, predicted = evaluate_orders([np.arange(length), prediction.orders[0]], [places, places]).kendall
    phrases = phrases_of(links)
    spans = phrases.spans[np.argsort(phrases.ranks)]
    distances = np.abs(spans[1:, 0] - spans[:-1, 1])
    monotone, jumps = ((distances == 0).mean(), (distances > FAR).mean()) if len(distances) else (1.0, 0.0)
    earlier = (places[:, None] != NO_PLACE) & (places[:, None] < places[None, :])
    expected = prediction.pairs[earlier].mean() if earlier.any() else 1.0
    return [kendall, monotone, jumps, tree_of(phrases.ranks).arity, predicted, expected, prediction.entropy]


def part_features(part: Part, rows: Int64s, grammar: Grammar, kinds: Sequence[WordLinks]) -> Array:
    """Features of rows by each kind of links of the part; shape (kinds, rows, 7)."""
    predictions = [preorder(grammar, part.words[i], part.classes[i], samples=SAMPLES) for i in rows]
    links = map(pairs_of, kinds)
    return np.array([[order_features(len(part.words[i]), k[i], p) for i, p in zip(rows, predictions, strict=True)] for k in links])


def pair_features(train: Part, dev: Part, fast: Engine) -> dict[str, Array]:
    """Features of order of both parts, shape (kinds, rows, 7), and error rates of the service's links on dev."""
    tokenise, count = tokeniser_for(train.split.pair.target), len(train.words)
    edits = pack_lines([" ".join(tokenise(text)) for text in train.split.column("post_edit")])
    folds, values = folds_of(train.split.column("source"), FOLDS), np.zeros((2, count, len(FEATURES)))
    for fold in range(FOLDS):
        rows, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        corpus = align_corpus(ParallelCorpus(train.corpus.source, edits).rows(rest)).corpus
        tables = estimate_lexical_table(corpus).table(), estimate_lexical_table(corpus.reversed).table()
        values[:, rows] = part_features(train, rows, learn(train, rest), [train.links, table_links(train.corpus, *tables)])
        tell(f"{train.split.pair}: fold {fold + 1} of {FOLDS}")
    resources = fast.pair_resources(train.split.pair)
    assert resources.lexical_table is not None and resources.reverse_table is not None
    served_links = table_links(dev.corpus, resources.lexical_table, resources.reverse_table)
    dev_values = part_features(dev, np.arange(len(dev.words)), learn(train, np.arange(count)), [dev.links, served_links])
    return {"train": values, "dev": dev_values, "errors": np.array([alignment_error_rate(served_links, dev.links)])}


def base_values(dev: Split, fast: Engine, accurate: Engine) -> dict[str, Array]:
    """Features of dev in the set `text-only+words`, and its scores by the profile `accurate`."""
    segments = Segments(dev.pair, dev.column("source"), dev.column("translation"))
    arrays = {"features": fast.features(segments, exact_set("base", WIDE)).values}
    for label in LABEL_COLUMNS:
        name = f"{dev.pair}-{label}-blend-104"
        arrays[label] = accurate.models[name].predict(accurate.model_features(segments, name)).mean
    return arrays


def stored(path: Path, compute: Callable[[], dict[str, Array]]) -> dict[str, Array]:
    """Arrays of a file, computed and written at the first time."""
    if not path.is_file():
        np.savez(path.with_suffix(".part.npz"), **compute())
        path.with_suffix(".part.npz").rename(path)
    with np.load(path) as arrays:
        return dict(arrays)


def key_of(base: str, k: int, name: str) -> str:
    """Name of a system."""
    return base if name == "none" else f"{base}, {LINKS[k]}, {name}"


def pair_tasks(data: Path, out: Path, pair: LanguagePair, engines: tuple[Engine, Engine], settings: Settings) -> Iterator[Task]:
    splits = [split_of(data, pair, name) for name in ("train", "dev")]
    parts = [Part.of(split, settings.resources_dir) for split in splits]
    order = stored(out / f"{pair}.order.npz", lambda: pair_features(*parts, engines[0]))
    base = stored(out / f"{pair}.base.npz", lambda: base_values(splits[1], *engines))
    rows = read_rows(settings.models_dir / f"{pair}-rows" / ROWS_FILE)
    samples = np.random.default_rng(0).integers(0, len(base["features"]), (2000, len(base["features"])))
    print_order(pair, order, [splits[1].labels(label) for label in LABEL_COLUMNS])

    def predictions(label: str) -> dict[str, Array]:
        gold, results = [split.labels(label) for split in splits], {}
        for base_name, k, name in SYSTEMS:
            columns = SETS.get(name, [])
            dev_order, key = order["dev"][k][:, columns], key_of(base_name, k, name)
            if base_name == "accurate":
                results[key] = corrected(np.column_stack([base[label], dev_order]), gold[1])
            else:
                ids = [feature.id for feature in feature_set(base_name).features]
                x = np.hstack([rows.values[:, [rows.features.index(i) for i in ids]], order["train"][k][:, columns]])
                x_dev = np.hstack([base["features"][:, [WIDE.index(i) for i in ids]], dev_order])
                results[key] = regression(x, gold[0], x_dev)
        return results

    for label in LABEL_COLUMNS:
        results = stored(out / f"{pair}.{label}.npz", lambda label=label: predictions(label))
        yield Task(f"{pair}, {label}", splits[1].labels(label), samples, results)


def print_order(pair: LanguagePair, order: dict[str, Array], labels: Sequence[Array]) -> None:
    """Print means of the features on dev, and their correlations with each label."""
    for k, name in enumerate(LINKS):
        values = order["dev"][k]
        means = dict(zip(FEATURES, values.mean(0), strict=True))
        error = f"AER {order['errors'][k - 1]:.3f}, " if k else ""
        with np.errstate(invalid="ignore"):
            cells = [" ".join(f"{np.corrcoef(column, gold)[0, 1]:+.3f}" for column in values.T) for gold in labels]
        print(f"{pair}, {name}: {error}{', '.join(f'{key} {mean:.3f}' for key, mean in means.items())}; alone: {' / '.join(cells)}")


def main() -> None:
    settings, out = Settings(), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    data, pairs = language_pairs(Path(sys.argv[1]))
    folders = settings.resources_dir, settings.models_dir
    engines = Engine.open(*folders, profile="fast"), Engine.open(*folders, encoder=settings.encoder)
    pairs = [LanguagePair.parse(name) for name in sys.argv[3:]] or pairs
    tasks = [task for pair in pairs for task in pair_tasks(data, out, pair, engines, settings)]
    print("\n| System | " + " | ".join(task.name for task in tasks) + " | mean gain, hter | mean gain, da |")
    print("| --- " * (len(tasks) + 3) + "|")
    for base, k, name in sorted(SYSTEMS, key=lambda system: BASES.index(system[0])):
        key = key_of(base, k, name)
        cells = [f"{task.pearson(key):.3f}" for task in tasks]
        if key != base:
            cells += [difference([task for task in tasks if task.name.endswith(label)], key, base) for label in LABEL_COLUMNS]
        print(f"| {key} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
