"""`assay nbest extract`: features and statistics of n-best lists, as Moses' extractor writes them."""

from app.metrics import metric_named
from app.shell.inputs import named_lists
from app.shell.output import counted, say
from app.smt.commands.n_best.lists import check_beside, read_list_arguments
from app.smt.commands.options.n_best.extracting import ExtractScoresOptions
from app.smt.operations.tune.extractor_scores import check_metric, extractor_scores
from app.text.reading.extractor_files import feature_blocks, score_blocks

__all__ = ["extract_scores"]


def extract_scores(options: ExtractScoresOptions) -> None:
    """Write features and statistics of BLEU for each hypothesis of n-best lists, as Moses' extractor does."""
    metric = metric_named(options.metric)
    check_metric(metric)
    texts = named_lists(options.references)
    lists = read_list_arguments(options.files, texts.values()).lists
    check_beside(lists, texts)
    statistics = metric.prepare(list(texts.values())).statistics(lists.texts, lists.segments)
    options.features.write_bytes(b"".join(feature_blocks(lists, options.binary)))
    options.scores.write_bytes(b"".join(score_blocks(extractor_scores(statistics, lists.segments), options.binary)))
    say(f"wrote features and scores of {counted(len(lists), 'segment')}")
