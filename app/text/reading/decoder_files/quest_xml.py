"""QuEst's XML of n-best lists: sentences with counts of the search, phrases of the best hypothesis, and hypotheses with scores.

``<Sentence index="0" totalHypotheses="9" discarded="2" ...><phrase text="a house" .../><translation text="..." prob="-3.1" .../>``
"""

from collections.abc import Mapping
from typing import Any, Final
from xml.parsers.expat import ExpatError, ParserCreate

from app.errors import InputError
from app.text.n_best import NBestLists
from app.text.reading.lines import TextFile
from app.text.reading.moses_n_best import MOST_SEGMENTS
from app.text.reading.n_best_lists.gathering import UPLOAD_LIMIT, Gatherer, ListHypothesis
from app.text.reading.numbers import finite_number, whole_number

__all__ = ["read_quest_xml"]

Counts = dict[str, float]

BLOCK: Final = 1 << 18
# Limit of nesting; the format has three levels.
DEEPEST: Final = 10
# Limit of an element's name and attributes, in bytes: the parser holds them at once.
LARGEST_ELEMENT: Final = 1 << 24
COUNTS: Final = {"totalHypotheses": "hypotheses", "discarded": "discarded", "recombined": "recombined", "pruned": "pruned"}
# Scores by Moses' names of them.
SCORES: Final = (
    *((f"dist_feat_{k}", "d") for k in range(1, 8)),
    ("lm_features", "lm"),
    ("word_penalty_feature", "w"),
    *((f"phrase_prob_feat_{k}", "tm") for k in range(1, 6)),
)
# An attribute without a value, as Java writes it.
NO_VALUES: Final = ("", "null")


class _Sentences:
    """Sentences of a file, read element by element."""

    def __init__(self, name: str, parser: Any) -> None:
        self.name = name
        self.parser = parser
        self.gatherer = Gatherer(limit=UPLOAD_LIMIT)
        self.counts: list[Counts] = []
        self.lengths: list[int] = []
        self.hypotheses: list[tuple[int, ListHypothesis]] = []
        self.depth = 0
        self.is_inside = False
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.StartDoctypeDeclHandler = self.refuse
        parser.EntityDeclHandler = self.refuse

    def refused(self, detail: str, code: str = "invalid-document") -> InputError:
        line = self.parser.CurrentLineNumber
        return InputError(code, f"line {line} of {self.name}: {detail}", (self.name, line))

    def refuse(self, *_: object) -> None:
        raise self.refused("an n-best list has no document type and no entities", "unsafe-document")

    def start(self, element: str, attributes: Mapping[str, str]) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.refused(f"elements stand more than {DEEPEST} deep")
        if element == "Sentence":
            self.begin(attributes)
            self.is_inside = True
        elif element in ("phrase", "translation") and not self.is_inside:
            raise self.refused(f"a {element} stands outside of a Sentence")
        elif element == "phrase":
            self.lengths.append(len(attributes.get("text", "").split()))
        elif element == "translation":
            rank = whole_number(attributes.get("rank", ""))
            # Files without ranks are in the decoder's order.
            place = len(self.hypotheses) if rank is None else rank
            self.hypotheses.append((place, self.hypothesis(attributes)))

    def begin(self, attributes: Mapping[str, str]) -> None:
        number = whole_number(attributes.get("index", "").strip())
        if number != len(self.counts) or number >= MOST_SEGMENTS:
            raise self.refused(f"index must be {len(self.counts)}, the number of the sentence from 0")
        counts: Counts = {}
        for attribute, name in COUNTS.items():
            text = attributes.get(attribute, "").strip()
            if text not in NO_VALUES:
                value = whole_number(text)
                if value is None:
                    raise self.refused(f"{attribute} must be a whole number")
                counts[name] = value
        self.counts.append(counts)

    def hypothesis(self, attributes: Mapping[str, str]) -> ListHypothesis:
        score = finite_number(attributes.get("prob", ""))
        if score is None:
            raise self.refused("prob of a translation must be a number, its total score")
        features = []
        for attribute, name in SCORES:
            text = attributes.get(attribute, "").strip()
            if text not in NO_VALUES:
                value = finite_number(text)
                if value is None:
                    raise self.refused(f"{attribute} must be a number")
                features.append((name, value))
        return ListHypothesis(len(self.counts) - 1, " ".join(attributes.get("text", "").split()), score, features)

    def end(self, element: str) -> None:
        self.depth -= 1
        if element == "Sentence":
            self.is_inside = False
            if self.lengths:
                self.counts[-1] |= {"phrases": len(self.lengths), "longest_phrase": max(self.lengths)}
            self.gatherer.extend(hypothesis for _, hypothesis in sorted(self.hypotheses, key=lambda entry: entry[0]))
            self.lengths, self.hypotheses = [], []


def read_quest_xml(file: TextFile) -> tuple[NBestLists, list[Counts]]:
    """Return the lists, by rank, and the counts of each sentence.

    Scores are called d, lm, w and tm, as Moses writes them; `unknown` of a sentence counts bars of the log, and is not read.
    InputError (`invalid-document`, `unsafe-document`, `segment-too-long`) names the line; ``empty-input`` for no sentence.
    """
    # A declaration may name an encoding that expat reads by Python's codecs; the file is read as UTF-8 whatever it declares.
    parser = ParserCreate("utf-8")
    sentences = _Sentences(file.name, parser)
    content: Any = file.content
    try:
        unread = 0
        while raw := content.read(BLOCK):
            before = parser.CurrentByteIndex
            parser.Parse(raw, False)
            unread = unread + len(raw) if parser.CurrentByteIndex == before else 0
            if unread > LARGEST_ELEMENT:
                raise sentences.refused(f"an element has more than {LARGEST_ELEMENT} bytes", "segment-too-long")
        parser.Parse(b"", True)
    except ExpatError as error:
        detail = f"line {error.lineno} of {file.name} is not XML in UTF-8"
        raise InputError("invalid-document", detail, (file.name, error.lineno)) from None
    if not sentences.counts:
        raise InputError("empty-input", f'{file.name} has no <Sentence index="0" ...>', (file.name,))
    sentences.gatherer.file_names.append(file.name)
    sentences.gatherer.file_ends.append(len(sentences.gatherer))
    return sentences.gatherer.lists(len(sentences.counts))[0], sentences.counts
