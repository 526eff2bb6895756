#!/usr/bin/env bash
# GPU hosts as virtual machines behind emulated switches: from nothing to lossless RDMA, then a fault, named by its port.
# Needs root and what tests/setup/machine.sh installs. Minutes with KVM; without it every step takes many times as long.
set -euo pipefail
site=inventories/lab-hosts/fabric.yml
started=$SECONDS

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
play() {
  printf '\033[2m$ ansible-playbook %s\033[0m\n' "$*"
  ansible-playbook -i "$site" "$@"
}

tests/setup/machine.sh
trap 'python -m lab down' EXIT

say "1/4  The lab: two machines, two leafs, a spine"
python -m lab down >/dev/null
python -m lab up -i "$site"

say "2/4  One intent: switches, then hosts"
play site.yml -e switch_allow_disruptive=true -e hosts_batch=100%

say "3/4  Both ends of every cable"
play playbooks/verify.yml

say "4/4  Somebody sets one leaf port to MTU 1500: verify.yml names it"
python - <<'END'
import os
from pathlib import Path

from lab.client import Lab

lab = Lab(Path(os.environ.get("LAB_RUN_DIR", ".lab")))
lab.execute("leaf02", "configure terminal", "interface Ethernet1/2", "mtu 1500", "end")
END
code=0
play playbooks/verify.yml || code=$?
[ "$code" = 2 ] || { echo "demo: expected exit code 2, found $code" >&2; exit 1; }

say "Done in $((SECONDS - started)) s"
