# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Role host_network on machines whose network systemd-networkd, netplan or NetworkManager manages.

What it did is asked of ip, sysctl, networkctl, netplan and nmcli, and compared with what a person would write down for
this host: nothing here asks the code under test. The cables have no other end, so no partner answers a bond's LACP.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.integration.host_network import (
    ARP,
    BOND,
    CONFIGURE,
    DELIVERED,
    DUAL,
    FACTS,
    MANAGERS,
    Kernel,
    as_bond,
    as_planned,
    host_of,
    lines,
    results,
    role,
    script,
    state,
    told,
)
from tests.integration.machine import Guest, guest

pytestmark = pytest.mark.machine

MODEL = {"host_network_names": "model"}
# Machines without KVM are slow.
PATIENCE = {"host_network_revert_after": 900, "host_network_settle": 300}
RENAME = MODEL | {"host_network_allow_rename": True}
RAIL0, RAIL1, VLAN = "enp3s0", "enp7s0", "rail1.200"

# What is typed, where the role says that it differs, and what it says.
DRIFT = {
    f"ip link set {RAIL0} mtu 1500": (RAIL0, {"mtu"}),
    f"ip address add 10.9.9.9/24 dev {RAIL0}": (RAIL0, {"address"}),
    f"ip address del 10.100.0.1/24 dev {RAIL0}": (RAIL0, {"address", "route"}),
    "ip rule del priority 1000": (RAIL0, {"rule"}),
    f"ip link set {RAIL0} down": (RAIL0, {"state", "route"}),
    f"sysctl -qw net.ipv4.conf.{RAIL0}.arp_ignore=0": (RAIL0, {"arp_ignore"}),
    "ip route flush table 1100": (RAIL1, {"route"}),
    f"ip link del {VLAN}": (VLAN, {"interface"}),
}
# What then is none of the role's business.
OTHERS = {
    RAIL0: rf"\b({RAIL1}|{VLAN}|mgmt0|lookup 110[01])\b",
    RAIL1: rf"\b({RAIL0}|mgmt0|lookup 1000)\b",
    VLAN: rf"\b({RAIL0}|mgmt0|lookup 1000)\b",
}
WATCH = "systemd-run --quiet --unit=watch sh -c 'exec ip -o monitor link address route rule >/run/seen'"
# How each manager says that it has the NIC {nic}.
MANAGED = {
    "networkd": ("networkctl status {nic}", "Network File: /etc/systemd/network/10-lossless-rail0.network"),
    "netplan": ("netplan get ethernets.{nic}.mtu; networkctl status {nic}", "10-netplan-{nic}.network"),
    "NetworkManager": ("nmcli --terse --fields device,state,connection device", "{nic}:connected:lossless-rail0"),
}
# A file of somebody else for it.
MINE = {
    "networkd": ("/etc/systemd/network/50-mine.network", "[Match]\\nName={nic}\\n[Network]\\nDHCP=yes\\n"),
    "netplan": ("/etc/netplan/50-mine.yaml", "network: {{ethernets: {{{nic}: {{dhcp4: true}}}}}}\\n"),
    "NetworkManager": (
        "/etc/NetworkManager/system-connections/mine.nmconnection",
        "[connection]\\nid=mine\\ntype=ethernet\\ninterface-name={nic}\\n",
    ),
}


@pytest.mark.parametrize("manager", MANAGERS)
def test_the_life_of_a_host(tmp_path: Path, manager: str):
    with guest(tmp_path, acs=False) as host:
        host.variables = host_of(DUAL) | MODEL | PATIENCE
        host.sh(DELIVERED + MANAGERS[manager])
        arrives(host, manager)
        mended(host, manager)
        refuses_a_file_of_somebody_else(host, manager)
        stays(host)
        is_renamed(host, manager)
        changes_and_leaves(host, manager)


def arrives(host: Guest, manager: str) -> None:
    """Check mode says what the first run does; the second does nothing."""
    before = state(host)
    (predicted,) = results(host.play([role()], "--check", "--diff"))
    assert predicted["changed"] and state(host) == before
    done, again = results(host.play([role(), role()]))
    assert done["manager"] == predicted["manager"] == manager
    for key in ("files", "differences", "diff", "findings"):
        assert done[key] == predicted[key], key
    assert not again["changed"], again
    # Named as in the model with consent only.
    for result in (done, again):
        found = [(f["severity"], f["expected"], f["actual"]) for f in result["findings"]]
        assert found == [("warning", "rail0", RAIL0), ("warning", "rail1", RAIL1)]
    has_it(host, manager, RAIL0, RAIL1)


