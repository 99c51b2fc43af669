"""`assay train`, `select-features`, `feedback`, `promote` and `rollback`, as a shell sees them."""

import json
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.commands import assay
from tests.servers import Server

MODEL = "si-en-da-gp-17"


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts whose label is how many words are missing, by two annotators."""
    words = ["the", "old", "house", "on", "the", "hill", "is", "very", "big", "and", "has", "a", "red", "roof"]
    rows = []
    for i in range(240):
        missing = 2 * (i % 6)
        text = " ".join(words[: len(words) - missing])
        rows.append(
            f"Casa veche numărul {i} de pe deal este foarte mare.\t{text}\t{missing / len(words)}\t{'ab'[i // 6 % 2]}\t{' '.join(words)}"
        )
    path = tmp_path_factory.mktemp("labelled") / "t.tsv"
    path.write_text("source\ttranslation\tlabel\twho\tpost_edit\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def train(labelled: Path, *more: str, data: Path) -> subprocess.CompletedProcess[str]:
    return assay("train", str(labelled), "--pair", "ro-en", "--label", "hter", *more, data=data)


def test_a_learner_with_options_is_trained_and_kept_with_its_rows(labelled: Path, tmp_path: Path) -> None:
    done = train(labelled, "--learner", "gp|kernel:matern52|inducing:0", "--format", "json", data=tmp_path)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["accuracy"]["pearson"] > 0.9
    folder = tmp_path / "models" / answer["model"]
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md",
        "arrays.safetensors",
        "card.json",
        "residuals.safetensors",
        "rows.npz",
    ]
    card = json.loads((folder / "card.json").read_text())
    assert card["hyper_parameters"]["kernel"] == "matern52"
    assert card["software"]["blas_threads"] == "1"
    # The default name is that of a model that ships; each further model gets another name.
    assert answer["model"] == "ro-en-hter-gp-17-2"
    again = train(labelled, data=tmp_path)
    assert again.returncode == 0
    assert (tmp_path / "models" / "ro-en-hter-gp-17-3").is_dir()
    named = train(labelled, "--name", answer["model"], data=tmp_path)
    assert named.returncode == 2
    assert "exists already" in named.stderr
    shown = assay("models", "show", answer["model"], data=tmp_path)
    assert json.loads(shown.stdout)["id"] == answer["model"]


def test_a_server_trains_and_measures_as_the_command_itself_does(labelled: Path, server: Server, tmp_path: Path) -> None:
    named = ["--name", "ro-en-by-shell", "--licence", "MIT", "--data-name", "missing words", "--seed", "7"]
    more = [*named, "--learner", "ridge", "--held-out", str(labelled), "--format", "json"]
    # Nobody else asks for this label.
    asked = ["train", str(labelled), "--pair", "ro-en", "--label", "time", *more]
    here, there = assay(*asked, data=tmp_path), assay(*asked, "--server", server.address, data=tmp_path / "no")
    assert here.returncode == there.returncode == 0, here.stderr + there.stderr
    assert json.loads(here.stdout) == json.loads(there.stdout)
    folders = [data / "models" / "ro-en-by-shell" for data in (tmp_path, server.data)]
    for name in ("arrays.safetensors", "rows.npz"):
        assert len({(folder / name).read_bytes() for folder in folders}) == 1
    card = json.loads((folders[1] / "card.json").read_text())
    assert (card["licence"], card["training_data"]["name"]) == ("MIT", "missing words")
    refused = assay(*asked, "--out", str(tmp_path / "out"), "--server", server.address, data=tmp_path)
    assert refused.returncode == 2 and "--out" in refused.stderr
    for label, model in (("time", "ro-en-by-shell"), ("da", "ro-en-da-blend-95")):
        asked = ["evaluate", str(labelled), "--pair", "ro-en", "--label", label, "--format", "json"]
        here, there = assay(*asked, data=server.data), assay(*asked, "--server", server.address)
        assert here.returncode == there.returncode == 0, here.stderr + there.stderr
        assert json.loads(here.stdout) == json.loads(there.stdout)
        assert model in {row["model"] for row in json.loads(there.stdout)["models"]}


@pytest.mark.parametrize("sharing", ["combined", "rank"])
def test_annotators_are_learned_together(labelled: Path, tmp_path: Path, sharing: str) -> None:
    done = train(labelled, "--task-column", "who", "--sharing", sharing, "--format", "json", data=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {each["model"] for each in json.loads(done.stdout)["models"]} == {f"ro-en-hter-gp-17-of-2-{who}" for who in "ab"}


def test_pairs_are_learned_together(labelled: Path, tmp_path: Path) -> None:
    done = train(labelled, "--also", f"et-en={labelled}", data=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "models").iterdir()} == {"ro-en-hter-gp-17-of-2", "et-en-hter-gp-17-of-2"}


def test_features_are_ranked_and_plotted(labelled: Path, tmp_path: Path) -> None:
    plot = tmp_path / "curve.svg"
    done = assay(
        "models", "select-features", str(labelled), "--pair", "ro-en", "--label", "hter", "--feature-set", "quest-baseline-17", "--method", "elimination",
        "--learner", "ridge", "--plot", str(plot), "--format", "json", data=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert len(answer["ranking"]) == 17
    assert [point["features"] for point in answer["points"]] == [1, 2, 3, 5, 8, 12, 17]
    assert answer["chosen"] in (1, 2, 3, 5, 8, 12, 17)
    assert ElementTree.parse(plot).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--learner", "gp|kernel:cosine"], "rbf, matern32"),
        (["--also", "nothing"], "PAIR=TABLE"),
        (["--task-column", "nobody"], "nobody"),
        (["--task-column", "who", "--sharing", "all"], "pooled"),
        (["--label-column", "source"], "number"),
        (["--feedback"], "kept by a server"),
    ],
)
def test_wrong_uses_are_told_apart(labelled: Path, tmp_path: Path, more: list[str], said: str) -> None:
    done = train(labelled, *more, data=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_the_card_names_the_rows_that_were_held_out(labelled: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.tsv"
    other.write_bytes(labelled.read_bytes())
    done = train(labelled, "--held-out", str(other), "--learner", "ridge", "--name", "mine", data=tmp_path)
    assert done.returncode == 0, done.stderr
    card = json.loads((tmp_path / "models" / "mine" / "card.json").read_text())
    assert (card["training_data"]["name"], card["accuracy"]["data"]) == (labelled.name, "other.tsv")
    version = train(labelled, "--base", "mine", "--method", "adapt", "--name", "next", data=tmp_path)
    assert version.returncode == 0, version.stderr
    assert "promotion" not in version.stderr
    asked = train(labelled, "--base", "mine", "--method", "adapt", "--promote", "by-hand", "--name", "third", data=tmp_path)
    assert asked.returncode == 0, asked.stderr
    assert "promotion: promoted False" in asked.stderr


def test_too_few_rows_name_what_holds_them_out(labelled: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.tsv"
    few.write_text("".join(labelled.read_text().splitlines(keepends=True)[:60]))
    share = train(few, "--learner", "ridge", data=tmp_path)
    assert share.returncode == 2
    assert share.stderr.startswith("assay: held_out_share: few.tsv, held-out part: 12 rows; at least 20 are needed"), share.stderr
    few.write_text("".join(labelled.read_text().splitlines(keepends=True)[:10]))
    own = train(labelled, "--held-out", str(few), "--learner", "ridge", data=tmp_path)
    assert own.returncode == 2 and own.stderr.startswith("assay: held_out: few.tsv: 9 rows; at least 20 are needed"), own.stderr


def test_feedback_is_sent_and_models_are_promoted(labelled: Path, server: Server) -> None:
    done = assay(
        "feedback", "send", str(labelled), "--pair", "ro-en", "--model", "ro-en-da-gp-27",
        "--origin", "tests", "--server", server.address,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "240" in done.stdout
    for form in ("send", "again"):
        (labelled.parent / form).write_text("\n".join(labelled.read_text().splitlines()[:3]) + "\n")
        few = str(labelled.parent / form)
        more = assay("feedback", "send", few, "--pair", "ro-en", "--origin", f"=shell {form}", "--server", server.address)
        assert more.returncode == 0, more.stderr
    told = ("--origin", "=shell send", "--server", server.address)
    rows = json.loads(assay("feedback", "list", *told, "--format", "json").stdout)["feedback"]
    assert len(rows) == 2 and {row["label"] for row in rows} == {"hter"}
    assert rows[0]["id"] in assay("feedback", "list", "--pair", "ro-en", "--since", "2020-01-01", *told, "--limit", "1").stdout
    lines = assay("feedback", "export", *told).stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [row["id"] for row in rows]
    table = assay("feedback", "export", *told, "--format", "tsv").stdout.splitlines()
    assert len(table) == 3 and "\t=shell send\t" in table[1]
    one = rows[0]["id"]
    corrected = json.loads(
        assay("feedback", "correct", one, "--post-edit", rows[0]["translation"], "--server", server.address).stdout
    )
    assert (corrected["value"], corrected["used_by"]) == (0.0, [])
    wrong = assay("feedback", "correct", one, "--score", "7", "--server", server.address)
    assert wrong.returncode == 2 and "hter is from 0 to 1" in wrong.stderr
    assert json.loads(assay("feedback", "delete", one, "--server", server.address).stdout)["id"] == one
    gone = assay("feedback", "delete", one, "--server", server.address)
    assert gone.returncode == 2 and "no judgement has this id" in gone.stderr
    assert json.loads(assay("models", "promote", MODEL, "--server", server.address, "--reason", "a test").stdout)["model"] == MODEL
    assert json.loads(assay("models", "rollback", MODEL, "--server", server.address).stdout)["model"] is None
    again = assay("models", "rollback", MODEL, "--server", server.address)
    assert again.returncode == 2
    assert "promoted" in again.stderr
