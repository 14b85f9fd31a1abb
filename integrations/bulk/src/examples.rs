//! Examples at the end of help texts.

pub(crate) const EXAMPLES: &str = "\
Examples:
  Compile the robots.txt files of a crawl for two crawlers:
    verger bulk policies robotstxt/ --agent GPTBot --agent CCBot -o policies.parquet

  Check a list of URLs against them:
    verger bulk check urls.parquet --policies policies.parquet -o verdicts.parquet

  Count statements, and list changes between crawls:
    verger bulk metrics robotstxt/ -o metrics.parquet
    verger bulk changes robotstxt/ --agent GPTBot -o changes.jsonl

Exit codes:
  0  all records were processed
  1  the output is complete, but records were skipped; OUTPUT.skipped.jsonl lists them
  2  an error; the same command continues after the finished parts";

pub(crate) const POLICIES_EXAMPLES: &str = "\
Examples:
  Compile the robots.txt files of a crawl for two crawlers:
    verger bulk policies robotstxt/ --agent GPTBot --agent CCBot -o policies.parquet

  Compile those of a crawl of Common Crawl, by its list of paths, into S3:
    verger bulk policies robotstxt.paths.gz --base https://data.commoncrawl.org/ \\
      --agent GPTBot -o s3://bucket/policies.parquet

  Compile a table with the columns `origin` and `robots`:
    verger bulk policies sites.parquet --agent Googlebot-Image -o policies.parquet";

pub(crate) const CHECK_EXAMPLES: &str = "\
Examples:
  Check a list of URLs with the latest rules:
    verger bulk check urls.parquet --policies policies.parquet -o verdicts.parquet

  Check URLs with the rules of the time when they were fetched, and keep a column:
    verger bulk check corpus/ --policies policies.parquet --time-column fetch_time --max-age 30d \\
      --keep document_id -o verdicts/

  Show the deciding rule of each URL of a text file:
    verger bulk check urls.txt --policies policies.parquet --explain -o -";

pub(crate) const METRICS_EXAMPLES: &str = "\
Examples:
  Count the contents of the robots.txt files of a crawl:
    verger bulk metrics robotstxt/ -o metrics.parquet

  List the known crawlers that each file closes the site to:
    verger bulk metrics robotstxt/ --pack crawlers -o crawlers.parquet

  Count the sites that are closed to each crawler, by rank:
    verger bulk metrics ranked.parquet --pack crawlers --tables -o crawlers.parquet";

pub(crate) const CHANGES_EXAMPLES: &str = "\
Examples:
  List the changes for two crawlers between two crawls:
    verger bulk changes 2025-38/ 2026-05/ --agent GPTBot --agent Googlebot -o changes.parquet";
