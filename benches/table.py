#!/usr/bin/env python3
"""Print the medians of the last `cargo bench -p fiesta-benches` as a Markdown table."""

import json
import sys
from pathlib import Path

UNITS = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")]


def readable(nanoseconds):
    scale, unit = next((u for u in UNITS if nanoseconds >= 0.9995 * u[0]), UNITS[-1])
    return f"{nanoseconds / scale:.3g} {unit}"


def rows(folder):
    for file in folder.glob("**/new/benchmark.json"):
        kernel = json.loads(file.read_text())
        median = json.loads(file.with_name("estimates.json").read_text())["median"]
        interval = median["confidence_interval"]
        elements = (kernel["throughput"] or {}).get("Elements")
        each = readable(median["point_estimate"] / elements) if elements else ""
        name, value = kernel["group_id"], kernel["value_str"] or kernel["function_id"] or ""
        try:
            order = (name, float(value))
        except ValueError:
            order = (name, 0.0)
        yield order, (
            name,
            value,
            readable(median["point_estimate"]),
            f"{readable(interval['lower_bound'])} – {readable(interval['upper_bound'])}",
            each,
        )


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "target/criterion")
    print("| kernel | case | median | 95 % interval | per element |")
    print("|:--|:--|--:|--:|--:|")
    for _, cells in sorted(rows(folder)):
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
