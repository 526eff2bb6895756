# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine of the lab by itself: it is what docs/lab.md says it is."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.hosts import fleet
from lab.hosts.options import Paths
from lab.hosts.spec import MachineSpec

NIC, GPU = "0000:03:00.0", "0000:04:00.0"
REBIND = f"""
cd /sys/bus/pci/drivers/e1000e
echo {NIC} > unbind && echo {NIC} > bind && udevadm settle
"""


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paths]:
    """The machine of the lab's own site, so that its saved state is shared with the tests of that site."""
    run_dir = tmp_path_factory.mktemp("machine")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    fleet.up([MachineSpec("gpu01", ("rail0", "rail1"), port=port, acs=False)], run_dir)
    yield Paths(run_dir, "gpu01")
    fleet.down(run_dir)


def run(paths: Paths, script: str) -> str:
    done = subprocess.run(
        fleet.ssh_command(paths.run_dir, "gpu01", ["bash", "-eu"]), input=script, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_host_key_is_checked(paths: Paths, tmp_path: Path) -> None:
    """With the key of another machine in known_hosts nobody logs in."""
    known = paths.known_hosts.read_text()
    key = known.split()[2]
    middle = len(key) // 2
    other = "A" if key[middle] != "A" else "B"
    paths.known_hosts.write_text(known.replace(key, key[:middle] + other + key[middle + 1 :]))
    done = subprocess.run(fleet.ssh_command(paths.run_dir, "gpu01", ["true"]), capture_output=True, text=True)
    paths.known_hosts.write_text(known)
    assert done.returncode == 255
    assert "Host key verification failed" in done.stderr


def test_nic_gpu_and_links_have_their_faces(paths: Paths) -> None:
    said = run(paths, f"lspci -nn -s {NIC}; lspci -nn -s {GPU}; lspci -vv -s {NIC}; ls /sys/class/infiniband")
    assert "[15b3:1021]" in said
    assert "[10de:2330]" in said
    assert "LnkSta:\tSpeed 32GT/s, Width x16" in said
    assert "Total VFs: 8" in said
    assert said.split()[-2:] == ["rocep3s0", "rocep7s0"]


def test_a_link_can_train_badly(paths: Paths) -> None:
    parameter = "/sys/module/lab_nic/parameters/nic_width"
    read = f"cat /sys/bus/pci/devices/{NIC}/current_link_width"
    assert run(paths, f"echo 8 > {parameter}; {read}; echo 16 > {parameter}; {read}").split() == ["8", "16"]


def test_settings_are_kept_until_the_driver_starts_anew(paths: Paths) -> None:
    configure = """
dcb pfc set dev enp3s0 prio-pfc 3:on
dcb app add dev enp3s0 dscp-prio 26:3
echo 5 > /sys/class/net/enp3s0/ecn/roce_np/cnp_802p_prio
echo 106 > /sys/class/infiniband/rocep3s0/tc/1/traffic_class
"""
    show = """
dcb -j pfc show dev enp3s0 | grep -c '"prio_pfc":.*true' || true
dcb app show dev enp3s0 | grep -c AF31:3 || true
cat /sys/class/net/enp3s0/ecn/roce_np/cnp_802p_prio
echo "[$(cat /sys/class/infiniband/rocep3s0/tc/1/traffic_class)]"
"""
    said = run(paths, configure + show + REBIND + show).splitlines()
    assert said == ["1", "1", "5", "[Global tclass=106]", "0", "0", "6", "[]"]


def test_values_out_of_range_are_refused(paths: Paths) -> None:
    place = "/sys/class/net/enp3s0/ecn/roce_np/cnp_dscp"
    assert run(paths, f"{{ echo 64 > {place}; }} 2>&1 || echo refused; cat {place}").split()[-2:] == ["refused", "48"]


def test_it_reaches_nothing_but_the_mirror(paths: Paths) -> None:
    fetch = """
import urllib.request
print(len(urllib.request.urlopen("http://10.0.2.100/key.asc", timeout=60).read()) > 100)
"""
    refused = "timeout 5 bash -c 'echo > /dev/tcp/10.0.2.2/22' 2>/dev/null || echo refused"
    said = run(paths, f"ip route show default; {refused}; python3 -c '{fetch}'").split()
    assert said == ["refused", "True"]
