"""Our own tagger and parser: kernels beside plain Python, trees, files, and which tagger is chosen."""

import shutil
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from app.errors import InputError
from app.resources.linear_tagger import LINEAR_TAGGER, LinearModel, load_linear_model, save_linear_model
from app.resources.linear_tagger.parse_kernels import ACTIONS
from app.resources.linear_tagger.parse_kernels import TEMPLATES as PARSE_TEMPLATES
from app.resources.linear_tagger.tag_kernels import TAGS
from app.resources.linear_tagger.tag_kernels import TEMPLATES as TAG_TEMPLATES
from app.resources.loading import open_resources
from app.resources.manifest import read_manifest, write_manifest
from app.resources.tagger import NO_HEAD, UDPIPE, LinearTagger, TaggerChoice, UdpipeTagger, load_tagger, tagger_file
from app.settings import Settings
from app.text import pack_tokens

BITS = 12
EDGE, WORD = 77, (1 << 64) - 1
KINDS = {"Ll": 1, "Lu": 2, "Lt": 2, "Lo": 3, "Lm": 3, "Nd": 4, "Pd": 5, "Po": 6, "Ps": 7, "Pe": 7, "Pi": 7, "Pf": 7}
SHIPPED = Settings().resources_dir


def random_model(seed: int) -> LinearModel:
    draw = np.random.default_rng(seed)
    return LinearModel(*(draw.integers(-127, 128, (1 << BITS) + choices).astype(np.int8) for choices in (TAGS, ACTIONS)))


# The twin: the same hashes and transitions in plain Python's integers.
def mixed(key: int, value: int) -> int:
    key = (key ^ value) * 0x9E3779B97F4A7C15 & WORD
    return key ^ (key >> 29)


def run(start: int, values: Sequence[int]) -> int:
    for value in values:
        start = mixed(start, value)
    return start


def parts_of(word: str) -> list[int]:
    word = word[:64]
    small = [ord(c.lower()) if len(c.lower()) == 1 and ord(c) < 0x20000 else ord(c) for c in word]
    kinds = [
        3 if ord(c) >= 0x20000 else 8 if unicodedata.category(c)[0] == "S" else KINDS.get(unicodedata.category(c), 0) for c in word
    ]
    endings = [run(2, small[::-1][: k + 1]) if k < len(small) else 0 for k in range(5)]
    beginnings = [run(3, small[: k + 1]) if k < len(small) else 0 for k in range(4)]
    shape = run(4, [kind for k, kind in enumerate(kinds) if k == 0 or kind != kinds[k - 1]])
    marks = run(5, [sum(1 << kind for kind in set(kinds)), kinds[0], min(len(word), 8)])
    return [run(1, small), *endings, *beginnings, shape, marks]


def best(atoms: Sequence[int], templates: np.ndarray, weights: np.ndarray, choices: Sequence[int]) -> int:
    scores = dict.fromkeys(choices, 0)
    for k, places in enumerate(templates.tolist()):
        base = (run(mixed(0, k + 1), [atoms[place] for place in places if place >= 0]) >> 20) & ((1 << BITS) - 1)
        for choice in choices:
            scores[choice] += int(weights[base + choice])
    return max(choices, key=lambda choice: (scores[choice], -choice))


def tags_of(words: Sequence[str], weights: np.ndarray) -> list[int]:
    parts, tags = [parts_of(word) for word in words], [17, 17]
    for t in range(len(words)):

        def at(by: int, column: int, t: int = t) -> int:
            return parts[t + by][column] if 0 <= t + by < len(words) else EDGE

        around = [at(-1, 0), at(-2, 0), at(1, 0), at(2, 0), at(-1, 3), at(1, 3), at(1, 2), at(2, 3), at(-1, 10), at(1, 10)]
        tags.append(best([*parts[t], *around, t == 0, tags[-1], tags[-2]], TAG_TEMPLATES, weights, range(TAGS)))
    return tags[2:]


def heads_of(words: Sequence[str], tags: Sequence[int], weights: np.ndarray) -> list[int]:
    size, parts = len(words), [parts_of(word) for word in words]
    heads, stack, first = [NO_HEAD] * size, list[int](), 0
    dependents: list[tuple[list[int], list[int]]] = [([], []) for _ in range(size + 1)]

    def tag(k: int | None) -> int:
        return 18 if k is None else 17 if k == size else tags[k]

    def part(k: int | None, column: int) -> int:
        return EDGE if k is None or k == size else parts[k][column]

    def outer(k: int | None, side: int) -> int | None:
        return None if k is None or not dependents[k][side] else (min, max)[side](dependents[k][side])

    def count(k: int | None, side: int) -> int:
        return 0 if k is None else min(3, len(dependents[k][side]))

    while stack or first < size:
        s0, s1, s2 = [*stack[::-1], None, None, None][:3]
        b1, b2 = (first + k if first + k <= size else None for k in (1, 2))
        atoms = [
            *map(tag, [s0, s1, s2, first, b1, b2, outer(s0, 0), outer(s0, 1), outer(s1, 0), outer(s1, 1), outer(first, 0)]),
            *(part(k, 0) for k in (s0, s1, first, b1)),
            *(part(k, column) for column in (2, 3) for k in (s0, s1, first)),
            0 if s0 is None else min(first - s0, 6),
            0 if s0 is None or s1 is None else min(s0 - s1, 6),
            *(count(s0, 0), count(s0, 1), count(s1, 1), count(first, 0)),
        ]
        allowed = [0] * (first < size) + [1] * (bool(stack) and (first < size or len(stack) == 1)) + [2] * (len(stack) > 1)
        action = best(atoms, PARSE_TEMPLATES, weights, allowed)
        if action == 0:
            stack.append(first)
            first += 1
        else:
            word = stack.pop()
            head = first if action == 1 else stack[-1]
            heads[word] = head if head < size else NO_HEAD
            dependents[head][action - 1].append(word)
    return heads


