"""Spark: its workers run this Python, it listens on this machine only, and tests skip without Java."""

import os
import shutil
import sys

import pytest

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
# Hostile files have up to 20 MB.
os.environ.setdefault("SPARK_DRIVER_MEMORY", "4g")


@pytest.fixture(scope="session")
def spark() -> None:
    """Skips a test that needs Spark if it is not installed."""
    pytest.importorskip("pyspark", reason="SKIPPED: PySpark is not installed")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("SKIPPED: Java is not installed")
