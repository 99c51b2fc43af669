"""Tables with sparse scores of domains and counts, from extraction to translation: a model score is the sum of w times h by name."""

from collections import defaultdict
from pathlib import Path

import pytest

from app.building.arpa import write_arpa
from app.building.kneser_ney import estimate_language_model
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.scoring.additions.domain_scores import domain_scores, sparse_domain_scores
from app.smt.corpus.phrases.scoring.additions.domains import Domains
from app.smt.corpus.phrases.scoring.additions.scores import low_count, phrase_count, sparse_count_bins, unaligned_penalty
from app.smt.corpus.phrases.scoring.tables import TableOptions, build_tables
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.system import load_system
from app.text import pack_tokens
from tests.smt.corpus.phrases.moses import lines
from tests.smt.decoder.plain_features import features_of_derivation, sparse_of_derivation

# A bank of rivers, and one of money.
PAIRS = [("die bank", "the bench"), ("die bank", "the bank"), ("eine bank", "a bank"), ("die bank am see", "the bench by the lake")]
WEIGHTS = "TM_dom_park {park}\nTM_dom_money {money}\nTM_cb_1 -0.25\nTM_cb_2_3 0.125\n"


def system(folder: Path, park: float, money: float) -> Path:
    for place, name in enumerate(("source", "target")):
        (folder / name).write_text("".join(f"{pair[place]}\n" for pair in PAIRS))
    (folder / "links").write_text("0-0 1-1\n" * 3 + "0-0 1-1 2-2 3-4\n")
    (folder / "domains").write_text("1 park\n3 money\n4 park\n")
    extract_phrases(folder / "source", folder / "target", folder / "links", folder / "extracted", numbered=True, replace=True)
    domains = Domains.read(folder / "domains")
    additions = (
        unaligned_penalty(), domain_scores(domains, "ratio"), sparse_domain_scores(domains, "indicator"),
        phrase_count(), low_count(), sparse_count_bins((1, 3)),
    )  # fmt: skip
    made = build_tables(folder / "extracted", folder / "tables", TableOptions(additions=additions), replace=True)
    assert made.scores == 4 + 2 + 2 + 2
    model = estimate_language_model(pack_tokens([pair[1].split() for pair in PAIRS]), 2)
    write_arpa(model, folder / "lm.arpa")
    (folder / "sparse").write_text(WEIGHTS.format(park=park, money=money))
    weights = " ".join(f"{0.1 * (place + 1):.1f}" for place in range(made.scores))
    (folder / "moses.ini").write_text(
        "[feature]\nUnknownWordPenalty\nWordPenalty\nDistortion\n"
        f"PhraseDictionaryMemory name=TM num-features={made.scores} path=tables/phrase-table.gz\n"
        "KENLM name=LM factor=0 path=lm.arpa\n[weight]\nWordPenalty0= -1\nDistortion0= 0.3\nLM= 0.5\n"
        f"TM= {weights}\n[weight-file]\nsparse\n"
    )
    return folder / "moses.ini"


def test_scores_are_sums_of_named_scores(tmp_path: Path) -> None:
    there = load_system(system(tmp_path, 0.75, -0.5))
    of_table = {}
    for row in lines(tmp_path / "tables" / "phrase-table.gz"):
        source, target, *_, sparse = row.decode().removesuffix("|||").split(" ||| ")
        of_table[source, target] = sparse.split()
    weights = dict(line.split() for line in (tmp_path / "sparse").read_text().splitlines())
    derivations = Decoder(there).translate("die bank am see", alternatives=True).n_best(30)
    assert len(derivations) == 30
    names: set[str] = set()
    for derivation in derivations:
        wanted: defaultdict[str, float] = defaultdict(float)
        for phrase in derivation.phrases:
            cell = of_table[" ".join(phrase.source), " ".join(phrase.words)]
            for name, value in zip(cell[::2], cell[1::2], strict=True):
                wanted[f"TM_{name}"] += float(value)
        assert sparse_of_derivation(there, derivation.phrases) == pytest.approx(dict(wanted))
        dense = features_of_derivation(there, derivation.phrases) @ there.weights
        assert derivation.score == pytest.approx(dense + sum(float(weights[name]) * wanted[name] for name in wanted), abs=1e-6)
        names |= wanted.keys()
    assert names == weights.keys()


def test_weights_of_domains_choose_words(tmp_path: Path) -> None:
    best = [Decoder(load_system(system(tmp_path, *weights))).translate("die bank").best() for weights in ((3, 0), (0, 3))]
    assert [each and each.text for each in best] == ["the bench", "the bank"]
