"""Metrics beside sacreBLEU on the same texts: ``python -m benchmarks.metrics``.

Texts are made from a fixed seed: 3,000 segments of about 25 words, a hypothesis with replaced, dropped and moved words. Both sides
start from strings; sacreBLEU's tokeniser cache is cleared by using new texts for each system.
"""

import random
import time

import sacrebleu.metrics as peer

from app.metrics import metric_named

SEGMENTS = 3000
WORDS = [f"w{k}" for k in range(5000)]
PEERS = {"bleu": peer.BLEU, "chrf": peer.CHRF, "chrf++": lambda: peer.CHRF(word_order=2), "ter": peer.TER}


def texts(seed: int) -> tuple[list[str], list[str]]:
    rng = random.Random(seed)
    references, hypotheses = [], []
    for _ in range(SEGMENTS):
        words = [WORDS[min(4999, int(rng.expovariate(0.004)))] for _ in range(rng.randrange(10, 40))]
        other = [rng.choice(WORDS) if rng.random() < 0.25 else word for word in words if rng.random() > 0.08]
        cut = rng.randrange(len(other))
        references.append(" ".join(words))
        hypotheses.append(" ".join(other[cut:] + other[:cut] if rng.random() < 0.2 else other))
    return hypotheses, references


def main() -> None:
    print(f"{'metric':10s} {'assay s':>9s} {'sacreBLEU s':>12s} {'ratio':>7s}")
    for number, (name, make) in enumerate(PEERS.items()):
        metric = metric_named(name)
        metric.prepare([["a b", ""]]).statistics(["a c b", "x"])
        hypotheses, references = texts(number)
        begun = time.perf_counter()
        ours = float(metric.score(metric.prepare([references]).statistics(hypotheses).sum(0, keepdims=True))[0])
        mine = time.perf_counter() - begun
        hypotheses, references = texts(number)
        begun = time.perf_counter()
        theirs = make().corpus_score(hypotheses, [references]).score
        other = time.perf_counter() - begun
        assert abs(ours - theirs) < 1e-9
        print(f"{name:10s} {mine:9.3f} {other:12.3f} {other / mine:7.1f}")


if __name__ == "__main__":
    main()
