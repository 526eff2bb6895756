#!/usr/bin/env bash
# Make a virtual environment and install one of requirements/*.txt into it.
#   venv.sh PYTHON FOLDER NAME
set -euo pipefail
python=$1 folder=$2 name=$3

version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') || {
  echo "expected Python 3.11 to 3.13 as '$python', found none: install it or say make PYTHON=/path/to/python3" >&2
  exit 1
}
case $version in
  3.11 | 3.12 | 3.13) ;;
  *)
    echo "expected Python 3.11 to 3.13, '$python' is $version: say make PYTHON=/path/to/python3.11" >&2
    exit 1
    ;;
esac

if ! "$python" -c 'import ensurepip' 2>/dev/null; then
  # Debian splits venv off; root can mend that, others get told.
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -y -qq "python$version-venv"
  else
    echo "the venv module of $python is missing: apt-get install python$version-venv" >&2
    exit 1
  fi
fi

echo "== environment $folder: Python $version, requirements/$name.txt"
"$python" -m venv "$folder"
constraints=()
lock="requirements/lock-py$version.txt"
if [ "$name" != oracle ] && [ -f "$lock" ]; then constraints=(-c "$lock"); fi
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "requirements/$name.txt" "${constraints[@]}"
