#!/usr/bin/env bash
# A quick job on the newest ansible-core that a newer Python on this machine takes; says so when there is none.
set -euo pipefail

for version in 3.13 3.12; do
  for candidate in "python$version" "$HOME/.pyenv/versions/$version".*/bin/python3; do
    if command -v "$candidate" >/dev/null && "$candidate" -c "import sys; sys.exit(sys.version_info[:2] != tuple(map(int, '$version'.split('.'))))" 2>/dev/null; then
      python=$candidate
      break 2
    fi
  done
done
if [ -z "${python:-}" ]; then
  echo "newest: no Python 3.12 or 3.13 on this machine; only Python 3.11 with ansible-core 2.19 is tested here"
  exit 0
fi

venv=.cache/newest
[ -f "$venv/.ready" ] && [ "$venv/.ready" -nt requirements/newest.txt ] || {
  tests/setup/venv.sh "$python" "$venv" newest
  touch "$venv/.ready"
}
export PATH="$PWD/$venv/bin:$PATH"
ansible --version | sed -n 1p # sed reads to the end: nobody writes into a closed pipe
python -m pytest tests/unit/switch tests/unit/verify tests/unit/intent tests/golden -n 2
python -m pytest tests/integration/test_site.py -k quick
