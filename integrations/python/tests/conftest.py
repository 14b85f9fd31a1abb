"""Spark: its workers run this Python, and it listens on this machine only."""

import os
import sys

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
# Hostile files have up to 20 MB.
os.environ.setdefault("SPARK_DRIVER_MEMORY", "4g")
