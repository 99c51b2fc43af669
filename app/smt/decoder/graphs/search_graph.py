"""The search graph: unpruned derivations as hypotheses that lead to one another, and Moses' lines for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from app.smt.decoder.decoder import SearchResult
from app.smt.decoder.stack_kernels import ARCS, OPTION, PREVIOUS

__all__ = ["Node", "search_graph", "search_graph_lines"]


@dataclass(frozen=True)
class Node:
    """A hypothesis on the way to a complete translation: `number`, 0 for the empty one, and translated words (`stack`).

    It extends hypothesis `back` by source words `start` to before `end`, translated as `words`, which adds `transition` to the
    `score`. If it lost against a better hypothesis of equal state, `winner` is that one's number. `forward` is the next
    hypothesis of the best complete derivation through it (-1 at the end), and `total` the score of that derivation.
    """

    number: int
    stack: int
    back: int
    score: float
    transition: float
    winner: int | None
    forward: int
    total: float
    start: int
    end: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class _Transition:
    previous: int
    option: int
    score: float
    hypothesis: int
    wins: bool


def search_graph(result: SearchResult) -> list[Node]:
    """Hypotheses of a search with alternatives that lead to its end, by translated words; none if it has no end."""
    if result.graph is None:
        return []
    options, words, stacks = result.graph
    length = len(result.tokens)
    by_stack: list[list[_Transition]] = []
    for k in range(length + 1):
        steps = []
        for h in stacks.items[k, : stacks.counts[3 + k]].tolist():
            row = stacks.hypotheses[h]
            steps.append(_Transition(int(row[PREVIOUS]), int(row[OPTION]), float(stacks.scores[h, 0]), h, True))
            arc = int(row[ARCS])
            while arc >= 0:
                previous, option, following = stacks.arcs[arc].tolist()
                steps.append(_Transition(previous, option, float(stacks.arc_scores[arc]), h, False))
                arc = following
        by_stack.append(steps)
    # Score that the best way to the end adds behind each hypothesis, and its next step.
    rest = {step.hypothesis: 0.0 for step in by_stack[length]}
    next_of: dict[int, _Transition] = {}
    for steps in reversed(by_stack[1:]):
        for step in steps:
            if step.hypothesis in rest:
                gain = step.score - float(stacks.scores[step.previous, 0]) + rest[step.hypothesis]
                if gain > rest.get(step.previous, -inf):
                    rest[step.previous] = gain
                    next_of[step.previous] = step
    final_stacks = [[step for step in steps if step.hypothesis in rest] for steps in by_stack]
    numbers = {id(step): number for number, step in enumerate(step for steps in final_stacks for step in steps)}
    winners = {step.hypothesis: numbers[id(step)] for steps in final_stacks for step in steps if step.wins}
    nodes = []
    for k, steps in enumerate(final_stacks):
        for step in steps:
            next_step = next_of.get(step.hypothesis)
            first = step.previous < 0
            nodes.append(
                Node(
                    numbers[id(step)], k, -1 if first else winners[step.previous], step.score,
                    0.0 if first else step.score - float(stacks.scores[step.previous, 0]),
                    None if step.wins else winners[step.hypothesis],
                    -1 if next_step is None else numbers[id(next_step)], step.score + rest[step.hypothesis],
                    0 if first else int(options.starts[step.option]), 0 if first else int(options.ends[step.option]),
                    () if first else tuple(words[step.option]),
                )
            )  # fmt: skip
    return nodes


def search_graph_lines(segment: int, nodes: Sequence[Node]) -> Iterator[str]:
    """Yield Moses' lines: ``0 hyp=5 stack=1 back=0 score=-0.5 transition=-0.5 forward=9 fscore=-2.1 covered=0-1 out=the house``."""
    for node in nodes:
        yield " ".join(
            [
                f"{segment} hyp={node.number} stack={node.stack}",
                *([f"back={node.back} score={node.score:.8g} transition={node.transition:.8g}"] if node.stack else []),
                *([] if node.winner is None else [f"recombined={node.winner}"]),
                f"forward={node.forward} fscore={node.total:.8g}",
                *([f"covered={node.start}-{node.end - 1} out={' '.join(node.words)}"] if node.stack else []),
            ]
        )
