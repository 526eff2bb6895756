# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts for the tests of host_network on machines: how they are delivered, what they are to have, what they have."""

from __future__ import annotations

import json
from typing import Any

from tests.integration import machine
from tests.integration.machine import Guest
from tests.integration.run import Run

CONFIGURE = "Configure the network of the NICs"
NIC0, NIC1 = "0000:03:00.0", "0000:07:00.0"
DUAL = [
    {"name": "rail0", "pci_address": NIC0, "mtu": 9000, "address": "10.100.0.1/24", "gateway": "10.100.0.254"},
    {
        "name": "rail1", "pci_address": NIC1, "mtu": 9000, "address": "10.101.0.1/24", "gateway": "10.101.0.254",
        "vlans": [101, 200], "native_vlan": 101, "tagged": [{"vlan": 200, "address": "10.200.0.1/24"}],
    },
]  # fmt: skip
BOND = [
    {"name": "rail0", "pci_address": NIC0, "mtu": 9000, "bond": 1, "address": "10.100.0.1/24", "vlans": [200]},
    {"name": "rail1", "pci_address": NIC1, "mtu": 9000, "bond": 1, "vlans": [200]},
]
NETWORKS = ["10.100.0.0/16", "10.101.0.0/16"]
ARP = {"arp_ignore": "1", "arp_announce": "2", "rp_filter": "2", "ignore_routes_with_linkdown": "1"}

# network-state: all that the role may change and all that it may not, one thing a line.
# until-state: wait until that is what is on standard input; the kernel's messages are the moments to look.
DELIVERED = r"""
cat >/usr/local/bin/network-state <<'END'
export LC_ALL=C
ip -o link | sed 's/^[0-9]*: //' | sort
# An address that NetworkManager finds, it leaves without this mark of its own.
ip -o -4 address | sed 's/^[0-9]*: //; s/noprefixroute //' | sort
ip -4 rule
ip -4 route show table all proto static | sort
grep . /proc/sys/net/ipv4/conf/*/{arp_ignore,arp_announce,rp_filter,ignore_routes_with_linkdown}
grep . /proc/sys/net/ipv4/neigh/default/gc_thresh*
find /etc/{systemd/network,netplan,NetworkManager,sysctl.d,lossless-fabric} -type f -exec md5sum {} + 2>/dev/null
ls /var/lib/lossless-fabric 2>/dev/null || true
END
cat >/usr/local/bin/until-state <<'END'
cat >/run/wanted
exec 3< <(exec ip monitor link address route rule 2>/dev/null)
trap "kill $!" EXIT
until network-state | cmp -s - /run/wanted; do
  [ $SECONDS -lt 180 ] || { diff /run/wanted <(network-state); exit 1; }
  # Settings follow an interface without a message.
  read -r -t 5 -u 3 && while read -r -t 0.5 -u 3; do :; done
done
END
sed -i '1i #!/bin/bash' /usr/local/bin/{network,until}-state
chmod +x /usr/local/bin/{network,until}-state
"""
# What makes a machine one of this manager, its management interface included.
MANAGERS = {
    "networkd": "printf '[Match]\nName=dummy7\n' >/etc/systemd/network/20-other.network\n",
    "netplan": r"""
        umask 077
        printf 'network: {ethernets: {mgmt0: {addresses: [10.0.2.15/24]}}}\n' >/etc/netplan/01-mgmt.yaml
        printf 'network: {ethernets: {dummy7: {dhcp4: true}}}\n' >/etc/netplan/50-other.yaml
        rm /etc/systemd/network/10-mgmt.network
        netplan generate
        networkctl reload
    """,
    "NetworkManager": r"""
        umask 077
        cd /etc/NetworkManager/system-connections
        printf '[connection]\nid=%s\ntype=ethernet\ninterface-name=%s\n' mgmt mgmt0 >mgmt.nmconnection
        printf '[ipv4]\nmethod=manual\naddress1=10.0.2.15/24\n[ipv6]\nmethod=disabled\n' >>mgmt.nmconnection
        printf '[connection]\nid=other\ntype=dummy\ninterface-name=dummy7\nautoconnect=false\n' >other.nmconnection
        rm /etc/systemd/network/10-mgmt.network
        systemctl mask --quiet --now systemd-networkd.socket systemd-networkd.service
        systemctl enable --quiet --now NetworkManager
        nm-online --quiet
    """,
}
FACTS = "ip -json -details address; echo; ip -json -4 -N route show table all; echo; ip -json -4 -N rule"


def host_of(nics: list[dict[str, Any]]) -> dict[str, Any]:
    """The host variable that the planner makes."""
    return {"host": {"nics": nics, "networks": NETWORKS}}


