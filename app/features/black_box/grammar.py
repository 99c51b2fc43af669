"""Parts of speech and dependency trees of both sides."""

from typing import Final

import numpy as np

from app.arrays import Float64s, Int8s
from app.features.black_box.corpus_statistics import perplexity
from app.features.declaration import Family, FeatureGroup
from app.features.dependency_kernels import matched_dependencies, tree_shapes
from app.features.lexical_links import LexicalLinks, target_links
from app.features.needs import Resource, required
from app.features.plans.formulas import part
from app.features.view import View, ratio
from app.resources.language_models import SentenceScores
from app.resources.tagger import NO_HEAD, UNIVERSAL_TAGS, Annotation
from app.text.batch import TokenColumn

__all__ = ["GRAMMAR", "begin_tagging", "source_annotation", "source_tags", "target_annotation", "target_tags"]

GRAMMAR: Final = FeatureGroup("Parts of speech and dependencies", "Specia et al. 2013, QuEst")
COMPLEXITY, FLUENCY, ADEQUACY = Family.COMPLEXITY, Family.FLUENCY, Family.ADEQUACY
SOURCE, TARGET, TAG_MODEL = Resource.SOURCE_TAGGER, Resource.TARGET_TAGGER, Resource.TARGET_TAG_MODEL
SOURCE_TREE, TARGET_TREE, LEXICON = Resource.SOURCE_PARSER, Resource.TARGET_PARSER, Resource.LEXICAL_TABLE
CLASSES: Final = {
    "content words": ("NOUN", "PROPN", "VERB", "ADJ", "ADV"),
    "nouns": ("NOUN", "PROPN"),
    "verbs": ("VERB", "AUX"),
    "pronouns": ("PRON",),
    "names": ("PROPN",),
}
CONTENT, NOUNS, VERBS, PRONOUNS, NAMES = range(5)


def begin_tagging(view: View) -> None:
    """Start tagging of both sides in the background."""
    for tagger, column in (
        (view.resources.source_tagger, view.batch.cased_source),
        (view.resources.target_tagger, view.batch.cased_translation),
    ):
        if tagger is not None:
            tagger.begin(column)


def source_annotation(view: View) -> Annotation:
    """Tags of the source, and heads if the tagger parses."""
    tagger = required(view.resources.source_tagger, SOURCE)
    return tagger.annotate(view.batch.cased_source, tagger.parses)


def target_annotation(view: View) -> Annotation:
    """Tags of the translation, and heads if the tagger parses."""
    tagger = required(view.resources.target_tagger, TARGET)
    return tagger.annotate(view.batch.cased_translation, tagger.parses)


def source_tags(view: View) -> Int8s:
    """Tags of the source, without parsing."""
    if view.is_cached(source_annotation):
        return view.cached(source_annotation).tags
    return required(view.resources.source_tagger, SOURCE).annotate(view.batch.cased_source, parse=False).tags


def target_tags(view: View) -> Int8s:
    """Tags of the translation, without parsing."""
    if view.is_cached(target_annotation):
        return view.cached(target_annotation).tags
    return required(view.resources.target_tagger, TARGET).annotate(view.batch.cased_translation, parse=False).tags


def _class_shares(column: TokenColumn, annotation: Annotation) -> Float64s:
    n = len(column)
    counts = np.zeros((n, len(CLASSES)))
    for k, tags in enumerate(CLASSES.values()):
        hit = np.isin(annotation.tags, [UNIVERSAL_TAGS.index(tag) for tag in tags])
        counts[:, k] = np.bincount(column.segments[hit], minlength=n)
    return ratio(counts, column.lengths)


def _source_shares(view: View) -> Float64s:
    return _class_shares(view.batch.cased_source, view.cached(source_annotation))


def _target_shares(view: View) -> Float64s:
    return _class_shares(view.batch.cased_translation, view.cached(target_annotation))


def _share_ratios(view: View) -> Float64s:
    return ratio(view.cached(_source_shares), view.cached(_target_shares))


def _tag_scores(view: View) -> SentenceScores:
    column = view.batch.cased_translation
    tags = TokenColumn(UNIVERSAL_TAGS, view.cached(target_annotation).tags.astype(np.int32), column.offsets)
    return required(view.resources.target_tag_model, TAG_MODEL).score(tags)


def _source_shape(view: View) -> Float64s:
    shapes: Float64s = tree_shapes(view.cached(source_annotation).heads, view.batch.cased_source.offsets, NO_HEAD)
    return shapes


def _target_shape(view: View) -> Float64s:
    shapes: Float64s = tree_shapes(view.cached(target_annotation).heads, view.batch.cased_translation.offsets, NO_HEAD)
    return shapes


