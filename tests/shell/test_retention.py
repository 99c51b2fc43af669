"""`assay server expire` and `assay server owners delete` on the database of the settings."""

import json
import time
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session
from typer.testing import CliRunner

from app.operations.judgements.feedback import FeedbackItem
from app.server.store import FeedbackStore, KeyStore, open_database
from app.server.store.tables import FeedbackRow
from app.settings import Settings
from app.shell.commands.server import retention
from app.shell.program import program


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    made = Settings(data_dir=tmp_path, keep_feedback_days=1, secure_delete=True)
    for name in ("settings_here", "data_settings"):
        monkeypatch.setattr(retention, name, lambda: made)
    database = open_database(made.sqlalchemy_url)
    feedback = FeedbackStore(database).of("Ana")
    feedback.add([FeedbackItem("ro-en", "hter", 0.5, None, "", {"source": "a", "translation": "b"}) for _ in range(3)])
    with Session(database) as session, session.begin():
        session.execute(update(FeedbackRow).values(created=time.time() - 2 * 86400))
    KeyStore(database).create("Ana", ["score"])
    database.dispose()
    return made


def run(*arguments: str, text: str | None = None) -> tuple[int, str, str]:
    done = CliRunner().invoke(program, ["server", *arguments], input=text)
    return done.exit_code, done.stdout, done.stderr


def test_expire(settings: Settings) -> None:
    code, answer, _ = run("expire", "--dry-run", "--format", "json")
    assert code == 0 and json.loads(answer) == {"deleted": False, "results": 0, "uploads": 0, "feedback": 3, "translations": 0}
    code, answer, _ = run("expire", "--vacuum", "--format", "json")
    assert code == 0 and json.loads(answer) == {"deleted": True, "results": 0, "uploads": 0, "feedback": 3, "translations": 0}
    code, answer, _ = run("expire")
    assert code == 0 and "feedback" in answer
    assert run("expire", "--dry-run", "--vacuum")[0] != 0
    settings.keep_feedback_days = None
    assert "everything is kept" in run("expire")[2]


def test_an_owner_is_deleted_once_it_is_meant(settings: Settings) -> None:
    assert run("owners", "delete", "Ana", text="n\n")[0] != 0
    code, answer, remains = run("owners", "delete", "Ana", text="y\n")
    assert code == 0 and "feedback" in answer and "remains: backups" in remains and "remains: database" not in remains
    code, answer, _ = run("owners", "delete", "Ana", "--yes", "--format", "json")
    assert code == 0 and json.loads(answer)["deleted"] == {"jobs": 0, "files": 0, "feedback": 0, "keys": 0, "models": []}
