"""Which language pairs are answered for: what something was built for, and what an encoder of sentences knows."""

from app.resources.encoders import Encoder
from app.resources.loading import Resources
from app.text import LanguagePair, tag_name

__all__ = ["is_answered", "pairs_there", "why_unanswered"]


def is_answered(resources: Resources, pair: LanguagePair) -> bool:
    """Return True for a pair with resources, and for a pair of the encoder's languages; an encoder without a list knows all."""
    if pair in resources.pairs or resources.encoder is None:
        return pair in resources.pairs
    languages = resources.encoder.languages
    return not languages or languages.issuperset(pair.listed)


def why_unanswered(pair: LanguagePair, resources: Resources, encoder: Encoder | None, broken: str | None) -> str:
    """Why no encoder answers for a pair that nothing was built for, and what would be answered.

    `resources` are those of the profile that was asked, `encoder` is what `accurate` asks, `broken` may say why there is none.
    """
    if encoder is None:
        why = f"none can be used: {broken}" if broken else "none is loaded (ASSAY_ENCODER)"
        return f"where nothing was built an encoder of sentences answers for any two of its languages, but {why}"
    codes = zip((pair.source, pair.target), pair.listed, strict=True)
    unknown = [tag for tag, code in codes if encoder.languages and code not in encoder.languages]
    if unknown:
        names = " and ".join(map(tag_name, unknown))
        return f"the encoder {encoder.name} does not know {names}; it answers for any two of {' '.join(sorted(encoder.languages))}"
    if resources.encoder is None:
        return f"the profile fast asks no encoder of sentences, and nothing else answers; the profile accurate answers {pair}"
    return f"the encoder {encoder.name} knows both languages"


def pairs_there(resources: Resources, wanted: LanguagePair | None) -> str:
    """What an error says where a pair is not there, or it is not clear which one is wanted: those that are, and the way out."""
    loaded = f"loaded pairs are {', '.join(map(str, resources.pairs)) or 'none'}"
    other = None if wanted is None else wanted.reversed.nearest(resources.pairs)
    reverse = "" if other is None else f"; {other} is the other way round"
    made = "" if wanted is None else f" {wanted} FILE"
    return f"{loaded}{reverse}; assay pair add{made} makes one of your own text"
