"""Language pairs that an engine answers for: pairs with resources, and pairs of the languages of an encoder."""

from app.resources.encoders import Encoder
from app.resources.loading import Resources
from app.text import LanguagePair, tag_name

__all__ = ["is_answered", "pairs_there", "reason_of_refusal"]


def is_answered(resources: Resources, pair: LanguagePair) -> bool:
    """Return True for a pair with resources, and for a pair of the encoder's languages; an encoder without a list knows all."""
    if pair in resources.pairs or resources.encoder is None:
        return pair in resources.pairs
    languages = resources.encoder.languages
    return not languages or languages.issuperset(pair.listed)


def reason_of_refusal(pair: LanguagePair, resources: Resources, encoder: Encoder | None, broken: str | None) -> str:
    """The reason why no encoder answers for a pair without resources, and the pairs that it would answer for.

    `resources` belong to the profile of the request, `encoder` to the profile `accurate`; `broken` is the reason of a missing
    encoder.
    """
    if encoder is None:
        reason = f"none can be used: {broken}" if broken else "none is loaded (ASSAY_ENCODER)"
        return f"for a pair without resources an encoder of sentences answers for any two of its languages, but {reason}"
    codes = zip((pair.source, pair.target), pair.listed, strict=True)
    unknown = [tag for tag, code in codes if encoder.languages and code not in encoder.languages]
    if unknown:
        names = " and ".join(map(tag_name, unknown))
        return f"the encoder {encoder.name} does not know {names}; it answers for any two of {' '.join(sorted(encoder.languages))}"
    if resources.encoder is None:
        return f"the profile fast asks no encoder of sentences, and nothing else answers; the profile accurate answers {pair}"
    return f"the encoder {encoder.name} knows both languages"


def pairs_there(resources: Resources, pair: LanguagePair | None) -> str:
    """The text of an error about an unknown `pair`, or about an undecided one (None): loaded pairs, and the command for more."""
    pair_list = f"loaded pairs are {', '.join(map(str, resources.pairs)) or 'none'}"
    opposite = None if pair is None else pair.reversed.nearest(resources.pairs)
    reverse = "" if opposite is None else f"; {opposite} is the other way round"
    arguments = "" if pair is None else f" {pair} FILE"
    return f"{pair_list}{reverse}; assay pair add{arguments} makes one of your own text"
