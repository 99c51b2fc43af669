"""Signatures pasted back: each names the metric that printed it, and its foreign parts are refused by name."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.metrics import METRICS, Metric, load_trained_metrics, metric_named, use_metric_files
from app.metrics.learnt.linear_metric import LinearMetric
from app.metrics.word_order.names import ORDERINGS
from app.settings import Settings
from app.text.reading.options import Choice, Number, Option

TRAINED = load_trained_metrics(Settings().models_dir / "metrics")
HEADS = {
    "simpbleu": ["simpbleu:PABC4", "simpbleu:RGB3"],
    "order": [f"order:{ordering}" for ordering in ORDERINGS],
    "sbleu": ["sbleu", "sbleu:add-one"],
    "meteor": ["meteor", "meteor:1.5"],
    "beer": ["beer", "beer:mlqe-de", "beer:mqm-zh", "beer:1.1-de", "beer:1.1-tables-en"],
    "rose": ["rose:reg", "rose:rankpos"],
    "trained": ["trained:rose-rankpos-de"],
}
# Values of options with a parser of their own.
PARSED = {
    "smooth": ("exp", "none", "floor", "add-k", "floor[0.05]", "floor[0.055]", "add-k[2]", "add-k[0.123456]"),
    "weights": ("1_0.6_0.8_0.6", "1_0_0_0", "0.123456_1_1_1"),
    "tables": ("no", "mine"),
}


@pytest.fixture(scope="module", autouse=True)
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tables of METEOR under the name mine."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "meteor" / "mine").mkdir(parents=True)
    (folder / "meteor" / "mine" / "function.words").write_text("the\n", "utf-8")
    use_metric_files(None, folder)
    yield
    use_metric_files()


def values_of(key: str, option: Option) -> st.SearchStrategy[str]:
    if isinstance(option, Choice):
        return st.sampled_from(sorted(option.values))
    if isinstance(option, Number) and option.is_whole:
        return st.integers(int(option.low), int(option.high)).map(str)
    if isinstance(option, Number):
        return st.floats(option.low, option.high).map(repr)
    return st.sampled_from(PARSED[key])


@st.composite
def names(draw: st.DrawFn) -> str:
    entry = METRICS[draw(st.sampled_from(sorted(METRICS)))]
    head = draw(st.sampled_from(HEADS.get(entry.name, [entry.name])))
    options = draw(st.lists(st.sampled_from(sorted(entry.options)), unique=True))
    return "|".join([head, *(f"{key}:{draw(values_of(key, entry.options[key]))}" for key in options)])


def alike(first: Metric, second: Metric) -> bool:
    if isinstance(first, LinearMetric) and isinstance(second, LinearMetric):
        # The function that resolves names of metrics differs.
        return (first.trained, first.factored) == (second.trained, second.factored)
    return first == second


@given(names())
def test_the_options_of_a_metric_name_it(name: str) -> None:
    try:
        metric = metric_named(name, TRAINED)
    except InputError as error:
        if "tables" in error.detail and "meteor" not in name:
            assert ("-tables-" in name) != ("tables:mine" in name)
            return
        assert ("factored:yes" in name and "|tok:" in name and "not tokenised" in error.detail) or (
            name.startswith("meteor|") and "lang:" in name and "of METEOR 1.5" in error.detail
        )
        return
    head = name.partition("|")[0]
    # The name of a language is an option of ROSE; signatures name the model.
    head = f"trained:{metric.name}" if head.startswith("rose") else head
    assert alike(metric_named(f"{head}|{metric.options()}", TRAINED), metric)


def test_no_stemmer_is_not_norwegian() -> None:
    for head in ("order:kendall", "meteor"):
        plain = metric_named(head)
        assert metric_named(f"{head}|stem:no") == plain != metric_named(f"{head}|stem:nb")
        statistics = plain.prepare([["hus huset"]]).statistics(["husene hus"])
        stems = metric_named(f"{head}|stem:nb").prepare([["hus huset"]]).statistics(["husene hus"])
        assert plain.score(statistics)[0] < metric_named(f"{head}|stem:nb").score(stems)[0]


@pytest.mark.parametrize("part", ["nrefs:1", "bs:1000", "ar:10000", "seed:12345", "impl:assay-0.1.0", "version:2.6.0"])
def test_parts_about_a_score_are_refused_with_the_name_of_the_metric(part: str) -> None:
    key = part.partition(":")[0]
    with pytest.raises(InputError, match=f"^{key} is .* is bleu\\|case:lc\\|eff:no\\|tok:13a\\|smooth:exp$"):
        metric_named(f"bleu|{part}|case:lc|eff:no|tok:13a|smooth:exp")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nist|n:4", "n of nist is 5, and not 4"),
        ("nist|n:5|n:5", "n is no option of nist"),
        ("bleu|bp:plain", "bp is no option of bleu"),
        ("ter|tok:13a", "option tok of ter accepts: tercom"),
        ("trained:rose-reg-en|model:rose-reg-de", "model of trained:rose-reg-en is rose-reg-en, and not rose-reg-de"),
        ("trained:rose-reg-en|sha:00000000", "sha of trained:rose-reg-en is"),
        ("beer|case:lc", "case of beer is mixed, and not lc"),
    ],
)
def test_other_values_are_refused_by_name(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        metric_named(name, TRAINED)


def test_equal_values_are_accepted() -> None:
    for head in ("nist", "trained:rose-rankpos-de|factored:yes", "beer"):
        metric = metric_named(head, TRAINED)
        assert alike(metric_named(f"{head.partition('|')[0]}|{metric.options()}", TRAINED), metric)
