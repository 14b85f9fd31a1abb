#!/bin/sh
# Measures `verger bulk` on generated input: measure.sh FOLDER [MEGABYTES] [ORIGINS] [random]
#
# Prints checks per second of a core and the peak of memory. Needs /usr/bin/time, and Python with
# duckdb and pyarrow. The folder needs about three times the space, and is not removed.
set -eu
folder=$1 megabytes=${2:-10000} origins=${3:-100000} order=${4:-}
here=$(dirname "$0")
program=${CARGO_TARGET_DIR:-$here/../target}/release/verger-bulk
cargo build --quiet --release --manifest-path "$here/Cargo.toml" --bin verger-bulk
# shellcheck disable=SC2086
python3 "$here/generate.py" "$folder" "$megabytes" "$origins" $order
uptime
/usr/bin/time -f '%e s, %U s user, %S s system, peak of %M KiB' \
    "$program" policies "$folder/captures.parquet" --agent GPTBot --short \
    -o "$folder/policies.parquet" --restart
for options in "--compression zstd" "--compression lz4" "--compression lz4 --without-url"; do
    echo "check $options"
    rm -rf "$folder/verdicts"
    # shellcheck disable=SC2086
    /usr/bin/time -o "$folder/time.txt" -f '%U %S %M' \
        "$program" check "$folder/urls" --policies "$folder/policies.parquet" $options \
        -o "$folder/verdicts/" --restart --format json > "$folder/summary.json"
    python3 - "$folder/summary.json" "$folder/time.txt" <<'END'
import json, sys
rows = json.load(open(sys.argv[1]))["counts"]["rows"]
user, system, peak = map(float, open(sys.argv[2]).read().split())
# Time of the processor: other programs change it less than the time on the clock.
print(f"{rows:,} checks; {rows / (user + system) / 1e6:.2f} M/s a core; peak of {peak / 1024:.0f} MiB")
END
done
