"""Evaluates policies of Anubis: reads a request on each line of standard input, and writes whether
it is refused."""

import json
import sys
from functools import cache

import celpy
from celpy.celtypes import MapType, StringType


@cache
def program(expression: str) -> celpy.Runner:
    environment = celpy.Environment()
    return environment.program(environment.compile(expression))


for line in sys.stdin:
    expression, agent, target, path = json.loads(line)
    _, mark, query = target.partition("?")
    activation = {
        "userAgent": StringType(agent),
        "path": StringType(path),
        "query": MapType({StringType(query): StringType("")} if mark else {}),
    }
    print(json.dumps(bool(program(expression).evaluate(activation))))