def has_it(host: Guest, manager: str, rail0: str, rail1: str) -> None:
    as_planned(Kernel(host.sh(FACTS)), rail0, rail1)
    command, expected = (text.format(nic=rail0) for text in MANAGED[manager])
    asked = [f"/proc/sys/net/ipv4/conf/{link}/{key}" for link in (rail0, rail1, VLAN) for key in ARP]
    said, values = host.sh(f"{command}; echo; echo VALUES; cat {' '.join(asked)}").split("VALUES\n")
    assert expected in said, said
    assert values.split() == [*ARP.values()] * 3


def mended(host: Guest, manager: str) -> None:
    """Each kind of drift is said and mended, and nothing else is touched."""
    good = state(host)
    steps = []
    for command in DRIFT:
        steps += [script(f"{command}; {WATCH}", "Break"), role()]
        steps.append(script("systemctl stop watch; cat /run/seen; echo STATE; network-state", "Look"))
    play = host.play(steps)
    looks = [lines(look).partition("STATE\n") for look in told(play, "Look")]
    for (command, (place, keys)), mend, (seen, _, found) in zip(DRIFT.items(), results(play), looks, strict=True):
        if (place, manager) == (VLAN, "NetworkManager"):
            keys = keys | {"rule"}  # which it took away with the interface
        assert mend["changed"] and mend["files"] == [] and not mend["on_trial"], command
        assert {d["key"] for d in mend["differences"]} == keys, (command, mend["differences"])
        assert all(d["interface"] == place for d in mend["differences"]), (command, mend["differences"])
        assert not [line for line in seen.splitlines() if re.search(OTHERS[place], line)], (command, seen)
        assert found == good, command


def refuses_a_file_of_somebody_else(host: Guest, manager: str) -> None:
    path, text = MINE[manager]
    host.sh(f"umask 077; printf '{text.format(nic=RAIL0)}' >{path}")
    before = state(host)
    play = host.play([role()])
    assert play.rc == 2 and f"{path} for {RAIL0}" in told(play, CONFIGURE)[0]["msg"], play.output
    assert state(host) == before
    host.sh(f"rm {path}")


def stays(host: Guest) -> None:
    """After a boot, without Ansible."""
    good = state(host)
    host.reboot()
    host.sh(f"until-state <<'END'\n{good}\nEND")


def is_renamed(host: Guest, manager: str) -> None:
    """With consent, and the names belong to the PCI addresses: they come back with the NIC, and so does everything."""
    unchanged, renamed = results(host.play([role(), role(**RENAME)]))
    assert not unchanged["changed"], unchanged
    assert renamed["changed"] and not renamed["findings"]
    has_it(host, manager, "rail0", "rail1")
    good = state(host)
    host.sh(f"""
        cd /sys/bus/pci/drivers/e1000e
        for nic in {" ".join(host.nics)}; do echo $nic >unbind; done
        [ ! -e /sys/class/net/rail0 ]
        for nic in {" ".join(reversed(host.nics))}; do echo $nic >bind; done
        until-state <<'END'\n{good}\nEND
    """)


def changes_and_leaves(host: Guest, manager: str) -> None:
    """Two rails, a bond, two rails, nothing."""
    good = state(host)
    bond = role(**host_of(BOND))
    steps = [bond, script(FACTS, "Bond"), script("ip link del bond1", "Break"), bond, script(FACTS, "Bond")]
    steps += [role(), script("network-state", "Dual"), role(host_network_state="absent")]
    play = host.play(steps)
    made, again, back, gone = results(play)
    assert made["changed"] and back["changed"] and gone["changed"]
    # NetworkManager makes a bond that is gone anew before the role comes.
    assert again["changed"] or manager == "NetworkManager", again
    for look in told(play, "Bond"):
        as_bond(Kernel(lines(look)))
    assert lines(told(play, "Dual")[0]) == good
    left = Kernel(host.sh(FACTS))
    assert {name: left.of(name) for name in left.links} == {name: (1500, True, [], None) for name in ("rail0", "rail1")}
    assert not left.rules and not left.routes
    ours = host.sh("find /etc /var/lib /run/systemd -name '*lossless*' -o -name '*netplan-rail*'")
    assert ours == ""
