#!/usr/bin/env bash
# fiesta beside Ray Tune and submitit when their controllers are killed: killed_controllers.sh FIESTA OUTPUT.jsonl [RUNS [NAME…]]
# Needs a virtual environment with ray[default,tune] and submitit, by default that of `scripts/test ray`.
set -euo pipefail
cd "$(dirname "$0")/../.."
export ENVIRONMENT=$PWD/${ENVIRONMENT:-target/ray-tests/venv} RAY_AUTH_MODE=disabled RAY_USAGE_STATS_ENABLED=0
"$ENVIRONMENT/bin/python" -c 'import ray.tune, submitit' || "$ENVIRONMENT/bin/pip" install --quiet 'ray[default,tune]' submitit
own=()
[ "$(id -u)" = 0 ] || own=(--map-root-user)
# The shell stays as the first process: it clears away the ended processes that controllers leave.
place=$(mktemp -d /tmp/r-XXXXXX)
export place
trap 'rm -rf "$place"' EXIT
unshare "${own[@]}" -n -p -f --mount-proc --kill-child bash -c '
    ip link set lo up
    "$ENVIRONMENT/bin/ray" start --head --node-ip-address=127.0.0.1 --num-cpus=4 --temp-dir="$place" \
        --object-store-memory=100000000 --disable-usage-stats >/dev/null 2>&1
    "$ENVIRONMENT/bin/python" benches/peers/killed_controllers.py measure "$@"
    exit $?' bash "$@"
