"""Annotations: they agree with the module and with the documentation."""

from __future__ import annotations

import inspect
import re
import typing
from typing import Any, get_args

import pytest
import verger
from verger import types

needs_client = pytest.mark.skipif(not hasattr(verger, "Client"), reason="built without the client")


def test_literals_list_the_names_of_the_engine() -> None:
    assert list(get_args(types.Dialect)) == verger.DIALECTS
    assert list(get_args(types.AccessProfile)) == verger.ACCESS_PROFILES
    state = verger.State()
    for outcome in get_args(types.Outcome):
        access = state.after(outcome, 0).access(0)
        assert access in get_args(types.Access)


def test_every_literal_is_documented() -> None:
    source = inspect.getsource(types)
    for name in ("LintProfile", "Outcome", "Reason", "Source"):
        text = source.partition(f"\n{name} = ")[2].partition("\n\n\n")[0].partition('"""')[2]
        for value in get_args(getattr(types, name)):
            assert f"- ``{value}``:" in text.partition('\n"""')[0], (name, value)


@needs_client
def test_annotations_can_be_evaluated() -> None:
    for name in verger.__all__:
        exported = getattr(verger, name)
        if not inspect.isclass(exported) or exported.__module__ == "verger":
            continue
        typing.get_type_hints(exported)
        for member in vars(exported).values():
            if inspect.isfunction(member):
                typing.get_type_hints(member)
    typing.get_type_hints(types.ClientOptions)


@needs_client
def test_options_are_the_same_everywhere() -> None:
    for client in (verger.Client, verger.AsyncClient):
        parameters = inspect.signature(client).parameters
        assert list(parameters)[:2] == ["agent", "user_agent"]
        options = [
            name for name, it in parameters.items() if it.kind is inspect.Parameter.KEYWORD_ONLY
        ]
        assert options == list(types.ClientOptions.__annotations__)
        text = inspect.getdoc(client.__init__) or ""
        documented = re.findall(r"^    (\w+): ", text.partition("Raises:")[0], re.MULTILINE)
        assert documented == list(parameters)
        for name in options:
            rest = text.partition(f"    {name}: ")[2]
            described = re.split(r"\n    \w+: |\n\n", rest)[0]
            assert "Default:" in described, f"{name} has no default"


@needs_client
@pytest.mark.parametrize("name", types.ClientOptions.__annotations__)
def test_every_option_reaches_the_client(name: str) -> None:
    wrong: Any = {name: object()}
    with pytest.raises(TypeError, match=name):
        verger.Client("ExampleBot", **wrong)
