#!/usr/bin/env bash
# Compresses one file of this machine and prints how long it would take to arrive: `compress.sh ARM SPLIT`.
#
# ARM is `none`, or gzip's level: `gzip-1` to `gzip-9`. SPLIT is which of the programs in /usr/bin is taken, 4 MB of it at most.
set -euo pipefail
arm=$1 split=$2
rate=5  # megabytes a second, which the line carries

mapfile -t files < <(find /usr/bin -type f -size +400 -readable | LC_ALL=C sort)
[ ${#files[@]} -gt 0 ] || { echo "there is no program of 200 kB or more in /usr/bin" >&2; exit 1; }
file=${files[split % ${#files[@]}]}

case $arm in
none) compress=(cat) ;;
gzip-[1-9]) compress=(gzip "-${arm#gzip-}") ;;
*) echo "$arm is neither none nor gzip-1 to gzip-9" >&2; exit 2 ;;
esac
sample=$(mktemp)
trap 'rm -f "$sample"' EXIT
head -c 4000000 "$file" >"$sample"
size=$(wc -c <"$sample")
began=${EPOCHREALTIME/[.,]/}
sent=$("${compress[@]}" <"$sample" | wc -c)
took=$((${EPOCHREALTIME/[.,]/} - began))

echo "$file: $sent of $size bytes are sent, $took µs later"
# So many megabytes a second are so many bytes a microsecond.
LC_ALL=C awk -v size="$size" -v sent="$sent" -v took="$took" -v rate="$rate" \
    'BEGIN { printf "{\"seconds_per_mb\": %.6f}\n", (took + sent / rate) / size }'
