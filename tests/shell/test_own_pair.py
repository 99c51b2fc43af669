"""`assay pair`: a language pair made by one command of what people have, used, listed and removed."""

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.engine import Engine
from app.engine.segments import Options, Segments
from app.errors import InputError
from app.resources.lexical_table import LexicalTable
from app.resources.loading import Resources
from app.settings import Settings
from app.shell.here import engine_here, settings_here
from app.shell.own_pair import adding
from app.shell.own_pair.adding import Wish, add_pair
from app.shell.own_pair.folders import OwnPair, remove_pair
from app.shell.program import program
from app.text import LanguagePair
from app.text.hashing import hash_tokens
from tests.toy_pair import PAIR, TRANSLATIONS, sentences, translated, write_labels, write_memory

QAA_QAB = LanguagePair.parse(PAIR)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Settings, str]:
    """The data folder of a pair with labels, and what was said while it was made."""
    root = tmp_path_factory.mktemp("pair")
    write_memory(root / "memory.tsv")
    write_labels(root / "labels.tsv", 100)
    told: list[str] = []
    settings = Settings(data_dir=root / "data", resources_dir=root / "none", models_dir=root / "none")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(adding, "say", told.append)
        add_pair(settings, Wish(QAA_QAB, (str(root / "memory.tsv"),), str(root / "labels.tsv")))
    return settings, "\n".join(told)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The data folder of commands, and a memory beside it."""
    write_memory(tmp_path / "memory.tsv", 60)
    for name, value in (("DATA_DIR", "data"), ("RESOURCES_DIR", "none"), ("MODELS_DIR", "none")):
        monkeypatch.setenv(f"ASSAY_{name}", str(tmp_path / value))
    settings_here.cache_clear()
    yield tmp_path / "data"
    settings_here.cache_clear()


def _assay(*command: object) -> Any:
    # Each command is a process of its own.
    engine_here.cache_clear()
    return CliRunner().invoke(program, [str(part) for part in command], catch_exceptions=False)


def test_every_word_has_its_translation_first(made: tuple[Settings, str]) -> None:
    settings, _ = made
    for direction, words in ((PAIR, TRANSLATIONS), ("bm-ee", {value: key for key, value in TRANSLATIONS.items()})):
        table = LexicalTable.load(settings.own_resources_dir / PAIR / f"lex.{direction}.safetensors")
        rows = table.rows(hash_tokens(list(words)))
        best = [
            table.target[begin + table.probability[begin:end].argmax()]
            for begin, end in zip(table.offsets[rows].tolist(), table.offsets[rows + 1].tolist(), strict=True)
        ]
        assert best == hash_tokens(list(words.values())).tolist()


def test_its_predictor_and_tagger_know_wrong_translations(made: tuple[Settings, str]) -> None:
    settings, _ = made
    engine = Engine.open(settings.resources_dir, settings.models_dir, settings.trained_models_dir, None, settings.own_resources_dir)
    rng, new = random.Random(7), sentences(40, 77)
    right = [translated(words) for words in new]
    shuffled = [rng.sample(words, len(words)) for words in right]
    wrong = [[*words[:2], TRANSLATIONS["waa"], TRANSLATIONS["waa"], *words[4:]] for words in right]

    def judged(translations: list[list[str]]) -> Any:
        texts = [f"{' '.join(words)} ." for words in translations]
        segments = Segments(QAA_QAB, [f"{' '.join(words)} ." for words in new], texts)
        return engine.quality(segments, options=Options(words=True))

    of_right, of_shuffled, of_wrong = judged(right), judged(shuffled), judged(wrong)
    assert of_right.model.card.id == f"{PAIR}-hter-gp-17" and engine.cautions(of_right.model, of_right.words.tagger) == []
    assert (of_shuffled.prediction.mean > of_right.prediction.mean).mean() >= 0.95
    bad = [judgement.words.tags.wrong_words.mean() for judgement in (of_right, of_wrong)]
    assert bad[0] < 0.1 < bad[1]


def test_each_step_says_what_it_found_and_what_to_expect(made: tuple[Settings, str]) -> None:
    settings, told = made
    for sentence in (
        "text: 300 segments; left out: nothing", "language model of ee: 300 segments", f"lexical table {PAIR}: 61 words",
        "corpus index: 300 segments", "labels: 100 of hter, from the column post_edit", "expect a Pearson correlation of 0.9",
        "each predicted by a model that had not seen it", "100 labels are few", f"word tagger {PAIR}-words: MCC",
        f"{PAIR} is there: assay quality FILE --pair {PAIR}", "a running server",
    ):  # fmt: skip
        assert sentence in told
    assert not list(settings.data_dir.glob(".pair-*"))


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_pair_without_labels_is_made_of_any_file_and_replaced_by_name_alone(data: Path) -> None:
    memory = data.parent / "memory.tsv"
    rows = [line.split("\t") for line in memory.read_text().splitlines()[1:]]
    units = "".join(f'<tu><tuv xml:lang="ee"><seg>{a}</seg></tuv><tuv xml:lang="bm"><seg>{b}</seg></tuv></tu>' for a, b in rows)
    (data.parent / "memory.tmx").write_text(
        f'<?xml version="1.0"?><tmx version="1.4"><header srclang="ee"/><body>{units}</body></tmx>'
    )
    for k, name in enumerate(("source.txt", "target.txt")):
        (data.parent / name).write_text("".join(f"{row[k]}\n" for row in rows))
    first: dict[str, bytes] = {}
    before: dict[str, bytes] = {}
    for texts in (["memory.tsv"], ["memory.tmx"], ["source.txt", "target.txt"]):
        paths = [data.parent / name for name in texts]
        if first:
            with pytest.raises(InputError, match=rf"{PAIR}/manifest.json is there already; --replace"):
                _assay("pair", "add", PAIR, *paths)
            assert _files(data / "resources") == before
        done = _assay("pair", "add", PAIR, *paths, *(["--replace"] if first else []))
        assert done.exit_code == 0 and "no labels: no predictor" in done.output and "assay train" in done.output
        before = _files(data / "resources")
        learnt = {name: content for name, content in before.items() if not name.endswith("manifest.json")}
        assert learnt == (first or learnt)
        first = learnt
    assert len(first) == 9


def test_topics_come_with_their_flag_and_go_without_it(data: Path) -> None:
    memory, bags = data.parent / "memory.tsv", data / "resources" / PAIR / "bags.safetensors"
    done = _assay("pair", "add", PAIR, memory, "--topics")
    assert done.exit_code == 0 and "segments; topics, triggers and a word lexicon" in done.output
    resources = engine_here().pair_resources(QAA_QAB)
    assert bags.is_file() and resources.bags_of_words is not None
    done = _assay("pair", "add", PAIR, memory, "--replace")
    assert done.exit_code == 0 and "word lexicon" not in done.output and not bags.exists()


def test_a_pair_without_a_predictor_says_what_makes_one(data: Path) -> None:
    memory = data.parent / "memory.tsv"
    assert _assay("pair", "add", PAIR, memory).exit_code == 0
    way_out = rf"no model for {PAIR} yet: assay train makes one of labelled segments, or assay pair add {PAIR} with --labels FILE --replace"
    with pytest.raises(InputError, match=way_out):
        _assay("quality", memory, "--pair", PAIR)


def test_too_few_labels_are_said_and_stop_nothing(data: Path) -> None:
    write_labels(data.parent / "labels.tsv", 30)
    done = _assay("pair", "add", PAIR, data.parent / "memory.tsv", "--labels", data.parent / "labels.tsv")
    assert done.exit_code == 0 and "too few labels for a predictor: 30, and 60 are the fewest" in done.output
    assert (data / "resources" / PAIR / "manifest.json").is_file() and not (data / "models").exists()


def test_a_command_that_was_stopped_goes_on(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    command = ("pair", "add", PAIR, data.parent / "memory.tsv")
    with monkeypatch.context() as patched:
        patched.setattr(adding._Steps, "put_in_place", stop)
        CliRunner().invoke(program, [str(part) for part in command])
    assert not (data / "resources").exists() and len(list(data.glob(".pair-*"))) == 1
    monkeypatch.setattr(adding, "build_language", stop)
    monkeypatch.setattr(adding, "build_pair", stop)
    assert _assay(*command).exit_code == 0
    assert (data / "resources" / PAIR / "manifest.json").is_file() and not list(data.glob(".pair-*"))


def test_pairs_share_a_language_and_go_alone(data: Path) -> None:
    memory = data.parent / "memory.tsv"
    assert _assay("pair", "add", PAIR, memory).exit_code == 0
    shared = (data / "resources" / "ee" / "lm.binary").read_bytes()
    write_memory(memory, 80, seed=9)
    done = _assay("pair", "add", "ee-ak", memory)
    assert done.exit_code == 0 and "the one that is there, which other pairs use" in done.output
    assert _assay("pair", "add", PAIR, memory, "--replace").exit_code == 0
    assert (data / "resources" / "ee" / "lm.binary").read_bytes() == shared
    listed = _assay("pair", "list", "--format", "tsv").output.splitlines()
    assert listed == ["pair\tsegments\tmodels", "ee-ak\t80\t", f"{PAIR}\t80\t"]
    as_json = json.loads(_assay("pair", "list", "--format", "json").output)
    assert as_json == {"pairs": [{"pair": name, "segments": 80, "models": []} for name in ("ee-ak", PAIR)]}
    assert f"Remove {PAIR} and 0 models?" in CliRunner().invoke(program, ["pair", "remove", PAIR], input="n\n").output
    assert _assay("pair", "remove", PAIR, "--yes").exit_code == 0
    assert sorted(path.name for path in (data / "resources").iterdir()) == ["ak", "ee", "ee-ak"]
    with pytest.raises(InputError, match="was not made here"):
        _assay("pair", "remove", PAIR, "--yes")
    assert _assay("pair", "remove", "ee-ak", "--yes").exit_code == 0 and not list((data / "resources").iterdir())


def test_languages_and_other_folders_beside_pairs_are_passed_over(data: Path) -> None:
    memory = data.parent / "memory.tsv"
    assert _assay("pair", "add", PAIR, memory).exit_code == 0
    for language in ("pt-BR", "zh-Hant"):
        assert _assay("resources", "lm", f"{memory}:source", "--language", language).exit_code == 0
    assert _assay("resources", "align", f"{memory}:source", f"{memory}:target", "--pair", "en-US:zh-CN").exit_code == 0
    for name, content in (("fr-de.old", "{}"), ("fr-de", "{}"), ("x-y-old", "no JSON")):
        (data / "resources" / name).mkdir()
        (data / "resources" / name / "manifest.json").write_text(content)
    listed = _assay("pair", "list", "--format", "tsv")
    assert listed.exit_code == 0 and listed.stdout.splitlines() == ["pair\tsegments\tmodels", f"{PAIR}\t60\t", "en-US:zh-CN\t60\t"]
    assert listed.stderr.splitlines() == [
        "fr-de is passed over: fr-de holds no readable manifest.json: manifest.json lacks members of a manifest, or has unknown ones"
    ]
    for pair in ("en-US:zh-CN", PAIR):
        assert _assay("pair", "remove", pair, "--yes").exit_code == 0
    left = ["fr-de", "fr-de.old", "pt-BR", "x-y-old", "zh-Hant"]
    assert sorted(path.name for path in (data / "resources").iterdir()) == left


def test_a_removed_pair_takes_its_models_along_where_nobody_says_no(
    made: tuple[Settings, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shutil.copytree(made[0].data_dir, tmp_path / "data")
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "data"))
    settings_here.cache_clear()
    try:
        assert f"{PAIR}-hter-gp-17 {PAIR}-words" in _assay("pair", "list").output
        kept = CliRunner().invoke(program, ["pair", "remove", PAIR], input="n\n")
        assert kept.exit_code == 1 and f"Remove {PAIR} and 2 models?" in kept.output
        assert len(list((tmp_path / "data" / "models").iterdir())) == 2
        assert CliRunner().invoke(program, ["pair", "remove", PAIR], input="y\n").exit_code == 0
        assert not list((tmp_path / "data" / "models").iterdir()) and not list((tmp_path / "data" / "resources").iterdir())
    finally:
        settings_here.cache_clear()


def _scored(path: Path, heading: str, count: int = 60) -> Path:
    """Labels on a scale of 1 (whole) to 3, by how many words are wrong."""
    rng, rows = random.Random(5), []
    for number, words in enumerate(sentences(count, 8)):
        right = translated(words)
        shown = " ".join(rng.sample(right, len(right)) if number % 3 else right)
        rows.append(f"{' '.join(words)} .\t{shown} .\t{1 + number % 3}\n")
    path.write_text(f"source\ttranslation\t{heading}\n{''.join(rows)}", "utf-8")
    return path


def _cards(data: Path) -> dict[str, Any]:
    return {path.parent.name: json.loads(path.read_text()) for path in (data / "models").glob("*/card.json")}


def test_scores_on_a_scale_of_their_own_are_declared(data: Path) -> None:
    memory, scores = data.parent / "memory.tsv", _scored(data.parent / "scores.tsv", "effort")
    scale = ["--lower-is-better", "--classes", "1,2,3", "--unit", "grades"]
    with pytest.raises(InputError, match="--classes: this is about a table of labels"):
        _assay("pair", "add", PAIR, memory, *scale[1:])
    with pytest.raises(InputError, match="say --lower-is-better or --higher-is-better too"):
        _assay("pair", "add", PAIR, memory, "--labels", scores, "--range", "1:3")
    done = _assay("pair", "add", PAIR, memory, "--labels", scores, *scale)
    assert f"assay quality FILE --pair {PAIR} --label effort\n" in done.output
    (card,) = _cards(data).values()
    assert (card["label"], card["direction"], card["unit"]) == ("effort", "lower is better", "grades")
    assert card["scale"]["classes"] == [1.0, 2.0, 3.0]


def test_a_label_with_a_name_of_its_own_has_one_that_folders_can_have(data: Path) -> None:
    memory, scores = data.parent / "memory.tsv", _scored(data.parent / "scores.tsv", "score")
    with pytest.raises(InputError, match="label: "):
        _assay("pair", "add", PAIR, memory, "--labels", scores, "--label", "../x", "--lower-is-better", "--range", "1:3")
    done = _assay("pair", "add", PAIR, memory, "--labels", scores, "--label", "rank", "--lower-is-better", "--range", "1:3")
    assert f"--pair {PAIR} --label rank\n" in done.output and list(_cards(data)) == [f"{PAIR}-rank-gp-17"]


def test_what_replaces_a_pair_takes_the_place_of_its_models_and_keeps_what_was_trained(
    made: tuple[Settings, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    shutil.copytree(made[0].data_dir, data)
    memory, labels = tmp_path / "memory.tsv", tmp_path / "labels.tsv"
    write_memory(memory, 120, seed=5)
    for name, value in (("DATA_DIR", "data"), ("RESOURCES_DIR", "none"), ("MODELS_DIR", "none")):
        monkeypatch.setenv(f"ASSAY_{name}", str(tmp_path / value))
    settings_here.cache_clear()
    try:
        _assay("train", _scored(tmp_path / "mine.tsv", "label", 120), "--pair", PAIR, "--label", "effort", "--name", "mine")
        done = _assay("pair", "add", PAIR, memory, "--replace")
        assert (
            f"removed {data / 'models' / f'{PAIR}-hter-gp-17'}" in done.output and f"{PAIR}-words, an earlier model" in done.output
        )
        assert "kept mine: trained with the earlier resources" in done.output
        assert f"{PAIR} has no new predictor; its other predictors answer as before: mine" in done.output
        assert [path.name for path in (data / "models").iterdir()] == ["mine"]
        # A predictor that somebody trained under the very name that this command gives stays too.
        write_labels(labels, 70)
        shutil.rmtree(data / "models" / "mine")
        _assay("train", tmp_path / "mine.tsv", "--pair", PAIR, "--label", "effort", "--name", f"{PAIR}-hter-gp-17")
        done = _assay("pair", "add", PAIR, memory, "--labels", labels, "--replace")
        assert sorted(_cards(data)) == [f"{PAIR}-hter-gp-17", f"{PAIR}-hter-gp-17-pair"]
        assert f"{PAIR} is there: assay quality FILE --pair {PAIR}\n" in done.output
        done = _assay("pair", "add", PAIR, memory, "--labels", _scored(tmp_path / "rank.tsv", "likert"), "--replace")
        assert sorted(_cards(data)) == [f"{PAIR}-hter-gp-17", f"{PAIR}-likert-gp-17"]
        assert f"assay quality FILE --pair {PAIR} --label likert\n" in done.output
        _assay("train", tmp_path / "mine.tsv", "--pair", PAIR, "--label", "effort", "--name", "mine")
        done = _assay("pair", "remove", PAIR, "--yes")
        assert f"kept {data / 'models' / 'mine'}, which was trained with it" in done.output
        assert sorted(_cards(data)) == [f"{PAIR}-hter-gp-17", "mine"]
    finally:
        settings_here.cache_clear()


def test_training_on_the_text_of_the_resources_is_said(data: Path) -> None:
    memory, mine = data.parent / "memory.tsv", data.parent / "mine.tsv"
    assert _assay("pair", "add", PAIR, memory).exit_code == 0
    sources = [line.split("\t")[0] for line in memory.read_text().splitlines()[1:]]
    rows = _scored(mine, "label", 120).read_text().splitlines(keepends=True)

    def trained(of_memory: int, name: str) -> tuple[str, dict[str, Any]]:
        mixed = [f"{source}\t{row.partition(chr(9))[2]}" for source, row in zip(sources, rows[1 : of_memory + 1], strict=False)]
        mine.write_text("".join([rows[0], *mixed, *rows[of_memory + 1 :]]))
        done = _assay("train", mine, "--pair", PAIR, "--label", "effort", "--name", name)
        return done.output, _cards(data)[name]["training_data"]

    told, learnt = trained(60, "inside")
    assert f"caution: 60 of the 120 labelled sources are in the text that the loaded resources of {PAIR} were built from" in told
    assert learnt["features"] == f"features from the loaded resources; 60 of 120 sources of {PAIR} are in their text"
    pool = ("--pair", PAIR, "--label", "effort", "--feature-set", "quest-baseline-17")
    caution = next(line for line in told.splitlines() if line.startswith("caution"))
    done = _assay("learn", mine, *pool, "--finish", "--name", "rounds")
    assert caution in done.output and _cards(data)["rounds"]["training_data"]["features"] == learnt["features"]
    assert caution in _assay("learn", mine, *pool, "--simulate", "--limit", "60").output
    told, learnt = trained(11, "outside")
    assert "caution" not in told and learnt["features"] == "features from the loaded resources"


def test_the_command_names_the_model_where_another_answers_first(data: Path) -> None:
    memory, scores = data.parent / "memory.tsv", _scored(data.parent / "scores.tsv", "effort")
    assert _assay("pair", "add", PAIR, memory).exit_code == 0
    _assay("train", _scored(data.parent / "mine.tsv", "label", 120), "--pair", PAIR, "--label", "effort", "--name", "mine")
    card = data / "models" / "mine" / "card.json"
    card.write_text(card.read_text().replace('"pearson": ', '"pearson": 1.0, "unused": ', 1))
    done = _assay("pair", "add", PAIR, memory, "--labels", scores, "--replace")
    assert f"--label effort --model {PAIR}-effort-gp-17 (without --model mine answers" in done.output


def test_an_unknown_pair_names_the_command_and_the_other_way_round(made: tuple[Settings, str]) -> None:
    settings, _ = made
    engine = Engine.open(settings.resources_dir, settings.models_dir, None, None, settings.own_resources_dir)
    with pytest.raises(InputError) as refused:
        engine.served_pairs.require(QAA_QAB.reversed)
    assert f"{PAIR} is the other way round; assay pair add bm-ee FILE" in str(refused.value)
    assert isinstance(engine.resources, Resources)


def test_a_system_of_a_removed_pair_stays(tmp_path: Path) -> None:
    pair = LanguagePair("ee", "bm")
    folder = tmp_path / "resources" / pair.file_name
    for path in (folder / "manifest.json", folder / "system" / "moses.ini"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    gone = remove_pair(Settings(data_dir=tmp_path), OwnPair(pair, 1, (), ()))
    assert gone == [folder / "manifest.json"] and (folder / "system" / "moses.ini").is_file()
