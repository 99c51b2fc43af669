"""Write what the client knows of operations, ``python -m scripts.client_answers``: the types of answers, and a method for each.

The client is a package that needs nothing of the server, so it cannot import what the server declares. Its `answers.py` and
`operations.py` are written from those declarations; a test fails where they are not what this would write.
"""

import inspect
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NotRequired, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typing_extensions import get_original_bases, get_type_hints, is_typeddict

from app.operations.annotate import FileAnswer
from app.operations.catalogue import OPERATIONS
from app.operations.corrections import CorrectionAnswer, CorrectionPage
from app.operations.feedback import FeedbackAnswer, FeedbackList
from app.operations.judgements import FeedbackPage, KeptFeedback
from app.operations.models import ModelDetails, ModelList, PromotionAnswer, WordTaggerCard
from app.operations.operation import Operation
from app.operations.quality import PredictedAnswer
from app.operations.resources import FeaturesCatalogue, MetricsCatalogue, ResourcesAnswer
from app.server.service.usage import Me, UsageAnswer
from app.server.store import JobAnswer, JobList
from app.server.upkeep.forgetting import OwnerDeletion
from app.settings import ROOT

__all__ = ["PACKAGE", "answers_module", "operations_module", "write"]

PACKAGE: Final = ROOT / "client" / "assay_client"
NOUNS: Final = (
    FeedbackAnswer,
    FeedbackList,
    FeedbackPage,
    KeptFeedback,
    ModelList,
    ModelDetails | WordTaggerCard,
    PromotionAnswer,
    ResourcesAnswer,
    FeaturesCatalogue,
    MetricsCatalogue,
    FileAnswer,
    JobAnswer,
    JobList,
    CorrectionAnswer,
    CorrectionPage,
    Me,
    UsageAnswer,
    OwnerDeletion,
)
# The client's `words` is for what this option of `quality` asks for, so that the answer of `quality` has one type.
LEFT_OUT: Final = {"quality": ("level", PredictedAnswer)}
WRITTEN: Final = "Written by ``python -m scripts.client_answers``: change the server's declarations instead."


def answer_type(operation: Operation[Any, Any]) -> Any:
    """What the client's method of an operation gives."""
    return LEFT_OUT[operation.name][1] if operation.name in LEFT_OUT else operation.answer_type


def method_name(operation: Operation[Any, Any]) -> str:
    """The operation as a Python name."""
    return operation.name.replace("-", "_")


def _title(operation: Operation[Any, Any]) -> str:
    return operation.name.replace("-", " ").title().replace(" ", "")


def _members(kind: Any) -> tuple[Any, ...]:
    """The members of a union, or the type alone."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def spell(kind: Any) -> str:
    """A type of an answer as the standard library writes it."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return spell(arguments[0])
    if origin is NotRequired:
        return f"NotRequired[{spell(arguments[0])}]"
    if origin in (Union, UnionType):
        return " | ".join(spell(part) for part in arguments)
    if origin is Literal:
        return f"Literal[{', '.join(json.dumps(value) for value in arguments)}]"
    if kind == dict[str, Any]:
        return "Json"
    if origin is not None:
        return f"{origin.__name__}[{', '.join(spell(part) for part in arguments)}]"
    return "None" if kind is NoneType else str(kind.__name__)


def spell_parameter(kind: Any) -> str:
    """A type of a request as a caller may give it: any sequence or mapping, and a segment as a tuple."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return spell_parameter(arguments[0])
    if origin in (Union, UnionType):
        return " | ".join(spell_parameter(part) for part in arguments)
    if origin is list:
        return f"Sequence[{_short_segment(arguments[0]) or spell_parameter(arguments[0])}]"
    if origin is dict:
        return f"Mapping[{', '.join(spell_parameter(part) for part in arguments)}]"
    if is_typeddict(kind) or (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return "Mapping[str, Any]"
    return spell(kind)


def _short_segment(kind: Any) -> str | None:
    """The client's name of segments that need no more than texts."""
    if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return None
    required = {name for name, field in kind.model_fields.items() if field.is_required()}
    return {frozenset({"source", "translation"}): "Segment", frozenset({"source", "translations"}): "Candidates"}.get(
        frozenset(required)
    )


