#!/usr/bin/env bash
# The whole story on emulated switches: converge, change nothing, break, detect, correct, be clean.
set -euo pipefail
site=inventories/lab/fabric.yml
started=$SECONDS

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
play() {
  printf '\033[2m$ ansible-playbook %s\033[0m\n' "$*"
  ansible-playbook -i "$site" "$@"
}
expect() { # expect CODE COMMAND...: run it and insist on its exit code
  local wanted=$1 code=0
  shift
  "$@" || code=$?
  if [ "$code" != "$wanted" ]; then
    echo "demo: expected exit code $wanted, found $code from: $*" >&2
    exit 1
  fi
}
unchanged() { # every line of the recap says changed=0
  local log=$1
  if ! grep -q 'changed=' "$log" || grep -E 'changed=[1-9]' "$log"; then
    echo "demo: expected changed=0 for every switch" >&2
    exit 1
  fi
}

log=$(mktemp)
trap 'rm -f "$log"; python -m lab down' EXIT

say "1/7  The lab: nine emulated switches behind real SSH, in factory state"
python -m lab down >/dev/null
rm -rf inventories/lab/.state inventories/lab/reports
python -m lab up -i "$site"

say "2/7  First run: from factory state to a lossless fabric (the consent is for the first change of PFC and buffers)"
play site.yml -e switch_allow_disruptive=true

say "3/7  Second run: nothing to do"
play site.yml | tee "$log"
unchanged "$log"

say "4/7  A careless operator changes things by hand on all three platforms"
python -m lab break

say "5/7  drift.yml lists exactly these and exits with 2"
expect 2 play playbooks/drift.yml

say "6/7  The correcting run mends exactly these"
play playbooks/drift.yml -e drift_correct=true -e switch_allow_disruptive=true --diff

say "7/7  Clean again"
play playbooks/drift.yml | tee "$log"
unchanged "$log"
play playbooks/verify.yml

switches=$((SECONDS - started))

say "GPU hosts: virtual machines behind emulated switches"
why=$(python -m lab.hosts.able)
if [ -z "$why" ]; then
  python -m lab down
  tests/demo-hosts.sh
else
  echo "Left out: $why"
fi
say "Done; the switches took $switches s. Look around: docs/intent.md, inventories/lab/fabric.yml, inventories/lab/reports/"
