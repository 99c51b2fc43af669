"""Language pairs that an engine answers for: pairs with resources, and pairs of the languages of an encoder."""

from collections.abc import Callable
from dataclasses import dataclass

from app.errors import InputError
from app.resources.encoders import Encoder
from app.resources.loading import Resources
from app.text import LanguagePair, tag_name

__all__ = ["ServedPairs"]


@dataclass(frozen=True)
class ServedPairs:
    """Pairs with resources, and pairs of the languages of the resources' encoder; an encoder without a list knows all languages.

    `accurate_encoder` opens the encoder of the profile `accurate`, or gives the reason why it cannot be used; refusals name them.
    """

    resources: Resources
    accurate_encoder: Callable[[], tuple[Encoder | None, str | None]] = lambda: (None, None)

    def __contains__(self, pair: LanguagePair) -> bool:
        if pair in self.resources.pairs or self.resources.encoder is None:
            return pair in self.resources.pairs
        languages = self.resources.encoder.languages
        return not languages or languages.issuperset(pair.listed)

    def require(self, pair: LanguagePair) -> None:
        """InputError for a pair outside; the error lists the loaded pairs."""
        if pair not in self:
            raise InputError("unknown-language-pair", self.remedy(pair), ("source_language",))

    def remedy(self, pair: LanguagePair | None) -> str:
        """Text of an error about an unknown `pair`, or an undecided one (None): loaded pairs, and the command that adds one."""
        pairs = self.resources.pairs
        opposite = None if pair is None else pair.reversed.nearest(pairs)
        parts = [
            f"loaded pairs are {', '.join(map(str, pairs)) or 'none'}",
            *([] if opposite is None else [f"{opposite} is the other way round"]),
            f"assay pair add{'' if pair is None else f' {pair} FILE'} makes one of your own text",
            *([] if pair is None or pair in self else [self._silence_of_encoder(pair)]),
        ]
        return "; ".join(parts)

    def _silence_of_encoder(self, pair: LanguagePair) -> str:
        """The reason why no network answers for a pair, and the pairs that one would answer for."""
        encoder, fault = self.accurate_encoder()
        if encoder is None:
            reason = f"none can be used: {fault}" if fault else "none is loaded (ASSAY_ENCODER)"
            return f"for a pair without resources a cross-encoder answers for any two of its languages, but {reason}"
        name, languages = encoder.name, encoder.languages
        codes = zip((pair.source, pair.target), pair.listed, strict=True)
        unknown = " and ".join(tag_name(tag) for tag, code in codes if languages and code not in languages)
        if unknown:
            return f"the encoder {name} does not know {unknown}; it answers for any two of {' '.join(sorted(languages))}"
        return f"the profile fast asks no cross-encoder, and nothing else is there for {pair}; the profile accurate asks one"