def _bases(kind: Any) -> list[Any]:
    return [base for base in get_original_bases(kind) if is_typeddict(base)]


def _own_fields(kind: Any) -> dict[str, Any]:
    inherited = {name for base in _bases(kind) for name in base.__annotations__}
    hints = get_type_hints(kind, include_extras=True)
    return {name: hint for name, hint in hints.items() if name not in inherited}


def _named_in(kind: Any) -> Iterator[Any]:
    """The typed dictionaries that a type names."""
    if is_typeddict(kind):
        yield kind
    for part in get_args(kind):
        yield from _named_in(part)


def _in_order(roots: Sequence[Any]) -> dict[str, Any]:
    """Typed dictionaries by name, each behind what it is made of."""
    ordered: dict[str, Any] = {}

    def add(kind: Any) -> None:
        if ordered.get(kind.__name__) is kind:
            return
        for part in (*_bases(kind), *(part for hint in _own_fields(kind).values() for part in _named_in(hint))):
            add(part)
        if kind.__name__ in ordered:
            raise ValueError(f"two answers are called {kind.__name__}")
        ordered[kind.__name__] = kind

    for root in roots:
        for kind in _named_in(root):
            add(kind)
    return ordered


def _documentation(text: str | None, indent: str = "    ") -> str:
    lines = inspect.cleandoc(text or "").split("\n")
    closing = f'\n{indent}"""' if len(lines) > 1 else '"""'
    return f'{indent}"""' + f"\n{indent}".join(lines).replace(f"\n{indent}\n", "\n\n") + closing


def _note(hint: Any) -> str:
    """What a field's declaration says of it, as a comment."""
    if get_origin(hint) is NotRequired:
        return _note(get_args(hint)[0])
    said = [part.description for part in get_args(hint)[1:] if isinstance(part, FieldInfo) and part.description]
    return f"  # {said[0]}" if get_origin(hint) is Annotated and said else ""


def _class(kind: Any, final: bool) -> str:
    parents = ", ".join(base.__name__ for base in _bases(kind)) or "TypedDict"
    fields = "\n".join(f"    {name}: {spell(hint)}{_note(hint)}" for name, hint in _own_fields(kind).items())
    return f"{'@final' if final else ''}\nclass {kind.__name__}({parents}):\n{_documentation(kind.__doc__)}\n\n{fields}\n"


def answers_module() -> str:
    """The text of `answers.py`."""
    roots = [*(operation.answer_type for operation in OPERATIONS.values()), *NOUNS]
    ordered = _in_order(roots)
    parents = {base.__name__ for kind in ordered.values() for base in _bases(kind)}
    # An alternative that is final is told from the others by its keys.
    unions = [members for root in roots if len(members := _members(root)) > 1]
    alternatives = {part.__name__ for members in unions for part in members}
    classes = [_class(kind, name in alternatives - parents) for name, kind in ordered.items()]
    aliases = {f"{_title(operation)}Answer": spell(answer_type(operation)) for operation in OPERATIONS.values()}
    named = {name: kind for name, kind in aliases.items() if name not in ordered}
    lines = [
        f'"""What a server answers, for type checkers.\n\n{WRITTEN}\n"""',
        "from typing import Any, Literal, NotRequired, TypedDict, final",
        f"__all__ = {sorted([*ordered, *named])!r}",
        "Json = dict[str, Any]",
        *classes,
        "\n".join(f"{name} = {kind}" for name, kind in named.items()),
    ]
    return _formatted("\n\n".join(lines), "answers.py")