def _matched(view: View) -> Float64s:
    links: LexicalLinks = view.cached(target_links)
    counts = matched_dependencies(
        view.cached(source_annotation).heads,
        view.source.offsets,
        view.cached(target_annotation).heads,
        view.target.offsets,
        links.place,
        links.probability,
        NO_HEAD,
    )
    return ratio(counts[:, :3], counts[:, 3])


add = GRAMMAR.add
# fmt: off
add("1083", "source_content_words", "Share of source tokens that are content words", COMPLEXITY, part(_source_shares,
    CONTENT), SOURCE)
add("1084", "target_content_words", "Share of the translation's tokens that are content words", FLUENCY,
    part(_target_shares, CONTENT), TARGET)
add("1085", "content_words_ratio", "Ratio of the shares of content words, source over translation", ADEQUACY,
    part(_share_ratios, CONTENT), SOURCE, TARGET)
add("1086", "target_tags_log_prob", "Log10 probability of the translation's parts of speech under a model of them", FLUENCY,
    lambda v: v.cached(_tag_scores).log_prob, TARGET, TAG_MODEL)
add("1087", "target_tags_perplexity", "Perplexity of the translation's parts of speech under a model of them", FLUENCY,
    lambda v: perplexity(v.cached(_tag_scores), v.batch.cased_translation.lengths, True), TARGET, TAG_MODEL)
add("1088", "source_nouns", "Share of source tokens that are nouns or names", COMPLEXITY, part(_source_shares, NOUNS), SOURCE)
add("1089", "target_nouns", "Share of the translation's tokens that are nouns or names", FLUENCY, part(_target_shares,
    NOUNS), TARGET)
add("1090", "source_verbs", "Share of source tokens that are verbs or auxiliaries", COMPLEXITY, part(_source_shares, VERBS), SOURCE)
add("1091", "target_verbs", "Share of the translation's tokens that are verbs or auxiliaries", FLUENCY,
    part(_target_shares, VERBS), TARGET)
add("1092", "nouns_ratio", "Ratio of the shares of nouns, source over translation", ADEQUACY,
    part(_share_ratios, NOUNS), SOURCE, TARGET)
add("1093", "verbs_ratio", "Ratio of the shares of verbs, source over translation", ADEQUACY,
    part(_share_ratios, VERBS), SOURCE, TARGET)
add("1094", "pronouns_ratio", "Ratio of the shares of pronouns, source over translation", ADEQUACY,
    part(_share_ratios, PRONOUNS), SOURCE, TARGET)
add("tags.source_names", "source_tagged_names", "Share of source tokens that are tagged as names", COMPLEXITY,
    part(_source_shares, NAMES), SOURCE)
add("tags.target_names", "target_tagged_names", "Share of the translation's tokens that are tagged as names", FLUENCY,
    part(_target_shares, NAMES), TARGET)
add("tags.names_difference", "tagged_names_difference", "Absolute difference of the shares of names", ADEQUACY,
    lambda v: np.abs(v.cached(_source_shares)[:, NAMES] - v.cached(_target_shares)[:, NAMES]), SOURCE, TARGET)
add("1098", "dependencies_in_order",
    "Source dependencies whose words are linked to a head and its dependent, in this order, over the larger number of dependencies",
    ADEQUACY, part(_matched, 0), SOURCE_TREE, TARGET_TREE, LEXICON, source="Avramidis 2012; QuEst")
add("1099", "dependencies_any_order",
    "The same, whichever of the two linked words is the head", ADEQUACY, part(_matched, 1), SOURCE_TREE, TARGET_TREE, LEXICON,
    source="Avramidis 2012; QuEst")
add("1100", "dependencies_well_linked",
    "The same, whichever is the head, where both links have p > 0.1", ADEQUACY,
    part(_matched, 2), SOURCE_TREE, TARGET_TREE, LEXICON,
    source="Avramidis 2012; QuEst")
add("1101", "tree_depth_difference", "Absolute difference of the depths of the dependency trees", ADEQUACY,
    lambda v: np.abs(v.cached(_source_shape)[:, 0] - v.cached(_target_shape)[:, 0]), SOURCE_TREE, TARGET_TREE)
for side, shape, need, family in (
    ("source", _source_shape, SOURCE_TREE, COMPLEXITY), ("target", _target_shape, TARGET_TREE, FLUENCY),
):
    text = "source" if side == "source" else "translation"
    add(f"tree.{side}.depth", f"{side}_tree_depth", f"Depth of the dependency tree of the {text}", family, part(shape, 0), need)
    add(f"tree.{side}.width", f"{side}_tree_width", f"Most dependents of one word in the {text}", family, part(shape, 1), need)
    add(f"tree.{side}.distance", f"{side}_dependency_length", f"Mean distance of words of the {text} from their heads", family,
        part(shape, 2), need)
# fmt: on
