"""The search graph: its paths are all derivations, with their scores."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.smt.decoder.decoder import Decoder
from app.smt.decoder.graphs.search_graph import Node, search_graph, search_graph_lines
from app.smt.decoder.system import System, load_system
from tests.smt.decoder.systems import all_derivations, write_system

TEXT = "s1 new s3 s2"


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    return load_system(write_system(tmp_path_factory.mktemp("system"), 6, "hier-msd-bidirectional-fe", 2))


def paths(nodes: list[Node], length: int) -> Iterator[tuple[list[Node], float]]:
    into: dict[int, list[Node]] = {}
    for node in nodes:
        into.setdefault(node.number if node.winner is None else node.winner, []).append(node)

    def before(number: int) -> Iterator[list[Node]]:
        for node in into[number]:
            if node.stack == 0:
                yield []
            else:
                yield from ([*path, node] for path in before(node.back))

    for end in nodes:
        if end.stack == length and end.winner is None:
            for path in before(end.number):
                yield path, sum(node.transition for node in path)


def test_paths_are_all_derivations(system: System) -> None:
    nodes = search_graph(Decoder(system).translate(TEXT, alternatives=True))
    theirs = {
        tuple((phrase.start, phrase.end, phrase.words) for phrase in derivation.phrases): derivation.score
        for derivation in all_derivations(system, TEXT)
    }
    ours = {tuple((node.start, node.end, node.words) for node in path): score for path, score in paths(nodes, 4)}
    assert ours == pytest.approx(theirs, abs=1e-9)
    best = max(theirs.values())
    assert nodes[0].total == pytest.approx(best) and nodes[0].number == 0
    by_number = {node.number: node for node in nodes}
    node, words = nodes[0], []
    while node.forward >= 0:
        node = by_number[node.forward]
        assert node.total == pytest.approx(best)
        words += node.words
    derivation = Decoder(system).translate(TEXT).best()
    assert derivation is not None and words == derivation.words
    through = Counter({node.number: -1e9 for node in nodes})
    for path, score in paths(nodes, 4):
        for node in path:
            through[node.number] = max(through[node.number], score)
    assert all(node.total == pytest.approx(through[node.number]) for node in nodes if node.stack)


def test_lines_of_moses(system: System) -> None:
    decoder = Decoder(system, replace(system.ini.limits, stack=2))
    nodes = search_graph(decoder.translate(TEXT, alternatives=True))
    lines = list(search_graph_lines(7, nodes))
    assert lines[0] == f"7 hyp=0 stack=0 forward={nodes[0].forward} fscore={nodes[0].total:.8g}"
    assert len(lines) == len(nodes) and {node.stack for node in nodes} == {0, 1, 2, 3, 4}
    read = [dict(cell.split("=", 1) for cell in line.partition(" out=")[0].split()[1:]) for line in lines[1:]]
    assert all({"hyp", "stack", "back", "score", "transition", "forward", "fscore", "covered"} <= set(row) for row in read)
    assert {int(row["back"]) for row in read} <= {node.number for node in nodes if node.winner is None}
    assert any("recombined" in row for row in read) and " out=new" in "".join(lines)
    assert search_graph(decoder.translate("", alternatives=True)) == []
