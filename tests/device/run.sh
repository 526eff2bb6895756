#!/usr/bin/env bash
# host_facts, preflight and the role nccl on a machine with NVIDIA GPUs, over a local connection, then an all-reduce over
# all GPUs whose log has to report our settings. Needs root (it writes /etc/nccl.conf), PyTorch with NCCL, and no network:
# wheels come from the folder given as first argument. See README.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
wheels=${1:-.whl}
conf=${NCCL_CONF:-/etc/nccl.conf} # NCCL itself reads /etc only; another one is for rehearsals without GPUs
OUT=${OUT:-$(mktemp -d)}
export OUT
mkdir -p "$OUT"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ "$(id -u)" = 0 ] || { echo "expected root, which may write $conf, found uid $(id -u)"; exit 1; }

python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --target "$work/site" "$wheels"/*.whl
export PYTHONPATH=$work/site PYTHONUNBUFFERED=1 ANSIBLE_CONFIG=$PWD/ansible.cfg ANSIBLE_LOCAL_TEMP=$work/tmp ANSIBLE_NOCOLOR=1
export ANSIBLE_INVENTORY_ENABLED=ansible.builtin.host_list LC_ALL=C.UTF-8
play() {
  python3 -m ansible playbook -i localhost, -c local -e "out=$OUT" -e "nccl_path=$conf" -e "ansible_python_interpreter=$(command -v python3)" \
    tests/device/site.yml "$@"
}

echo "== check mode on a virgin machine"
[ ! -e "$conf" ] || mv "$conf" "$conf.before"
play --check --diff | tee "$OUT/check.log"
[ ! -e "$conf" ] || { echo "expected check mode to write nothing, found $conf"; exit 1; }
echo "== converge"
play --diff | tee "$OUT/converge.log"
echo "== second run"
play | tee "$OUT/second.log"
cp "$conf" "$OUT/nccl.conf"
python3 tests/device/verify.py host "$OUT"

echo "== all-reduce on all GPUs; none of our variables is in the environment"
gpus=$(nvidia-smi --query-gpu=index --format=csv,noheader | wc -l)
clean=(env -u PYTHONPATH)
while IFS='=' read -r name _; do clean+=(-u "$name"); done < <(grep -E '^NCCL_' "$conf")
all_reduce() {
  timeout 200 "$@" python3 -m torch.distributed.run --standalone --nproc_per_node="$gpus" tests/device/allreduce.py
}
all_reduce "${clean[@]}" > "$OUT/allreduce.log" 2>&1 || { tail -40 "$OUT/allreduce.log"; exit 1; }
grep -oE '[0-9]+ MiB on .*busbw.*|NCCL_[A-Z_]+ set by environment.*' "$OUT/allreduce.log" | sort | uniq -c
python3 tests/device/verify.py nccl "$OUT"

echo "== the same without the file: NCCL must report none of our settings"
mv "$conf" "$work/nccl.conf"
all_reduce "${clean[@]}" NCCL_DEBUG=INFO > "$OUT/without.log" 2>&1 || { tail -40 "$OUT/without.log"; exit 1; }
mv "$work/nccl.conf" "$conf"
python3 tests/device/verify.py without "$OUT"
echo "device: ok"
