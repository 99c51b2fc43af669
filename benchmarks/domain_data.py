"""Human judgements of translations in other domains than training's, for `benchmarks.domain_shift`."""

import csv
import gzip
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from app.predictors.hter import human_edit_rates
from app.text import LanguagePair
from benchmarks.text_lines import lines
from scripts.mlqe_pe.everything import language_pairs, split_of

PENALTIES = {"Major": 5.0, "Minor": 1.0, "No-error": 0.0}
PUNCTUATION = 0.1
# Verdicts on crawled pairs: a translation, if a free one; or an error, misaligned, badly cut, in another language. MT has no verdict.
VERDICTS = {"V": 0.0, "F": 0.0, "E": 1.0, "A": 1.0, "T": 1.0, "L": 1.0}


@dataclass(frozen=True)
class Domain:
    """Segments of one kind of text; `gold` maps labels to values, higher is worse, NaN if missing.

    Labels in `edits` are edits per word, as HTER. `groups` has the number of each segment's talk or document, -1 if unknown.
    """

    name: str
    pair: LanguagePair
    sources: list[str]
    translations: list[str]
    gold: Mapping[str, np.ndarray]
    edits: tuple[str, ...] = ()
    groups: np.ndarray = field(default_factory=lambda: np.zeros(0, int))


@dataclass
class RatedSegment:
    """A segment of a system with its raters' penalties, and the severities of its errors."""

    source: str
    translation: str
    talk: str
    penalties: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    severities: set[str] = field(default_factory=set)

    @property
    def penalty(self) -> float:
        return float(np.mean(list(self.penalties.values())))


def read_mqm(path: Path) -> dict[tuple[str, str, str], RatedSegment]:
    """RatedSegment segments by system, talk and segment; the usual weights: 5 major, 1 minor, 0.1 minor punctuation."""
    rated: dict[tuple[str, str, str], RatedSegment] = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["severity"] not in PENALTIES or row["category"] == "Source error":
                continue
            key = row["system"], row["doc"], row["seg_id"]
            text = re.sub(r"</?v>", "", row["target"])
            segment = rated.setdefault(key, RatedSegment(re.sub(r"</?v>", "", row["source"]), text, row["doc"]))
            light = row["severity"] == "Minor" and row["category"] == "Fluency/Punctuation"
            segment.penalties[row["rater"]] += PUNCTUATION if light else PENALTIES[row["severity"]]
            segment.severities.add(row["severity"])
    return rated


def ted(data: Path, pair: str, count: int, rng: np.random.Generator) -> Domain:
    """Talks with MQM, and edits to the human translation and to the sentence's nearest translation without an error."""
    rated = read_mqm(data / "wmt-mqm" / f"mqm_ted_{pair.replace('-', '')}.tsv.gz")
    by_segment: dict[tuple[str, str], dict[str, RatedSegment]] = defaultdict(dict)
    for (system, talk, number), segment in rated.items():
        by_segment[talk, number][system] = segment
    rows = [
        (key, system)
        for key, systems in by_segment.items()
        for system in systems
        if "ref" in systems and not system.startswith("ref")
    ]
    rows = [rows[k] for k in sample_rows(len(rows), count, rng)]
    segments = [by_segment[key][system] for key, system in rows]
    texts = [segment.translation for segment in segments]
    flawless = [
        sorted({rival.translation for rival in by_segment[key].values() if rival.severities == {"No-error"}}) for key, _ in rows
    ]
    flat = [(text, rival) for text, candidates in zip(texts, flawless, strict=True) for rival in candidates]
    rates = iter(human_edit_rates([text for text, _ in flat], [rival for _, rival in flat]))
    nearest = np.array([min((next(rates) for _ in candidates), default=np.nan) for candidates in flawless])
    gold = {
        "MQM penalty": np.array([segment.penalty for segment in segments]),
        "TER, reference": human_edit_rates(texts, [by_segment[key]["ref"].translation for key, _ in rows]),
        "TER, nearest without error": nearest,
    }
    talks = sorted({segment.talk for segment in segments})
    groups = np.array([talks.index(segment.talk) for segment in segments])
    return Domain("TED talks", LanguagePair.parse(pair), [s.source for s in segments], texts, gold, tuple(gold)[1:], groups)


