"""Names without a noun: variables, arguments, attributes, functions and classes called by a pronoun, a participle or an adverb."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks.house.rooms import Scope

__all__ = ["Binding", "bindings_of", "has_no_noun", "word_class"]


def word_class(text: str) -> frozenset[str]:
    """Words of a text with blanks between them."""
    return frozenset(text.split())


PRONOUNS: Final = word_class(
    """ours theirs mine yours his hers its their our we us you he she they them it me somebody someone anybody anyone everybody
    everyone nobody something anything everything nothing who whom whose which what whatever whichever whoever whether where when why
    how"""
)
DETERMINERS: Final = word_class(
    """the an this that these those such same other others another each every either neither both all any some none no many much more
    most few fewer fewest less least several enough own one ones whole"""
)
ADVERBS: Final = word_class(
    """there here so again else once yet too then forth thus also away apart together alike already elsewhere otherwise altogether
    instead aside twice ever never always often only just quite very well ahead afterwards meanwhile hence alone not"""
)
# Words that lead to a noun and are none: they count only beside the classes above, as in `of_each`.
PREPOSITIONS: Final = word_class("of for in into by to at from on with without as and or out off up down over under beside behind")
IRREGULAR: Final = word_class(
    """told kept made held said sent found known shown given taken chosen written left lost built bought brought caught taught sought
    meant met paid spelt learnt burnt dealt felt fed led drawn grown thrown blown flown seen done gone been had worn torn born sworn
    begun sung sunk spun stuck struck stood understood won swept spent lent bent sold beaten bitten eaten forgiven forgotten stolen
    woken shaken mistaken driven ridden risen fallen spoken laid gotten proven had heard hung dug fought"""
)
PREFIX: Final = re.compile(r"^(un|re|over|mis|fore|with)(?=\w{3})")
# Words in -ed that are nouns, verbs or adjectives of their own.
NO_PARTICIPLES: Final = word_class(
    """seed need feed speed bed embed exceed succeed proceed red shed med bleed breed weed deed indeed ted ragged hundred sacred
    naked"""
)
# Participles that the field, the language or statistics use as nouns or fixed adjectives.
FAIR: Final = word_class(
    """expected observed predicted sorted reversed shared required signed truncated weighted calibrated embedded rated supported
    unknown held_out"""
)
# Times and states in requests, answers and tables: clients read them by these names.
STAMPS: Final = word_class("created started finished deleted updated expired revoked cancelled queued failed succeeded stored")
# Other fields of requests, answers and tables, which clients read by these names too: fair as fields of a class, and nowhere else.
FIELDS: Final = word_class(
    """accepted ahead all at_least changed chosen computed done drifted guessed left_out measured most most_improved most_worsened moved
    other others own paid progressed served shown skipped taken together told trained trusted unseen unused used used_by what
    why"""
)


@dataclass(frozen=True)
class Binding:
    """A name that a file binds: its line from 1, and the name."""

    line: int
    name: str


def _parts(name: str) -> list[str]:
    return [part for part in re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_") if part]


def _is_participle(word: str) -> bool:
    if word in FAIR | STAMPS | NO_PARTICIPLES:
        return False
    return (word.endswith("ed") and len(word) > 3) or word in IRREGULAR or PREFIX.sub("", word) in IRREGULAR


def has_no_noun(name: str, flag: bool = False) -> bool:
    """Return True if no part of `name` is more than a pronoun, determiner, adverb or past participle.

    A flag, annotated as bool or set to a truth value, and a function with arguments may be a regular participle, as `enabled` and `sorted` are.
    """
    parts = _parts(name)
    if "_".join(parts) in FAIR:
        return False
    classes = PRONOUNS | DETERMINERS | ADVERBS
    if flag and len(parts) == 1 and parts[0].endswith("ed"):
        return False
    heavy = [part in classes or _is_participle(part) for part in parts]
    return any(heavy) and all(is_heavy or part in PREPOSITIONS for is_heavy, part in zip(heavy, parts, strict=True))


def _is_bool(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.expr) and any(
        isinstance(node, ast.Name) and node.id == "bool" for node in ast.walk(annotation)
    )


def _bound(node: ast.AST, scope: Scope) -> tuple[int, str, bool] | None:
    """Line, name and fairness to regular participles of the binding that a node is."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            arguments = {argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
            return node.lineno, node.name, bool(arguments - {"self", "cls"}) or _is_bool(node.returns)
        case ast.ClassDef():
            return node.lineno, node.name, False
        case ast.AnnAssign(target=ast.Name() as target):
            if isinstance(scope, ast.ClassDef) and target.id in FIELDS:
                return None
            return node.lineno, target.id, _is_bool(node.annotation)
        case ast.Assign(
            targets=[ast.Name() as target], value=ast.Constant(value=bool()) | ast.Compare() | ast.UnaryOp(op=ast.Not())
        ):
            return node.lineno, target.id, True
        case ast.Name(ctx=ast.Store()):
            return None if isinstance(scope, ast.ClassDef) and node.id in FIELDS else (node.lineno, node.id, False)
        case ast.arg():
            return node.lineno, node.arg, _is_bool(node.annotation)
        case ast.Attribute(value=ast.Name(id="self" | "cls"), ctx=ast.Store()):
            return node.lineno, node.attr, False
        case ast.alias(asname=str() as name):
            return node.lineno, name, False
        case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
            return node.lineno, name, False
    return None


def bindings_of(nodes: Iterable[tuple[ast.AST, Scope]]) -> Iterator[Binding]:
    """Names without a noun that a file binds, once for each scope; `left` beside `right` is a direction."""
    scopes: dict[Scope, dict[str, tuple[int, bool]]] = {}
    for node, scope in nodes:
        if bound := _bound(node, scope):
            line, name, flag = bound
            names = scopes.setdefault(scope, {})
            first, was_flag = names.get(name, (line, False))
            names[name] = min(first, line), flag or was_flag
    for names in scopes.values():
        directions = {name.replace("right", "left") for name in names if "right" in name}
        for name, (line, flag) in names.items():
            if not name.startswith("__") and name not in directions and has_no_noun(name, flag):
                yield Binding(line, name)
