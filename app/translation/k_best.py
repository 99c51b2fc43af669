"""The best derivations of a search, from what was recombined in it.

Every hypothesis has its best derivation and, as arcs, the last steps of those that lost against it. A derivation is the best one
but for the places where it takes an arc; the heap holds the next candidates for each of these places alone, so the k best are
exact for what was not pruned, in O(k × length × log k).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

from app.translation.stack_kernels import ARCS, OPTION, PREVIOUS, Stacks

__all__ = ["k_best"]

Step = tuple[int, int, float]


@dataclass
class _Graph:
    """Steps into each hypothesis, the best first: previous hypothesis, option, and what is lost against the best."""

    stacks: Stacks
    ends: list[int]

    def __post_init__(self) -> None:
        self._steps: dict[int, list[Step]] = {}

    def steps(self, hypothesis: int) -> list[Step]:
        """All steps into a hypothesis; into -1, the end of all, from every whole translation."""
        steps = self._steps.get(hypothesis)
        if steps is None:
            steps = self._steps[hypothesis] = self._look(hypothesis)
        return steps

    def _look(self, hypothesis: int) -> list[Step]:
        scores = self.stacks.scores
        if hypothesis < 0:
            order = sorted(self.ends, key=lambda end: -scores[end, 0])
            return [(end, -1, float(scores[order[0], 0] - scores[end, 0])) for end in order]
        row = self.stacks.hypotheses[hypothesis]
        steps = [(int(row[PREVIOUS]), int(row[OPTION]), 0.0)]
        arc, best = int(row[ARCS]), float(scores[hypothesis, 0])
        while arc >= 0:
            previous, option, following = self.stacks.arcs[arc].tolist()
            steps.append((previous, option, best - float(self.stacks.arc_scores[arc])))
            arc = following
        return sorted(steps, key=lambda step: step[2])


def k_best(stacks: Stacks, length: int) -> Iterator[tuple[list[int], float]]:
    """The options of each derivation in the order of the target, and its score; the best first, as many as there are."""
    size = int(stacks.counts[3 + length])
    if not size:
        return
    graph = _Graph(stacks, stacks.items[length, :size].tolist())
    best = float(stacks.scores[graph.steps(-1)[0][0], 0])
    # What is lost, a number that keeps equals in order, the last steps from the end of all backwards, and the first that may be
    # changed.
    heap: list[tuple[float, int, tuple[tuple[int, int], ...]]] = [(0.0, 0, ((-1, 0),))]
    made = 1
    while heap:
        loss, _, chosen = heappop(heap)
        path, options = list(chosen), []
        hypothesis, rank = path[-1]
        # Follow the best steps from where the last was chosen.
        while True:
            previous = graph.steps(hypothesis)[rank][0]
            if int(stacks.hypotheses[previous, PREVIOUS]) < 0:
                break
            hypothesis, rank = previous, 0
            path.append((hypothesis, rank))
        options = [graph.steps(node)[rank][1] for node, rank in path[1:]]
        yield options[::-1], best - loss
        for place in range(len(chosen) - 1, len(path)):
            node, rank = path[place]
            steps = graph.steps(node)
            if rank + 1 < len(steps):
                more = loss - steps[rank][2] + steps[rank + 1][2]
                heappush(heap, (more, made, (*path[:place], (node, rank + 1))))
                made += 1
