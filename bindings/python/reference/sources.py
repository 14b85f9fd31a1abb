"""Documented objects, from the sources of the package, the stub, and the native module."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from verger import _verger

PACKAGE = Path(__file__).resolve().parents[1] / "python/verger"
WIDTH = 100

Function = ast.FunctionDef | ast.AsyncFunctionDef

# Values of the native module have no documentation of their own.
CONSTANTS = {
    "DIALECTS": "The names of the dialects.",
    "ACCESS_PROFILES": "The names of the access profiles.",
    "__version__": "The version of the package.",
}

# Native classes that users make objects of.
MADE_BY_USERS = {"Crawler", "Robots", "State"}


@dataclass
class Entry:
    """A documented object."""

    name: str
    signatures: list[str]
    doc: str
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    """Name, type, and documentation."""
    methods: list[Entry] = field(default_factory=list)


class Source:
    """A module as text: a file, or the stub of the native module."""

    def __init__(self, name: str) -> None:
        parts = name.split(".")
        path = PACKAGE.joinpath(*parts) if name else PACKAGE
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        self.is_package = path.is_dir()
        self.is_native = name == "_verger"
        self.name = name
        self._text = (path.with_suffix(".pyi") if self.is_native else file).read_text("utf-8")
        self.tree = ast.parse(self._text)

    @property
    def doc(self) -> str:
        return ast.get_docstring(self.tree) or ""

    def names(self) -> list[str]:
        """The names of `__all__`."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                names: list[str] = ast.literal_eval(node.value)
                return names
        raise ValueError(f"{self.name}: no __all__")

    def text_of(self, node: ast.stmt) -> str:
        """A statement as written."""
        return ast.get_source_segment(self._text, node) or ""

    def nodes(self) -> Iterator[tuple[ast.stmt, str]]:
        """All statements of the module, with the documentation that follows assignments."""
        yield from documented(
            statement
            for node in self.tree.body
            for statement in (node.body if isinstance(node, ast.Try | ast.If) else [node])
        )

    def find(self, name: str) -> tuple[Source, list[ast.stmt], str]:
        """The definitions of a name, in the module that has them, and the text that follows."""
        found: list[ast.stmt] = []
        text = ""
        for node, after in self.nodes():
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if name == (alias.asname or alias.name) and node.level:
                        return self.imported(node).find(alias.name)
            elif name in defined(node):
                found.append(node)
                text = after or text
        if not found:
            raise ValueError(f"{self.name}: {name} is not defined")
        return self, found, text

    def imported(self, node: ast.ImportFrom) -> Source:
        package = self.name if self.is_package else self.name.rpartition(".")[0]
        if node.level == 2:
            package = package.rpartition(".")[0]
        return Source(".".join(part for part in (package, node.module) if part))


def documented(nodes: Iterator[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Statements, each with the string that follows it."""
    last: ast.stmt | None = None
    for node in nodes:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if last is not None:
            text = node.value.value if is_text else ""  # type: ignore[attr-defined]
            yield last, inspect.cleandoc(text) if isinstance(text, str) else ""
        last = None if is_text else node
    if last is not None:
        yield last, ""


def defined(node: ast.stmt) -> list[str]:
    match node:
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            return [node.name]
        case ast.AnnAssign(target=target) | ast.Assign(targets=[target]):
            return [ast.unparse(target)]
    return []


def code(node: ast.AST | None) -> str:
    """Python with double quotes."""
    text = "" if node is None else ast.unparse(node)
    return text.replace("'", '"').replace("_verger.", "")


def signature(head: str, node: Function, *, is_bound: bool, returns: bool = True) -> str:
    """A call: on one line, or with a line for each parameter."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    none: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    pairs = list(zip(positional, [*none, *arguments.defaults], strict=True))
    if is_bound:
        pairs = pairs[1:]
    parameters = [parameter(argument, default) for argument, default in pairs]
    if arguments.vararg is not None:
        parameters.append(f"*{parameter(arguments.vararg, None)}")
    elif arguments.kwonlyargs:
        parameters.append("*")
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        parameters.append(parameter(argument, default))
    end = f" -> {code(node.returns)}" if returns and node.returns is not None else ""
    line = f"{head}({', '.join(parameters)}){end}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{head}(", *(f"    {it}," for it in parameters), f"){end}"])


def parameter(argument: ast.arg, default: ast.expr | None) -> str:
    text = argument.arg if argument.annotation is None else ast.unparse(argument)
    equals = " = " if argument.annotation is not None else "="
    return (text if default is None else f"{text}{equals}{code(default)}").replace("'", '"')


