# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two GPU hosts and three switches from one intent: virtual machines, emulated switches, real RDMA through them.

One story, because starting machines is most of its time. It needs root and what tests/setup/machine.sh installs.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.conftest import Site
from tests.integration.run import Run

pytestmark = pytest.mark.machine

HOSTS = ("gpu01", "gpu02")
SWITCHES = ("leaf01", "leaf02", "spine01")
CONSENT = {"switch_allow_disruptive": True}
TOGETHER = {"hosts_batch": "100%"}
# PCI bus and network.
RAILS = {"rail0": (3, "10.110.1"), "rail1": (7, "10.111.1")}
# Bytes and number of the messages of a benchmark; more would only take longer.
SIZE, MESSAGES = 65536, 100
# Where each rail of each host is cabled to.
PORTS = {
    ("gpu01", "rail0"): ("leaf01", "Ethernet1/1"),
    ("gpu02", "rail0"): ("leaf01", "Ethernet2/1"),
    ("gpu01", "rail1"): ("leaf02", "Ethernet1/1"),
    ("gpu02", "rail1"): ("leaf02", "Ethernet1/2"),
}
LOSSLESS = 3
MOST_MODULES = 25
# rdma_stack, nvidia_driver, cuda, gpudirect.
SOFTWARE_ROLES = 4
# ARP, and the handshake of the benchmark, are in the default class; RDMA is thousands of packets.
OTHER_PACKETS = 100


