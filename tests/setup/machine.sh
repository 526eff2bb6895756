#!/usr/bin/env bash
# Debian packages that the machines of the lab need (lab/hosts/needs.py), and dnf, rpm and netplan for tests of what we
# write for them. Quiet, and quick where they are there.
# libelf1 is for objtool of the kernel headers, which are unpacked, not installed.
set -euo pipefail
packages=(
  apt-utils binutils createrepo-c dnf dnf-plugins-core e2fsprogs gcc gnupg kmod libelf1 make mmdebstrap netplan.io
  openssh-client openssl qemu-system-x86 qemu-utils rpm systemd udev
)

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$state" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} = 0 ] && exit 0

if [ "$(id -u)" != 0 ]; then
  echo "the lab's machines need: apt-get install ${missing[*]}" >&2
  exit 1
fi
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
