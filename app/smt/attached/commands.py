"""Commands of the wing."""

from typing import Final

from app.shell.declaration.entries import Entry

__all__ = ["ATTACHED"]

ATTACHED: Final = (
    Entry("nbest", "Tune, rerank, combine and analyse n-best lists."),
    Entry(
        "nbest combine",
        "Combine outputs of several systems word by word.",
        "app.smt.commands.options.n_best.combine:CombineOptions",
        "app.smt.commands.n_best.combine:combine",
    ),
    Entry(
        "nbest tune-local",
        "Choose from lists by weights tuned per sentence.",
        "app.smt.commands.options.n_best.local:TuneLocalOptions",
        "app.smt.commands.n_best.local:tune_local",
    ),
    Entry(
        "nbest mbr",
        "Choose translations by minimum Bayes risk.",
        "app.smt.commands.options.n_best.mbr:MbrOptions",
        "app.smt.commands.n_best.mbr:mbr",
    ),
    Entry(
        "nbest oracle",
        "Find oracles of lists and their differences.",
        "app.smt.commands.options.n_best.oracle:OracleOptions",
        "app.smt.commands.n_best.oracle:oracle",
    ),
    Entry(
        "nbest rerank",
        "Reorder lists by weights, with further features.",
        "app.smt.commands.options.n_best.rerank:RerankOptions",
        "app.smt.commands.n_best.rerank:rerank",
    ),
    Entry(
        "nbest tune",
        "Tune the weights of a log-linear model.",
        "app.smt.commands.options.n_best.tuning:TuneOptions",
        "app.smt.commands.n_best.tuning:tune",
    ),
    Entry("corpus", "Select, filter, weight, mine and arrange parallel text; run recipes."),
    Entry(
        "corpus concatenate",
        "Join files line after line.",
        "app.smt.commands.options.corpus.arranging:ConcatenateOptions",
        "app.smt.commands.corpus.arranging:concatenate_files",
    ),
    Entry(
        "corpus slice",
        "Take some lines of parallel files.",
        "app.smt.commands.options.corpus.arranging:SliceOptions",
        "app.smt.commands.corpus.arranging:slice_files",
    ),
    Entry(
        "corpus split",
        "Divide parallel files in two, as train and test.",
        "app.smt.commands.options.corpus.arranging:SplitOptions",
        "app.smt.commands.corpus.arranging:split_files",
    ),
    Entry(
        "corpus sort",
        "Sort lines of parallel files by scores.",
        "app.smt.commands.options.corpus.arranging:SortOptions",
        "app.smt.commands.corpus.arranging:sort_files",
    ),
    Entry(
        "corpus filter",
        "Leave out pairs that break rules of length, script, copy ...",
        "app.smt.commands.options.corpus.filtering:FilterOptions",
        "app.smt.commands.corpus.filtering:filter_text",
    ),
    Entry(
        "corpus mine",
        "Find sentence pairs in comparable texts.",
        "app.smt.commands.options.corpus.harvest:MineOptions",
        "app.smt.commands.corpus.harvest:mine",
    ),
    Entry(
        "corpus take-translations",
        "Take confident automatic translations as text.",
        "app.smt.commands.options.corpus.harvest:TakeTranslationsOptions",
        "app.smt.commands.corpus.harvest:take",
    ),
    Entry(
        "corpus select",
        "Choose the best pairs by a method, up to a size.",
        "app.smt.commands.options.corpus.selection:SelectOptions",
        "app.smt.commands.corpus.selection:select_data_command",
    ),
    Entry(
        "corpus weight",
        "Weight pairs by corpus, perplexity, date, alignment.",
        "app.smt.commands.options.corpus.weighting:WeightOptions",
        "app.smt.commands.corpus.weighting:weight",
    ),
    Entry(
        "corpus resample",
        "Draw pairs with replacement, by shares and scores.",
        "app.smt.commands.options.corpus.weighting:ResampleOptions",
        "app.smt.commands.corpus.weighting:resample",
    ),
    Entry(
        "corpus run",
        "Run a recipe: the steps with changed inputs or options.",
        "app.smt.commands.options.recipes:RunOptions",
        "app.smt.commands.recipes:run_steps",
    ),
    Entry("smt", "Train and run phrase-based translation systems."),
    Entry(
        "smt compact-table",
        "Write a phrase table that maps into memory.",
        "app.smt.commands.options.corpus.compact_table:CompactTableOptions",
        "app.smt.commands.corpus.compact_table:compact_table",
    ),
    Entry(
        "smt extract",
        "Extract phrase pairs from word-aligned text.",
        "app.smt.commands.options.corpus.extraction:ExtractOptions",
        "app.smt.commands.corpus.extraction:extract",
    ),
    Entry(
        "smt translate-unknown",
        "Translate unknown words by their stems.",
        "app.smt.commands.options.corpus.harvest:TranslateUnknownOptions",
        "app.smt.commands.corpus.harvest:unknown",
    ),
    Entry(
        "smt merge-extracts",
        "Join extractions, or report their overlap.",
        "app.smt.commands.options.corpus.merging:MergeExtractsOptions",
        "app.smt.commands.corpus.merging:merge",
    ),
    Entry(
        "smt phrase-table",
        "Make phrase and reordering tables.",
        "app.smt.commands.options.corpus.phrase_tables:PhraseTableOptions",
        "app.smt.commands.corpus.phrase_tables:phrase_table",
    ),
    Entry(
        "smt prune-table",
        "Prune a phrase table by Fisher's exact test.",
        "app.smt.commands.options.corpus.pruning:PruneTableOptions",
        "app.smt.commands.corpus.pruning:prune",
    ),
    Entry(
        "smt extract-trees",
        "Extract phrase pairs below linked tree nodes.",
        "app.smt.commands.options.corpus.tree_extraction:ExtractTreesOptions",
        "app.smt.commands.corpus.tree_extraction:extract",
    ),
    Entry(
        "smt align-trees",
        "Link nodes and words of parallel trees.",
        "app.smt.commands.options.corpus.tree_extraction:AlignTreesOptions",
        "app.smt.commands.corpus.tree_extraction:align",
    ),
    Entry(
        "smt convert-trees",
        "Convert trees, or write their words.",
        "app.smt.commands.options.corpus.tree_forms:ConvertTreesOptions",
        "app.smt.commands.corpus.tree_forms:convert",
    ),
    Entry(
        "smt search-weights",
        "Search weights of corpora by translating text.",
        "app.smt.commands.options.corpus.weight_search:SearchWeightsOptions",
        "app.smt.commands.corpus.weight_search:search",
    ),
    Entry(
        "smt decode",
        "Translate by a moses.ini.",
        "app.smt.commands.options.translation.decoding:DecodeOptions",
        "app.smt.commands.translation.decoding:decode",
    ),
    Entry(
        "smt samplerank",
        "Learn the weights of a system by SampleRank.",
        "app.smt.commands.options.translation.sampling:SamplerankOptions",
        "app.smt.commands.translation.sampling:samplerank",
    ),
    Entry(
        "smt import",
        "Pack a system for smt translate-pair and for quality.",
        "app.smt.commands.options.translation.served:ImportOptions",
        "app.smt.commands.translation.served:import_system",
    ),
    Entry(
        "smt translate-pair",
        "Translate with an imported system, here or on a server.",
        "app.smt.commands.options.translation.served:TranslatePairOptions",
        "app.smt.commands.translation.served:translate",
    ),
    Entry(
        "smt train",
        "Train a phrase-based system on parallel text.",
        "app.smt.commands.options.translation.systems:SmtTrainOptions",
        "app.smt.commands.translation.systems:train_smt",
    ),
    Entry(
        "smt translate",
        "Translate by a system of assay smt train.",
        "app.smt.commands.options.translation.systems:SmtTranslateOptions",
        "app.smt.commands.translation.systems:translate_smt",
    ),
    Entry(
        "resources mix-lm",
        "Mix language models by EM or given weights.",
        "app.smt.commands.options.corpus.weighting:MixLmOptions",
        "app.smt.commands.corpus.weighting:mix_lm",
    ),
    Entry(
        "resources word-lexicon",
        "Train a word lexicon, for nbest rerank.",
        "app.smt.commands.options.n_best.resources:WordLexiconOptions",
        "app.smt.commands.n_best.resources:word_lexicon",
    ),
    Entry(
        "resources translation-model",
        "Train a small neural translation model.",
        "app.smt.commands.options.n_best.resources:TranslationModelOptions",
        "app.smt.commands.n_best.resources:translation_model",
    ),
    Entry(
        "resources continuous-space-model",
        "Train a continuous-space language model.",
        "app.smt.commands.options.n_best.resources:ContinuousSpaceModelOptions",
        "app.smt.commands.n_best.resources:continuous_space_model",
    ),
)