def entry(source: Source, name: str, title: str) -> Entry:
    """The entry of a name that a module exports."""
    source, nodes, after = source.find(name)
    native = getattr(_verger, name, None) if source.is_native else None
    match nodes[-1]:
        case ast.ClassDef() as node:
            return class_entry(source, node, native, title)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            functions = [node for node in nodes if isinstance(node, Function)]
            return function_entry(functions, native, title, is_bound=False)
        case ast.AnnAssign() as node:
            return Entry(title, [f"{name}: {code(node.annotation)}"], after or CONSTANTS[name])
        case ast.Assign(value=ast.Call(func=made)):
            return Entry(title, [f"{name}: {code(made)}"], after)
        case ast.Assign() as node:
            return Entry(title, [source.text_of(node)], after)
    raise ValueError(f"{name}: unknown definition")


def function_entry(nodes: list[Function], native: object, title: str, *, is_bound: bool) -> Entry:
    decorators = {ast.unparse(it) for node in nodes for it in node.decorator_list}
    is_bound = is_bound and "staticmethod" not in decorators
    overloads = [it for it in nodes if "overload" in map(ast.unparse, it.decorator_list)] or nodes
    signatures = []
    for node in overloads:
        kind = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        prefix = next(
            (f"@{it}\n" for it in ("staticmethod", "classmethod") if it in decorators), ""
        )
        signatures.append(signature(f"{prefix}{kind} {node.name}", node, is_bound=is_bound))
    doc = inspect.getdoc(native) if native is not None else ast.get_docstring(nodes[-1])
    return Entry(title, signatures, doc or "")


def class_entry(source: Source, node: ast.ClassDef, native: object, title: str) -> Entry:
    bodies = [node]
    for base in node.bases:
        if code(base).startswith("_") and isinstance(base, ast.Name):
            # A private base with a part of the interface.
            bodies.extend(it for it in source.find(base.id)[1] if isinstance(it, ast.ClassDef))
    bases = [code(base) for base in node.bases if not code(base).startswith("_")]
    head = f"class {node.name}"
    doc = ast.get_docstring(node) if native is None else inspect.getdoc(native)
    found = Entry(title, [], doc or "")
    constructor: Function | None = None
    functions: dict[str, list[Function]] = {}
    for body in bodies:
        for member, after in documented(iter(body.body)):
            if isinstance(member, Function):
                if member.name in ("__init__", "__new__"):
                    constructor = constructor or member
                elif not member.name.startswith("_"):
                    functions.setdefault(member.name, []).append(member)
            elif isinstance(member, ast.AnnAssign) and after:
                name = code(member.target)
                if not name.startswith("_"):
                    found.attributes.append((name, code(member.annotation), after))
    found.signatures = [f"{head}({', '.join(bases)})" if bases else head]
    if constructor is not None:
        found.attributes.extend(assigned(constructor))
        found.doc += f"\n\n{constructor_doc(constructor)}"
        # Exceptions, and most native objects, are made by the package.
        if node.name in MADE_BY_USERS if source.is_native else not is_exception(source):
            found.signatures = [signature(head, constructor, is_bound=True, returns=False)]
    for name, nodes in functions.items():
        of_native = getattr(native, name, None)
        decorators = {ast.unparse(it) for it in nodes[0].decorator_list}
        method = function_entry(nodes, of_native, f"{title}.{name}", is_bound=True)
        if decorators & {"property", "cached_property"}:
            found.attributes.append((name, code(nodes[0].returns), method.doc))
        else:
            found.methods.append(method)
    return found


def is_exception(source: Source) -> bool:
    """Whether a module has exceptions only."""
    return source.name in ("_errors", "scrapy._exceptions")


def constructor_doc(node: Function) -> str:
    # The first sentence of a constructor repeats the class.
    text = ast.get_docstring(node) or ""
    return text.partition("\n\n")[2] if text.startswith("Make") else text


def assigned(constructor: Function) -> Iterator[tuple[str, str, str]]:
    """Attributes that a constructor documents."""
    types = {it.arg: code(it.annotation) for it in constructor.args.args}
    for node, after in documented(iter(constructor.body)):
        if isinstance(node, ast.Assign | ast.AnnAssign) and after:
            name = defined(node)[0].removeprefix("self.")
            kind = code(node.annotation) if isinstance(node, ast.AnnAssign) else types.get(name)
            yield name, kind or "", after