WORDS = st.text(min_size=1, max_size=9).filter(lambda text: not text.isspace())


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=9), max_size=3), st.integers(0, 3))
def test_the_kernels_say_what_plain_python_says(segments: list[list[str]], seed: int) -> None:
    model = random_model(seed)
    tags, heads = model.annotate(pack_tokens(segments), True)
    assert heads is not None and model.heads is not None
    expected = [tags_of(words, model.tags) for words in segments]
    assert tags.tolist() == [tag for row in expected for tag in row]
    plain = [heads_of(words, row, model.heads) for words, row in zip(segments, expected, strict=True)]
    assert heads.tolist() == [head for row in plain for head in row]


@settings(max_examples=20, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=30), st.integers(0, 9))
def test_every_segment_is_one_tree_without_crossing_arcs(words: list[str], seed: int) -> None:
    heads = random_model(seed).annotate(pack_tokens([words]), True)[1]
    assert heads is not None and (heads == NO_HEAD).sum() == 1
    for start in range(len(words)):
        at, steps = start, 0
        while heads[at] != NO_HEAD:
            at, steps = int(heads[at]), steps + 1
            assert steps <= len(words)
    arcs = [sorted((k, int(head))) for k, head in enumerate(heads) if head != NO_HEAD]
    assert not any(a < c < b < d for a, b in arcs for c, d in arcs)


def test_a_file_is_read_as_it_was_written_and_others_are_refused(tmp_path: Path) -> None:
    model, path = random_model(0), tmp_path / LINEAR_TAGGER
    save_linear_model(model, path)
    again = load_linear_model(path)
    assert again.heads is not None and model.heads is not None
    assert (again.tags == model.tags).all() and (again.heads == model.heads).all()
    save_linear_model(LinearModel(model.tags), path)
    tagger = load_tagger(tmp_path)
    assert isinstance(tagger, LinearTagger) and not tagger.parses
    assert tagger.annotate(pack_tokens([["a"], []]), True).heads.tolist() == [NO_HEAD]
    path.write_bytes(b"something else")
    with pytest.raises(InputError, match="no safetensors file"):
        load_linear_model(path)
    version = np.array([1], np.int32)
    for arrays, reason in (
        ({"tags": model.tags}, "does not hold the weights"),
        ({"tags": model.tags[:-1], "format": version}, "does not hold the weights"),
        ({"tags": model.tags.astype(np.int16), "format": version}, "does not hold the weights"),
        ({"tags": model.tags, "heads": model.tags, "format": version}, "does not hold the weights"),
        ({"tags": model.tags, "format": version + 1}, "has format"),
    ):
        save_file(arrays, path)
        with pytest.raises(InputError, match=reason):
            load_linear_model(path)


def test_the_setting_chooses_where_there_are_two(tmp_path: Path) -> None:
    shutil.copy(SHIPPED / "et" / "tagger" / "tagger.udpipe", tmp_path / "tagger.udpipe")
    save_linear_model(random_model(1), tmp_path / LINEAR_TAGGER)
    assert isinstance(load_tagger(tmp_path, "et"), UdpipeTagger)
    assert isinstance(load_tagger(tmp_path, "et", TaggerChoice.of("de")), UdpipeTagger)
    for languages in ("de, et", "all"):
        assert isinstance(load_tagger(tmp_path, "et", TaggerChoice.of(languages)), LinearTagger)
    (tmp_path / "tagger.udpipe").unlink()
    assert tagger_file(tmp_path, "et") == LINEAR_TAGGER


@pytest.mark.parametrize("language", ["de", "en", "et", "ro", "ru", "zh"])
def test_ours_stands_for_the_model_that_ships_and_for_no_other(tmp_path: Path, language: str) -> None:
    shipped = SHIPPED / language / "tagger"
    assert tagger_file(shipped, language) == LINEAR_TAGGER
    assert tagger_file(shipped, language, TaggerChoice.of("none")) == tagger_file(shipped, language, TaggerChoice.of("")) == UDPIPE
    manifest = read_manifest(shipped)
    for name in (UDPIPE, LINEAR_TAGGER):
        (tmp_path / name).touch()
    for files in ({**manifest.files, UDPIPE: "0" * 64}, {LINEAR_TAGGER: manifest.files[LINEAR_TAGGER]}):
        write_manifest(tmp_path, replace(manifest, files=files))
        assert tagger_file(tmp_path, language) == UDPIPE
    write_manifest(tmp_path, manifest)
    (tmp_path / "config.cfg").touch()
    assert tagger_file(tmp_path, language) == UDPIPE


def test_a_language_that_has_none_cannot_be_chosen() -> None:
    with pytest.raises(InputError, match="ASSAY_LINEAR_TAGGERS names xx, which has no"):
        open_resources(SHIPPED, TaggerChoice.of("xx"))