class Hosts:
    """The site with its machines."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def sh(self, host: str, script: str, check: bool = True, timeout: int = 300) -> str:
        """Run a script on a machine."""
        command = [*self.site.lab_words, "ssh", host, f"bash --norc -eu -o pipefail -c {shlex.quote(script)}"]
        done = subprocess.run(command, cwd=self.site.root, capture_output=True, text=True, check=False, timeout=timeout)
        assert not check or done.returncode == 0, f"{host}: {script}\n{done.stdout}{done.stderr}"
        return (done.stdout if check else done.stdout + done.stderr).strip()

    def converge(self, **extra: Any) -> Run:
        """site.yml for everything."""
        return self.site.play("site.yml", "-vvv", **(TOGETHER | extra))

    def verify(self) -> tuple[Run, list[dict[str, str]]]:
        """verify.yml and its findings."""
        run = self.site.play("playbooks/verify.yml")
        report = self.site.inventory.parent / "reports" / "verify.json"
        return run, json.loads(report.read_text())["findings"]

    def queues(self) -> dict[tuple[str, str], dict[int, int]]:
        """Packets that each leaf port to a host has sent, by queue, as the switch counts them."""
        run = self.site.play("playbooks/verify.yml", "--limit", "leafs")
        facts = {host: result["facts"] for host, result in run.results("Read").items()}
        return {
            place: {int(n): q["tx_packets"] or 0 for n, q in facts[leaf]["ports"][port]["queues"].items()}
            for place, (leaf, port) in PORTS.items()
        }

    def bandwidth(self, rail: str, tool: str, connect: bool = False) -> str:
        """What a benchmark says, from gpu01 to gpu02 over one rail, marked as the host tells NCCL to mark.

        ``connect``: RDMA-CM brings the two together and selects the GID, instead of a TCP connection and us.
        """
        bus, network = RAILS[rail]
        gids = f"/sys/class/infiniband/rocep{bus}s0/ports/1/gids"
        # Of the rail's address, as NCCL selects it: an IPv4 address in an IPv6 one.
        index = f"$(grep -l ':ffff:{_hex(network)}' {gids}/* | head -1 | xargs basename)"
        mark = "$(sed -n s/^NCCL_IB_TC=//p /etc/nccl.conf)"
        meet = f"-R -T {mark}" if connect else f"-x {index} --tclass={mark}"
        common = f"{tool} -d rocep{bus}s0 {meet} -F -m 4096 -n {MESSAGES} -s {SIZE} --report_gbits"
        # A hang of the server must not outlive the test.
        server = f"systemd-run --quiet --collect --property=RuntimeMaxSec=180 {common}"
        listens = "rdma res show cm_id" if connect else "ss -Htln"
        self.sh("gpu02", f"{server}; until {listens} | grep -q :18515; do :; done")
        return self.sh("gpu01", f"timeout 150 {common} {network}.2", check=False)


def _hex(network: str) -> str:
    """The first three octets as a GID shows them: 10.110.1 is 0a6e:01."""
    a, b, c = (int(part) for part in network.split("."))
    return f"{a:02x}{b:02x}:{c:02x}"


def result(said: str) -> bool:
    """Whether a benchmark came to its result."""
    return re.search(rf"^\s*{SIZE}\s+{MESSAGES}\s+[0-9.]+", said, re.M) is not None


def assert_software_as_told(told: list[dict[str, Any]], done: list[dict[str, Any]]) -> None:
    """What a role says it does is what check mode said it would, less what a role before it has done."""
    assert len(told) == len(done) == SOFTWARE_ROLES
    so_far: set[str] = set()
    for before, now in zip(told, done, strict=True):
        steps = set(now["plan"]["steps"])
        so_far |= steps
        assert steps <= set(before["plan"]["steps"]) <= so_far


def modules(run: Run, port: int) -> int:
    """Modules that ran on the host behind this TCP port: Ansible starts Python once for each."""
    lines = [line for line in run.output.splitlines() if "SSH: EXEC" in line and f"Port={port}" in line]
    return sum("AnsiballZ_" in line and "/usr/bin/python3" in line for line in lines)


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    site = Site(tmp_path_factory.mktemp("h"), "lab-hosts")
    site.lab_command("up", "-i", str(site.inventory))
    yield Hosts(site)
    site.lab_command("down")


def test_the_whole_story(hosts: Hosts) -> None:
    site = hosts.site

    # Check mode on hosts and switches in factory state predicts what the run then does.
    checked = site.play("site.yml", "--check", "--diff", **(CONSENT | TOGETHER))
    assert checked.rc == 0, checked.output
    first = hosts.converge(**CONSENT)
    assert first.rc == 0, first.output
    assert set(first.changed) == set(checked.changed) == {*HOSTS, *SWITCHES}
    tasks = (
        "Configure the network of the NICs",
        "Bring the firmware settings to their values",
        "Make the NICs lossless",
        "Configure NCCL",
    )
    for task in tasks:
        told, done = checked.results(task), first.results(task)
        assert {h: told[h]["changed"] for h in HOSTS} == {h: done[h]["changed"] for h in HOSTS}
    for host in HOSTS:
        assert_software_as_told(*(run.all_results("Plan the software")[host] for run in (checked, first)))
        # The site consents to a reset: as shipped, in effect, for the next boot. What came after it has not lost by it.
        said = hosts.sh(host, "for bus in 03 07; do mstconfig -d 0000:$bus:00.0 -e query LLDP_NB_RX_MODE_P1; done")
        assert len(re.findall(r"LLDP_NB_RX_MODE_P1 +ALL\(2\) +OFF\(0\) +OFF\(0\) ", said)) == len(RAILS), said

    # The second run changes nothing, and says what it costs.
    second = hosts.converge()
    assert second.rc == 0, second.output
    assert second.changed == {}
    for host in HOSTS:
        count = modules(second, site.port(host))
        print(f"{host}: {count} modules in a run that changes nothing")
        assert 5 <= count <= MOST_MODULES

    run, findings = hosts.verify()
    assert run.rc == 0, run.output
    assert [f for f in findings if f["severity"] == "error"] == []

    # Real RDMA over both rails, in the lossless class and no other.
    for rail in RAILS:
        before = hosts.queues()
        for tool, connect in (("ib_write_bw", False), ("ib_send_bw", False), ("ib_write_bw", True)):
            said = hosts.bandwidth(rail, tool, connect)
            assert re.search(r"Mtu\s*:\s*4096\[B\]", said), said
            assert re.search(r"Link type\s*:\s*Ethernet", said), said
            assert result(said), said
        after = hosts.queues()
        sent = {n: after["gpu02", rail][n] - before["gpu02", rail][n] for n in after["gpu02", rail]}
        assert sent.pop(LOSSLESS) >= 3 * MESSAGES * SIZE // 4096, sent
        assert sum(sent.values()) < OTHER_PACKETS, sent
        other = next(name for name in RAILS if name != rail)
        idle = {n: after["gpu02", other][n] - before["gpu02", other][n] for n in after["gpu02", other]}
        assert sum(idle.values()) < OTHER_PACKETS, idle

    # One leaf port at MTU 1500 is found and named, and so is what it does to RDMA.
    site.lab.execute("leaf02", "configure terminal", "interface Ethernet1/2", "mtu 1500", "end")
    said = hosts.bandwidth("rail1", "ib_write_bw")
    assert not result(said), said
    run, findings = hosts.verify()
    assert run.rc == 2
    assert ("leaf02", "Ethernet1/2", "mtu") in {(f["device"], f["port"], f["check"]) for f in findings}
    assert "gpu02 rail1, has 9000" in next(f for f in findings if f["check"] == "mtu")["why"]

    # Leafs without their DSCP maps: each port of a host that loses packets is named.
    site.lab.execute("leaf02", "configure terminal", "interface Ethernet1/2", "mtu 9216", "end")
    site.lab.execute("leaf01", "configure", "qos map dscp 26 to traffic-class 0", "end")
    site.lab.execute("leaf02", "configure terminal", "policy-map type qos ROCE", "no class ROCE-roce", "end")
    run, findings = hosts.verify()
    assert run.rc == 2
    assert {(f["device"], f["port"]) for f in findings if f["check"] == "dscp_host"} == set(PORTS.values())
    mended = site.play("playbooks/switches.yml", **CONSENT)
    assert set(mended.changed) == {"leaf01", "leaf02"}, mended.output

    # After a reboot, and after the driver was taken from a NIC and given back, everything is there without Ansible.
    boot = hosts.sh("gpu02", "cat /proc/sys/kernel/random/boot_id")
    hosts.sh("gpu02", "systemctl reboot", check=False)
    _wait_for_boot(hosts, "gpu02", boot)
    hosts.sh("gpu01", "cd /sys/bus/pci/drivers/e1000e; echo 0000:03:00.0 > unbind; echo 0000:03:00.0 > bind")
    hosts.sh("gpu01", "udevadm settle; until /usr/local/lib/lossless-fabric/nic-qos verify; do :; done")
    run, findings = hosts.verify()
    # The switch still counts what it dropped while its port had MTU 1500, and nobody may clear that for it.
    drops = ("lossless_drops", *PORTS["gpu02", "rail1"])
    assert {(f["check"], f["device"], f["port"]) for f in findings if f["severity"] == "error"} == {drops}, run.output
    last = hosts.converge()
    assert last.rc == 0, last.output
    assert last.changed == {}


def _wait_for_boot(hosts: Hosts, host: str, before: str) -> None:
    """Until the machine has another boot id and all its units have started."""
    command = "cat /proc/sys/kernel/random/boot_id; systemctl is-system-running --wait >/dev/null || true"
    while True:
        said = re.search(r"^[0-9a-f-]{36}$", hosts.sh(host, command, check=False), re.MULTILINE)
        if said and said.group() != before:
            return
