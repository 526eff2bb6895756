#!/usr/bin/env bash
# make bench: the peer's environment, then the measurements. Arguments go to the bench (--quick).
set -euo pipefail
cd "$(dirname "$0")/../.."
community=.cache/bench-community
if [ ! -e "$community/.ready" ] || [ requirements/bench-community.txt -nt "$community/.ready" ]; then
  tests/setup/venv.sh "${PYTHON:-python3}" "$community" bench-community
  touch "$community/.ready"
fi
export PYTHONPATH="collections:.${PYTHONPATH:+:$PYTHONPATH}"
exec .venv/bin/python -m tests.bench.bench "$@"
