"""Moses' own answers: translations and scores of its regression test for lexicalised reordering."""

import re
from pathlib import Path

import pytest

from app.smt.decoder.decoder import Decoder
from app.smt.decoder.graphs.search_graph import search_graph, search_graph_lines
from app.smt.decoder.system import System, load_system
from app.text.reading.decoder_files import read_decoder_files
from app.text.reading.lines import TextFile
from tests.smt.decoder.plain_features import features_of_derivation


@pytest.fixture(scope="module")
def system(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> System:
    folder = shared / "reference" / "moses-decoder"
    text = (folder / "moses.ini").read_text()
    for name in ("europarl.arpa.gz", "phrase-table.gz", "reordering-table.msd-bidirectional-fe.gz"):
        text = re.sub(rf"path=\S*{name.split('.')[0]}\S*", f"path={folder / name}", text)
    config = tmp_path_factory.mktemp("moses") / "moses.ini"
    config.write_text(text)
    return load_system(config)


def test_translations_and_scores_are_those_of_moses(system: System, shared: Path) -> None:
    folder = shared / "reference" / "moses-decoder"
    theirs = dict(line.split("=", 1) for line in (folder / "results.txt").read_text().splitlines() if "=" in line)
    decoder = Decoder(system)
    for k, line in enumerate((folder / "to-translate.txt").read_text().splitlines(), 1):
        best = decoder.translate(line).best()
        assert best is not None and best.text == theirs[f"TRANSLATION_{k}"].strip()
        assert f"{best.score:.3f}" == theirs[f"SCORE_{k} "].strip()
        assert features_of_derivation(system, best.phrases) @ system.weights == pytest.approx(best.score, abs=1e-6)


def test_graphs_are_read_with_the_phrases_of_the_best_translation(system: System, shared: Path) -> None:
    decoder = Decoder(system)
    lines: list[str] = []
    expected = []
    for k, source in enumerate((shared / "reference" / "moses-decoder" / "to-translate.txt").read_text().splitlines()[:3]):
        result = decoder.translate(source, True)
        of_sentence = list(search_graph_lines(k, search_graph(result)))
        lines += of_sentence
        best = result.best()
        assert best is not None
        lengths = [len(phrase.words) for phrase in best.phrases]
        recombined = sum(" recombined=" in line for line in of_sentence)
        assert recombined > 1000
        counts = {"nodes": len(of_sentence), "recombined": recombined, "phrases": len(lengths), "longest_phrase": max(lengths)}
        expected.append(counts)
    text = "".join(f"{line}\n" for line in lines).encode()
    assert read_decoder_files({"search_graph": TextFile("graph", text)}).as_json()["search"] == expected
