"""Language pairs that an engine answers for: pairs with resources, and pairs of the languages of a cross-encoder."""

from collections.abc import Callable
from dataclasses import dataclass

from app.engine.profiles import NO_NETWORK
from app.errors import InputError
from app.resources.loading import Resources
from app.resources.pieces.reader import PairReader
from app.text import LanguagePair, tag_name

__all__ = ["ServedPairs"]


@dataclass(frozen=True)
class ServedPairs:
    """Pairs with resources, and pairs of the languages of the resources' cross-encoder.

    `accurate_network` opens the network of the profile `accurate`, or gives the reason why it cannot be used; refusals name them.
    """

    resources: Resources
    accurate_network: Callable[[], tuple[PairReader | None, str | None]] = lambda: (None, None)

    def __contains__(self, pair: LanguagePair) -> bool:
        network = self.resources.cross_encoder
        return pair in self.resources.pairs or (network is not None and network.languages.issuperset(pair.listed))

    def require(self, pair: LanguagePair) -> None:
        """InputError for a pair outside; the error lists the loaded pairs."""
        if pair not in self:
            raise InputError("unknown-language-pair", self.remedy(pair), (self._unknown_side(pair),))

    def _unknown_side(self, pair: LanguagePair) -> str:
        """The field of the language that the network does not know, or else that of the source."""
        network, _ = self.accurate_network()
        languages = frozenset[str]() if network is None else network.languages
        return "target_language" if pair.listed[0] in languages and pair.listed[1] not in languages else "source_language"

    def remedy(self, pair: LanguagePair | None) -> str:
        """Text of an error about an unknown `pair`, or an undecided one (None): loaded pairs, and the command that adds one."""
        pairs = self.resources.pairs
        opposite = None if pair is None else pair.reversed.nearest(pairs)
        parts = [
            *([] if pair is None or pair in self else [self._silence_of_network(pair)]),
            f"loaded pairs are {', '.join(map(str, pairs)) or 'none'}",
            *([] if opposite is None else [f"{opposite} is the other way round"]),
            f"assay pair add{'' if pair is None else f' {pair} FILE'} makes a pair of your own text",
        ]
        return "; ".join(parts)

    def _silence_of_network(self, pair: LanguagePair) -> str:
        """The reason why no network answers for a pair, and the pairs that one would answer for."""
        network, fault = self.accurate_network()
        if network is None:
            reason = f"none can be used: {fault}" if fault else NO_NETWORK
            return f"for a pair without resources a cross-encoder answers for any two of its languages, but {reason}"
        codes = zip((pair.source, pair.target), pair.listed, strict=True)
        unknown = " and ".join(tag_name(tag) for tag, code in codes if code not in network.languages)
        if unknown:
            return f"the cross-encoder does not know {unknown}; it answers for any two of {' '.join(sorted(network.languages))}"
        return f"the profile fast has nothing for {pair}; use the profile accurate"
