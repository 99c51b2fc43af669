"""The head-final rule: heads of a dependency tree move behind their dependents (digest B13; Isozaki et al. 2010)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["HeadFinalRule"]

# Universal parts of speech that govern content words in a head-driven grammar, but depend on them in Universal Dependencies.
FUNCTION_TAGS: Final = frozenset({"ADP", "AUX", "SCONJ"})
PUNCTUATION: Final = "PUNCT"
CONJUNCTION: Final = "CCONJ"


@dataclass(frozen=True)
class HeadFinalRule:
    """The rule with two options.

    - `functions`: adpositions, auxiliaries and subordinators before a head stand behind it, the nearest first. *In the park*
      becomes *the park in*, as with postpositions. Otherwise they stay before the words that they belong to.
    - `conjuncts`: a dependent on the right that has a conjunction of its own, as *tea* in *coffee and tea*, stays behind its head.

    Punctuation always stays on its side of the head.
    """

    functions: bool = True
    conjuncts: bool = True

    def order(self, heads: Sequence[int], tags: Sequence[str]) -> list[int]:
        """Source positions in the new order, from governors (-1 for roots) and universal tags ("" for none).

        Parts of a discontinuous phrase come together. Roots keep their order. Linear in the number of words. ValueError for a cycle
        of governors, or for governors that are no words.
        """
        n = len(heads)
        if len(tags) != n or max(heads, default=-1) >= n:
            raise ValueError(f"{n} words have as many tags, and governors from 0 to {n - 1} or -1")
        dependents: list[list[int]] = [[] for _ in range(n)]
        for word, head in enumerate(heads):
            if head >= 0:
                dependents[head].append(word)
        order: list[int] = []
        # A word on the stack is a phrase to expand, or ~word for the word alone.
        stack = [word for word in range(n - 1, -1, -1) if heads[word] < 0]
        while stack:
            word = stack.pop()
            if word < 0:
                order.append(~word)
                continue
            before: list[int] = []
            behind: list[int] = []
            functions: list[int] = []
            for dependent in dependents[word]:
                if self.functions and dependent < word and tags[dependent] in FUNCTION_TAGS:
                    functions.append(dependent)
                elif dependent > word and (tags[dependent] == PUNCTUATION or self._coordinated(dependent, dependents, tags)):
                    behind.append(dependent)
                else:
                    before.append(dependent)
            stack.extend(reversed([*before, ~word, *reversed(functions), *behind]))
        if len(order) < n:
            raise ValueError("governors of words form a cycle")
        return order

    def _coordinated(self, word: int, dependents: Sequence[Sequence[int]], tags: Sequence[str]) -> bool:
        return self.conjuncts and any(tags[child] == CONJUNCTION and child < word for child in dependents[word])