def paracrawl(data: Path, pair: str, count: int, rng: np.random.Generator) -> Domain:
    """Crawled sentence pairs; 1 for wrong ones by people's verdicts."""
    with gzip.open(data / "paracrawl-human" / f"v7.{pair}.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    rows = [row for row in rows if len(row) > 5 and row[5] in VERDICTS and row[2].strip() and row[3].strip()]
    rows = [rows[k] for k in sample_rows(len(rows), count, rng)]
    gold = {"wrong": np.array([VERDICTS[row[5]] for row in rows])}
    return Domain("web pages", LanguagePair.parse(pair), [row[2] for row in rows], [row[3] for row in rows], gold)


def slovak_talks(data: Path, count: int, rng: np.random.Generator) -> Domain:
    """Talks from Slovak, by two systems."""
    folder = data / "ted-sk-en"
    sources, reference = lines(folder / "ted.orig.slk.gz"), lines(folder / "ted.ref.detok.eng.gz")
    systems = [lines(folder / f"ted.sys{number}.detok.eng.gz") for number in (1, 2)]
    rows = [(k % 2, k // 2) for k in sample_rows(2 * len(sources), count, rng)]
    return against_reference("TED talks", "sk-en", [(sources[k], systems[system][k], reference[k]) for system, k in rows])


def captions(data: Path, count: int, rng: np.random.Generator) -> Domain:
    """Captions of images, lower-cased tokens, by a phrase-based system."""
    folder = data / "multi30k-de-en"
    sources, reference = lines(folder / "test_2016_flickr.de.gz"), lines(folder / "test_2016_flickr.en.gz")
    first: dict[int, str] = {}
    with gzip.open(data / "multi30k-nbest" / "test_2016_flickr.nbest.gz", "rt", encoding="utf-8") as file:
        for line in file:
            number, text = line.split(" ||| ")[:2]
            first.setdefault(int(number), text)
    rows = [k for k in sample_rows(len(sources), count, rng) if k in first]
    return against_reference("captions", "de-en", [(sources[k], first[k], reference[k]) for k in rows])


def against_reference(name: str, pair: str, rows: Sequence[tuple[str, str, str]]) -> Domain:
    sources, texts, references = ([row[k].strip() for row in rows] for k in range(3))
    gold = {"TER, reference": human_edit_rates(texts, references)}
    return Domain(name, LanguagePair.parse(pair), sources, texts, gold, tuple(gold))


def wikipedia(data: Path, pair: LanguagePair, folder: Path, count: int, rng: np.random.Generator) -> Domain:
    """Dev split of the training data: HTER, and negative DA."""
    dev = split_of(folder, pair, "dev")
    rows = sample_rows(len(dev.column("source")), count, rng)
    gold = {"DA": -dev.labels("da")[rows], "HTER": dev.labels("hter")[rows]}
    texts = [[dev.column(name)[k] for k in rows] for name in ("source", "translation")]
    return Domain("training's own", pair, texts[0], texts[1], gold, ("HTER",))


def sample_rows(size: int, count: int, rng: np.random.Generator) -> list[int]:
    return sorted(rng.permutation(size)[:count].tolist())


def domains(data: Path, count: int, seed: int) -> Iterator[Domain]:
    """Domains, each drawn with `seed`."""
    folder, pairs = language_pairs(data)
    for pair in pairs:
        yield wikipedia(data, pair, folder, count, np.random.default_rng(seed))
    for name in ("en-de", "zh-en"):
        yield ted(data, name, count, np.random.default_rng(seed))
    yield slovak_talks(data, count, np.random.default_rng(seed))
    yield captions(data, count, np.random.default_rng(seed))
    for name in ("en-de", "en-et", "en-ro", "en-es"):
        yield paracrawl(data, name, count, np.random.default_rng(seed))
