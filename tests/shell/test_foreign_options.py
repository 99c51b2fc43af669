"""Options and names of sacreBLEU and comet-score: refused with the command that does the work here."""

from pathlib import Path

import pytest

from tests.commands import assay


@pytest.fixture()
def paths(tmp_path: Path) -> tuple[str, str, str]:
    """Files of a source, a hypothesis and a reference."""
    names = [tmp_path / f"{name}.txt" for name in ("source", "hypothesis", "reference")]
    for path in names:
        path.write_text("a b c\n", encoding="utf-8")
    return str(names[0]), str(names[1]), str(names[2])


def refused(*arguments: str) -> str:
    result = assay("score", *arguments)
    assert result.returncode != 0 and not result.stdout
    return result.stderr


def test_a_test_set_is_fetched_with_sacrebleu(paths: tuple[str, str, str]) -> None:
    _, hypothesis, reference = paths
    for arguments in (("-t", "wmt17"), (reference, "--test-set", "wmt17")):
        said = refused(*arguments, "-l", "en-de", "-i", hypothesis)
        assert "downloads no test sets" in said and "sacrebleu -t wmt17 -l en-de --echo ref > ref.txt" in said


def test_the_command_of_comet_score_is_translated(paths: tuple[str, str, str]) -> None:
    source, hypothesis, reference = paths
    expected = f"assay score -r {reference} -i {hypothesis} --source {source} -m neural:NAME"
    assert expected in refused("-s", source, "-t", hypothesis, "-r", reference)
    expected = f"assay score -i {hypothesis} --source {source} -m neural:kiwi"
    assert expected in refused("-s", source, "-t", hypothesis, "-m", "neural:kiwi")
    assert "a source file is --source" in refused(reference, "-i", hypothesis, "-s", source)
    assert assay("score", reference, "-i", hypothesis, "-s", "floor", "-m", "bleu").returncode == 0


@pytest.mark.parametrize("name", ["comet", "comet22", "wmt22-comet-da", "Unbabel/wmt22-cometkiwi-da", "bleurt", "metricx"])
def test_a_neural_metric_says_how_it_is_imported(paths: tuple[str, str, str], name: str) -> None:
    said = refused(paths[2], "-i", paths[1], "-m", name)
    assert "assay resources import-checkpoint CHECKPOINT --name" in said and "ASSAY_CHECKPOINTS=checkpoints" in said


def test_an_absent_checkpoint_says_how_one_is_added(paths: tuple[str, str, str]) -> None:
    assert "assay resources import-checkpoint adds one" in refused(paths[2], "-i", paths[1], "-m", "neural:comet")
