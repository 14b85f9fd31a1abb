#!/bin/sh
# Measures `verger bulk` on generated input: measure.sh FOLDER [MEGABYTES] [ORIGINS] [random]
#
# Prints checks per second of a core, the shares of reading, matching and writing, and the peak of
# memory. Needs /usr/bin/time. The folder needs about three times the space, and is not removed.
set -eu
folder=$1 megabytes=${2:-10000} origins=${3:-100000} order=${4:-}
here=$(dirname "$0")
target=${CARGO_TARGET_DIR:-$here/../target}/release
cargo build --quiet --release --manifest-path "$here/Cargo.toml" --bin verger-bulk --example generate
"$target/examples/generate" "$folder" "$megabytes" "$origins" $order
uptime
/usr/bin/time -f '%e s, %U s user, %S s system, peak of %M KiB' \
    "$target/verger-bulk" policies "$folder/captures.parquet" --agent GPTBot --short \
    -o "$folder/policies.parquet" --restart
for options in "--compression zstd" "--compression lz4" "--compression lz4 --without-url"; do
    echo "check $options"
    rm -rf "$folder/verdicts"
    # shellcheck disable=SC2086
    /usr/bin/time -o "$folder/time.txt" -f '%U %S %M' \
        "$target/verger-bulk" check "$folder/urls" --policies "$folder/policies.parquet" $options \
        -o "$folder/verdicts/" --restart --format json > "$folder/summary.json"
    python3 - "$folder/summary.json" "$folder/time.txt" <<'END'
import json, sys
summary = json.load(open(sys.argv[1]))
user, system, peak = map(float, open(sys.argv[2]).read().split())
rows, seconds = summary["counts"]["rows"], summary["thread_seconds"]
# Time of the processor: other programs change it less than the time on the clock.
total, clock = user + system, sum(seconds.values())
shares = {name: value / clock for name, value in seconds.items()}
print(f"{rows:,} checks; {rows / total / 1e6:.2f} M/s a core, "
      f"matching alone {rows / (total * shares['matching']) / 1e6:.2f}; "
      f"{', '.join(f'{name} {share:.0%}' for name, share in shares.items())}; peak of {peak / 1024:.0f} MiB")
END
done
