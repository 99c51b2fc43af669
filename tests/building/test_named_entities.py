"""Files of entities, their classes, and accuracy by the definition of CoNLL and seqeval."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.building.named_entities import EntitySentence, entity_accuracy, read_entities, train_names
from app.errors import InputError
from app.resources.linear_tagger.names import NameTagger, entities_of
from app.text.batch import pack_tokens

PERSON, LOCATION, ORGANIZATION, MISC = range(4)
CONLL = "EU NNP B-NP B-ORG\nrejects VBZ B-VP O\nBritish JJ B-NP B-MISC\n\nPeter NNP B-NP B-PER\nBlackburn NNP I-NP I-PER\n"
IOB2 = "# text = where in tampa bay\n1\twhere\tO\t-\t-\n2\ttampa\tB-LOC\t-\ta\n3\tbay\tI-LOC\t-\ta\n4\t2020\tB-DATE\t-\ta\n"


def read(tmp_path: Path, text: str) -> list[EntitySentence]:
    (tmp_path / "file").write_text(text, "utf-8")
    return list(read_entities(tmp_path / "file"))


def test_both_layouts_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, CONLL) == [
        EntitySentence(("EU", "rejects", "British"), ((0, 1, ORGANIZATION), (2, 3, MISC))),
        EntitySentence(("Peter", "Blackburn"), ((0, 2, PERSON),)),
    ]
    assert read(tmp_path, IOB2) == [EntitySentence(("where", "tampa", "bay", "2020"), ((1, 3, LOCATION),))]
    with pytest.raises(InputError, match="line 2"):
        read(tmp_path, "a O\nb NNP\n")


def test_entities_begin_as_seqeval_says(tmp_path: Path) -> None:
    """From seqeval's documentation: B begins an entity, and so does I of another class."""
    text = "\n".join(f"w {tag}" for tag in ["O", "I-PER", "B-PER", "I-PER", "I-LOC", "O", "S-ORG", "I-ORG"])
    assert read(tmp_path, text)[0].spans == (
        (1, 2, PERSON), (2, 4, PERSON), (4, 5, LOCATION), (6, 7, ORGANIZATION), (7, 8, ORGANIZATION),
    )  # fmt: skip


class Fixed(NameTagger):
    """A tagger whose classes are given."""

    def __init__(self, classes: list[int]) -> None:
        self._classes = np.array(classes, np.int8)

    def classes(self, column):  # type: ignore[no-untyped-def]
        return self._classes


def test_accuracy_of_the_example_of_conll() -> None:
    """Two entities, one found and one with a wrong end: precision, recall and F1 are 1/2, as in seqeval's own example."""
    gold = [EntitySentence(tuple("abcdefg"), ((3, 6, MISC),)), EntitySentence(tuple("xyz"), ((0, 2, PERSON),))]
    scores = entity_accuracy(Fixed([0, 0, 4, 4, 4, 4, 0, 1, 1, 0]), gold)
    assert (scores["test_precision"], scores["test_recall"], scores["test_f1"]) == (0.5, 0.5, 0.5)
    assert scores["test_person_f1"] == 1 and scores["test_misc_f1"] == 0


@given(st.lists(st.lists(st.integers(0, 4), max_size=8), max_size=5))
def test_entities_are_the_runs_of_each_segment(rows: list[list[int]]) -> None:
    expected = []
    for row, classes in enumerate(rows):
        for place, number in enumerate(classes):
            if number and (place == 0 or classes[place - 1] != number):
                end = next((k for k in range(place, len(classes)) if classes[k] != number), len(classes))
                expected.append((row, place, end, number - 1))
    offsets = np.cumsum([0, *map(len, rows)])
    found = entities_of(np.array([number for row in rows for number in row], np.int8), offsets)
    columns = (found.segments, found.begins, found.ends, found.classes)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
    for number, (row, begin, end, _) in enumerate(expected):
        assert (found.of_tokens[offsets[row] + begin : offsets[row] + end] == number).all()


def test_a_tagger_learns_its_training_data() -> None:
    names = ["Anna", "Boris", "Carla", "Dana"]
    sentences = [EntitySentence((name, "lives", "in", "Tartu"), ((0, 1, PERSON), (3, 4, LOCATION))) for name in names]
    tagger = NameTagger(train_names("en", sentences))
    assert entity_accuracy(tagger, sentences)["test_f1"] == 1
    found = tagger.entities(pack_tokens([["Anna", "lives", "in", "Tartu"]]))
    assert found.classes.tolist() == [PERSON, LOCATION]
