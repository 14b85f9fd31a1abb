"""Spark Connect: a server of its own on this machine, which PySpark starts."""

from subprocess import run
from sys import executable

import pytest

pytest.importorskip("grpc", reason="SKIPPED: grpcio is not installed")

# A process has sessions of Spark or of Spark Connect, so this one runs alone.
SCRIPT = """
from pyspark.errors import PySparkAttributeError
from pyspark.sql import SparkSession
from verger_arrow.spark import check_urls, compile_policies, register

session = SparkSession.builder.remote("local[2]").getOrCreate()
assert "connect" in type(session).__module__
register(session)
call = "robots_allowed('User-agent: *\\nDisallow: /a', 'ExampleBot', '/a')"
[row] = session.sql(f"SELECT {call} AS it").collect()
print(row.it)
file = ("https://a.example", b"User-agent: *\\nDisallow: /x")
files = session.createDataFrame([file], "origin STRING, robots BINARY")
policies = compile_policies(files, "ExampleBot")
urls = session.createDataFrame([("https://a.example/x",), ("https://a.example/y",), ("/z",)], "url STRING")
for row in sorted(check_urls(urls, policies, detailed=True).select("url", "allowed", "error").collect()):
    print(*row, sep=", ")
try:
    check_urls(urls, policies, broadcast=True)
except PySparkAttributeError as error:
    print("broadcast:", error.getCondition())
session.stop()
"""

EXPECTED = """\
False
/z, None, the URL has no origin: expected an absolute URL
https://a.example/x, False, None
https://a.example/y, True, None
broadcast: JVM_ATTRIBUTE_NOT_SUPPORTED
"""


def test_a_session_of_spark_connect_answers_as_others(spark):
    done = run([executable, "-c", SCRIPT], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, EXPECTED), done.stderr
