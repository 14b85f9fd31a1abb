"""Checks URLs against the robots.txt files of their origins, on Spark.

    spark-submit check_urls.py --files robots.parquet --urls urls.parquet \
        --agent ExampleBot --out answers.parquet

`--files` has the columns `origin` (`https://shop.example`) and `robots` (bytes), `--urls` has `url` and
any other columns. `--out` gets the rows of `--urls`, with `allowed`, which is null if a row could not be
decided. Every executor needs the package: `pip install 'verger-arrow[spark]'`.
"""

import argparse

import verger_arrow.spark
from pyspark.sql import SparkSession


def main() -> None:
    parser = argparse.ArgumentParser(description="Check URLs against robots.txt files, on Spark.")
    parser.add_argument("--files", required=True, help="Parquet with columns `origin` and `robots`")
    parser.add_argument("--urls", required=True, help="Parquet with a column `url`")
    parser.add_argument("--agent", required=True, help="product token of the crawler")
    parser.add_argument("--out", required=True, help="folder for the answers; must not exist")
    parser.add_argument("--dialect", default="rfc9309", help="name of a dialect (default: rfc9309)")
    parser.add_argument(
        "--broadcast",
        action=argparse.BooleanOptionalAction,
        help="send all policies to all workers; no shuffle (default: policies of up to 64 MiB)",
    )
    parser.add_argument(
        "--copies", type=int, default=1, help="partitions for the URLs of one origin (default: 1)"
    )
    parser.add_argument("--detailed", action="store_true", help="add reasons, rules and errors")
    given = parser.parse_args()

    session = SparkSession.builder.appName("robots.txt").getOrCreate()
    files = session.read.parquet(given.files)
    policies = verger_arrow.spark.compile_policies(files, given.agent, dialect=given.dialect)
    answers = verger_arrow.spark.check_urls(
        session.read.parquet(given.urls),
        policies,
        broadcast=given.broadcast,
        copies=given.copies,
        detailed=given.detailed,
    )
    answers.write.parquet(given.out)
    columns = ["allowed", "error"] if given.detailed else ["allowed"]
    for row in session.read.parquet(given.out).groupBy(columns).count().collect():
        print(row["count"], *row[:-1], sep="\t")
    session.stop()


if __name__ == "__main__":
    main()