def _options(operation: Operation[Any, Any]) -> Mapping[str, FieldInfo]:
    without = LEFT_OUT[operation.name][0] if operation.name in LEFT_OUT else None
    return {name: field for name, field in operation.request.model_fields.items() if not field.is_required() and name != without}


def _options_class(operation: Operation[Any, Any]) -> str:
    fields = "\n".join(
        f"    {name}: {spell_parameter(field.annotation)}{f'  # {field.description}' if field.description else ''}"
        for name, field in _options(operation).items()
    )
    doc = f'    """What `{method_name(operation)}` may be asked beside what it must; the server chooses what is not given."""'
    return f"class {_title(operation)}Options(TypedDict, total=False):\n{doc}\n\n{fields}\n"


def _builder(operation: Operation[Any, Any]) -> str:
    """The function that describes the call of an operation."""
    required = {name: field for name, field in operation.request.model_fields.items() if field.is_required()}
    spelled = {name: spell_parameter(field.annotation) for name, field in required.items()}
    parameters = [f"{name}: {kind}" for name, kind in spelled.items()]
    values = [
        f"{name!r}: {f'segment_rows({name})' if kind in ('Sequence[Segment]', 'Sequence[Candidates]') else name}"
        for name, kind in spelled.items()
    ]
    body = f"{{{', '.join([*values, '**options'])}}}"
    answer = " | ".join(spell(part) for part in _members(answer_type(operation)))
    if operation.answer is None:
        parameters += ["*", "on_progress: OnProgress | None = None"]
        returned, made = f"JobCall[{answer}]", f"JobCall({operation.name!r}, {body}, on_progress)"
    else:
        returned, made = f"Call[{answer}]", f"post({operation.path!r}, {body})"
    signature = f"def {method_name(operation)}({', '.join([*parameters, f'**options: Unpack[{_title(operation)}Options]'])})"
    return f"{signature} -> {returned}:\n{_documentation(operation.summary)}\n    return {made}\n"


def operations_module() -> str:
    """The text of `operations.py`."""
    operations = list(OPERATIONS.values())
    answers = sorted({spell(part) for operation in operations for part in _members(answer_type(operation))})

    def methods(name: str, prefix: str, text: str) -> str:
        lines = [
            f"    {method_name(operation)} = {prefix}{'worked' if operation.answer is None else 'called'}({method_name(operation)})"
            for operation in operations
        ]
        return f'class {name}:\n    """{text}"""\n\n' + "\n".join(lines) + "\n"

    lines = [
        f'"""The operations of a server.\n\n{WRITTEN}\n"""',
        "from collections.abc import Mapping, Sequence\nfrom typing import Any, Literal, TypedDict, Unpack",
        f"from assay_client.answers import {', '.join(answers)}",
        "from assay_client.methods import async_called, async_worked, called, worked",
        "from assay_client.requests import Call, Candidates, JobCall, OnProgress, Segment, post, segment_rows",
        f"__all__ = {sorted(['AsyncOperations', 'Operations', *(f'{_title(each)}Options' for each in operations)])!r}",
        *(f"{_options_class(operation)}\n\n{_builder(operation)}" for operation in operations),
        methods("Operations", "", "Every operation as a method that waits for its answer."),
        methods("AsyncOperations", "async_", "Every operation as a method that is awaited."),
    ]
    return _formatted("\n\n".join(lines), "operations.py")


def _formatted(text: str, name: str) -> str:
    """Sorted, with what it does not use left out, and laid out as the rest of the code."""
    at = ["--stdin-filename", str(PACKAGE / name), "-"]
    for command in (["check", "--fix", "--quiet", "--select", "I,F401,RUF022"], ["format", "--quiet"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, *at], input=text, capture_output=True, text=True, check=True, cwd=ROOT
        )
        text = done.stdout
    return text


def write(folder: Path = PACKAGE) -> None:
    """Write both modules."""
    (folder / "answers.py").write_text(answers_module(), "utf-8")
    (folder / "operations.py").write_text(operations_module(), "utf-8")


if __name__ == "__main__":
    write()