def role(**variables: Any) -> dict[str, Any]:
    return machine.role("lossless.fabric.host_network", **variables)


def script(text: str, name: str) -> dict[str, Any]:
    """A task without Python on the host."""
    return {"name": name, "ansible.builtin.raw": f"{{{{ {json.dumps(text)} }}}}", "args": {"executable": "/bin/bash"}}


def told(play: Run, task: str) -> list[dict[str, Any]]:
    """Results of a task on the one host of a play, in the order in which it ran."""
    (results,) = play.all_results(task).values()
    return results


def results(play: Run) -> list[dict[str, Any]]:
    """Of each run of the role in a play that succeeded."""
    assert play.rc == 0, play.output
    return told(play, CONFIGURE)


def state(host: Guest) -> str:
    return host.sh("network-state")


def lines(task: dict[str, Any]) -> str:
    """What a script said, without the terminal's line ends."""
    return task["stdout"].replace("\r", "").strip()


class Kernel:
    """Interfaces of rails, rules and routes that somebody made, as ip tells them."""

    def __init__(self, said: str) -> None:
        links, routes, rules = (json.loads(line or "[]") for line in said.splitlines() if line)
        self.links = {link["ifname"]: link for link in links if link["ifname"] not in ("lo", "mgmt0")}
        self.rules = {(r["priority"], r["src"], int(r["table"])) for r in rules if r["src"] != "all"}
        made = [route for route in routes if str(route.get("protocol")) not in ("kernel", "2")]
        keys = (("table", "254"), ("dst", None), ("gateway", None), ("dev", None), ("prefsrc", None))
        self.routes = {tuple(route.get(key, default) for key, default in keys) for route in made}

    def of(self, name: str) -> tuple[int, bool, list[str], str | None]:
        """MTU, whether it is up, addresses, what it stands on or belongs to."""
        link = self.links[name]
        addresses = [f"{a['local']}/{a['prefixlen']}" for a in link["addr_info"] if a["family"] == "inet"]
        return link["mtu"], "UP" in link["flags"], addresses, link.get("link") or link.get("master")

    def data(self, name: str) -> dict[str, Any]:
        """Parameters of a bond or VLAN."""
        return self.links[name]["linkinfo"]["info_data"]


def as_planned(kernel: Kernel, rail0: str, rail1: str) -> None:
    """DUAL, written down by hand."""
    assert set(kernel.links) == {rail0, rail1, "rail1.200"}
    assert kernel.of(rail0) == (9000, True, ["10.100.0.1/24"], None)
    assert kernel.of(rail1) == (9000, True, ["10.101.0.1/24"], None)
    assert kernel.of("rail1.200") == (9000, True, ["10.200.0.1/24"], rail1)
    assert kernel.data("rail1.200")["id"] == 200
    assert kernel.rules == {(1000, "10.100.0.1", 1000), (1100, "10.101.0.1", 1100), (1101, "10.200.0.1", 1101)}
    first, second = ("10.100.0.254", rail0, "10.100.0.1"), ("10.101.0.254", rail1, "10.101.0.1")
    assert kernel.routes == {
        ("1000", "10.100.0.0/24", None, rail0, "10.100.0.1"),
        ("1000", "10.100.0.0/16", *first),
        ("1000", "10.101.0.0/16", *first),
        ("1100", "10.101.0.0/24", None, rail1, "10.101.0.1"),
        ("1100", "10.100.0.0/16", *second),
        ("1100", "10.101.0.0/16", *second),
        ("1101", "10.200.0.0/24", None, "rail1.200", "10.200.0.1"),
        ("254", "10.100.0.0/16", *first),
        ("254", "10.101.0.0/16", *second),
    }


def as_bond(kernel: Kernel) -> None:
    """BOND, written down by hand."""
    assert kernel.of("bond1") == (9000, True, ["10.100.0.1/24"], None)
    assert kernel.of("rail0") == kernel.of("rail1") == (9000, True, [], "bond1")
    assert kernel.of("bond1.200") == (9000, True, [], "bond1")
    assert set(kernel.links) == {"rail0", "rail1", "bond1", "bond1.200"}
    wanted = {"mode": "802.3ad", "ad_lacp_rate": "fast", "xmit_hash_policy": "layer3+4", "miimon": 100, "min_links": 1}
    assert {key: kernel.data("bond1")[key] for key in wanted} == wanted
    assert kernel.rules == {(1000, "10.100.0.1", 1000)}
    assert kernel.routes == {("1000", "10.100.0.0/24", None, "bond1", "10.100.0.1")}
