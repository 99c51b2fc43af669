"""A session of active learning: the pool with features and labels so far, a file of the job of each round."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from io import BytesIO
from typing import Any, Final

import numpy as np

from app.arrays import Bools, Float64s
from app.errors import InputError
from app.operations.job_files import FILES
from app.operations.operation import Context, Json, Output, Planning
from app.text.reading.stored_json import as_kind

__all__ = ["EARLIER", "SESSION", "Session", "keep_session", "stored_session"]

# Name of the file, name of its copy in the next round, and roles of both there.
SESSION: Final = "session.json"
EARLIER: Final = "earlier-session.json"
MADE_ROLE: Final = "made-session"
INPUT_ROLE: Final = "session"
COMMAND: Final = "learn"
MOST_BYTES: Final = 1 << 30


@dataclass(frozen=True)
class Session:
    """Texts and feature values of n segments, labels (None without one), and the error after each number of labels."""

    pair: str
    label: str
    scale: Json | None
    feature_set: str
    features: list[str]
    left_out: list[str]
    start: int
    seed: int
    sources: list[str]
    translations: list[str]
    values: list[list[float]]
    labels: list[float | None]
    curve: list[Json] = field(default_factory=list)

    @property
    def matrix(self) -> Float64s:
        """Feature values; shape (n, k)."""
        return np.array(self.values, np.float64).reshape(len(self.sources), len(self.features))

    @property
    def label_mask(self) -> Bools:
        """Mask of the segments with a label; shape (n,)."""
        return np.array([value is not None for value in self.labels], np.bool_)

    @property
    def known_labels(self) -> Float64s:
        """Labels, 0 without one; shape (n,)."""
        return np.array([0.0 if value is None else value for value in self.labels], np.float64)

    def as_bytes(self) -> bytes:
        """The session as JSON."""
        return json.dumps(asdict(self)).encode("ascii")

    @classmethod
    def of_outputs(cls, params: Mapping[str, Any], outputs: Iterable[Output]) -> "Session":
        """The session of a first round, from what its chunks carried."""
        fields: Json = {name: params[name] for name in ("label", "feature_set", "features", "left_out", "start", "seed")}
        fields |= {"sources": [], "translations": [], "values": [], "labels": []}
        for output in outputs:
            for name in ("sources", "translations", "values", "labels"):
                fields[name] += output["carry"][name]
        return cls(pair=f"{params['source_language']}-{params['target_language']}", scale=params.get("scale"), **fields)


def read_session(raw: bytes) -> Session:
    """Read a session that `keep_session` wrote; ValueError otherwise."""
    return as_kind(Session, json.loads(raw), SESSION)


def stored_session(planning: Planning, job: str) -> tuple[Session, BytesIO, Json]:
    """The session of a job of the caller, its file, and the record of the file; InputError without such a session."""
    if planning.stored is None:
        detail = "a server keeps rounds; here send the pool again, with all labels so far"
        raise InputError("invalid-job", detail, ("after",))
    try:
        stored = planning.stored.open(job, SESSION)
    except InputError as error:
        detail = f"no finished round: {error.detail}"
        raise InputError(error.code, detail, ("after",)) from None
    with stored.file as file:
        raw = file.read(MOST_BYTES)
    if stored.command != COMMAND:
        raise InputError("invalid-job", "this job is no round of active learning; name one of the kind learn", ("after",))
    return read_session(raw), BytesIO(raw), _record(raw, INPUT_ROLE)


def carried_session(context: Context) -> Session:
    """The session that came with a later round."""
    assert context.files is not None
    return read_session(b"".join(context.files.pieces(INPUT_ROLE)))


def keep_session(context: Context, session: Session) -> None:
    """Keep the session for the next round, if a server runs the job. A step that was killed behind it keeps an equal one."""
    if context.files is None:
        return
    raw = session.as_bytes()
    context.files.keep(MADE_ROLE, BytesIO(raw), context.params["stored_bytes"])
    context.publish(FILES, {SESSION: _record(raw, MADE_ROLE)})


def _record(raw: bytes, role: str) -> Json:
    of_step = {"step": COMMAND if role == MADE_ROLE else None, "command": COMMAND}
    return {"role": role, "sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw), "lines": 1, **of_step}
