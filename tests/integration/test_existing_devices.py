# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches that were in service before us: read completely, changed in what is ours alone, given back byte for byte.

tests/fixtures/existing holds configurations of our own in the style of such devices. The environment variable
LOSSLESS_RUNNING_CONFIGS names a folder with more, which may not be committed (EOS, NX-OS, startup.yaml of NVUE).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from tests import reading
from tests.integration.support import bench, model_data

OWN = sorted((Path(__file__).parents[1] / "fixtures" / "existing").iterdir())
FOLDER = os.environ.get("LOSSLESS_RUNNING_CONFIGS")
OTHERS = sorted(p for p in Path(FOLDER).iterdir() if p.suffix in (".cfg", ".yml", ".yaml")) if FOLDER else []

# What the model of a device says about ports that are in use there, where other people's lines are; by file.
BY_HAND: dict[str, dict[str, Any]] = {
    "eos-border.cfg": {
        "vlans": {20: "rail0", 22: "VLAN0022", 31: "cameras", 41: "rail2", 500: "rail1"},
        "ports": {
            "Ethernet3": {"mode": "trunk", "vlans": [20, 22, 41], "description": "member of a port channel"},
            "Ethernet4": {"mode": "access", "vlan": 31},
            "Ethernet5": {"mode": "trunk", "vlans": [20, 22], "native_vlan": 31, "description": "gpu01"},
            "Ethernet6": {"mode": "routed", "address": "10.77.0.0/31", "speed": 100000, "fec": "rs"},
            "Ethernet7": {"mode": "routed", "mtu": 9000, "description": "unnumbered"},
            "Ethernet8": {"mode": "routed", "address": "10.30.0.2/31"},
            "Ethernet9": {"mode": "routed", "address": "172.20.0.5/30", "lossless": False},
            "Ethernet10": {"mode": "access", "vlan": 22, "speed": 100000, "fec": "rs"},
            "Ethernet49/1": {"mode": "access", "vlan": 500},
        },
    },
    "eos-all.cfg": {
        "asic": "tomahawk",
        "vlans": {120: "rail0", 121: "storage", 122: "rail2"},
        "ports": {
            "Ethernet1/1": {"mode": "access", "vlan": 121, "description": "gpu01"},
            "Ethernet2/1": {"mode": "routed", "address": "10.90.0.3/31", "mtu": 9000},
            "Ethernet3/1": {"mode": "trunk", "vlans": [120, 122], "native_vlan": 120},
        },
    },
    "nxos-border.cfg": {
        "vlans": {20: "rail0", 21: "VLAN0021", 22: "VLAN0022", 41: "rail2", 500: "rail1"},
        "ports": {
            # a member of a port channel: the switch lets its own lines be only what those of the port channel are
            "Ethernet1/2": {"mode": "trunk", "vlans": [20, 21, 22], "description": "gpu01"},
            "Ethernet1/3": {"mode": "access", "vlan": 20},
            "Ethernet1/4": {"mode": "trunk", "vlans": [20, 500], "native_vlan": 41},
            "Ethernet1/5": {"mode": "routed", "mtu": 9000, "description": "unnumbered"},
            "Ethernet1/6": {"mode": "routed", "address": "10.50.0.2/31"},
            "Ethernet1/7": {"mode": "routed", "address": "10.77.0.0/31", "speed": 100000, "fec": "rs"},
            "Ethernet1/8": {"mode": "routed", "address": "172.21.0.5/30"},
            "Ethernet1/10": {"mode": "access", "vlan": 500, "lossless": False},
            "Ethernet1/11": {"mode": "access", "vlan": 21, "enabled": False},
        },
    },
    "nvue-5.14.yml": {
        "vlans": {20: "rail0", 22: "storage", 500: "rail1"},
        "ports": {
            "swp2": {"mode": "access", "vlan": 20, "description": "gpu01"},
            "swp3": {"mode": "trunk", "vlans": [20, 500], "native_vlan": 22},
            "swp4": {"mode": "routed", "address": "10.77.0.0/31"},
            "swp51": {"mode": "routed", "cable_length": 40},
            "swp52": {"mode": "routed", "address": "10.40.0.4/31", "speed": 100000, "fec": "rs"},
        },
    },
    "nvue-5.16.yml": {
        "vlans": {20: "rail0", 40: "storage", 500: "rail1"},
        "ports": {
            "swp1": {"mode": "access", "vlan": 40},
            "swp2": {"mode": "trunk", "vlans": [20, 500]},
            "swp3": {"mode": "access", "vlan": 20, "lossless": False},
            "swp63": {"mode": "routed", "address": "10.60.0.2/31", "mtu": 9000},
            "swp64": {"mode": "routed", "speed": 400000},
        },
    },
}


@dataclass
class Case:
    """A device in service and the model that it shall follow."""

    platform: str
    release: str
    text: str  # as it is printed
    data: dict[str, Any]  # model

    @property
    def ports(self) -> dict[str, dict[str, Any]]:
        return {port["name"]: port for port in self.data["ports"]}


def case_of(path: Path, ports: dict[str, dict[str, Any]], vlans: dict[int, str], asic: str | None) -> Case:
    text = path.read_text()
    platform, release = identity(text)
    data = model_data(platform, release) | {"asic": asic, "name": "existing"}
    length = {"cable_length": 5, "mtu": 9216 if platform == "nxos" else 9214}
    data["ports"] = [length | {"name": name} | port for name, port in ports.items()]
    data["vlans"] = [{"id": number, "name": name} for number, name in vlans.items()]
    return Case(platform, release, printed(platform, text), data)


def identity(text: str) -> tuple[str, str]:
    """Platform and release of a configuration."""
    if text.startswith("- "):
        return "nvue", re.search(r"version: Cumulus Linux (\S+)", text)[1]
    if re.search(r"(?m)^(version \d|vdc |!RANCID-CONTENT-TYPE: cisco-nx)", text):
        found = re.search(r"(?m)^version (\S+)", text)
        return "nxos", found[1] if found else "9.3(4)"
    found = re.search(r"(?m)^! device: .* EOS-([\w.]+)\)", text)
    return "eos", found[1] if found else "4.28.3M"


def printed(platform: str, text: str) -> str:
    """Without the head that a show command or a collector puts before it, where it says when."""
    if platform == "eos":
        return re.sub(r"\A(?:!.*\n)*! device: .*\n", "", text)
    if platform == "nxos":
        return re.sub(r"(?m)^!(?:Command|Running configuration last done at|Time):.*\n", "", text)
    return text


def drawn_up(path: Path) -> Case:
    """A model from what the file says: up to two ports of each kind, each as it is and with the RoCE policy."""
    platform, _ = identity(path.read_text())
    found = reading.statements(platform, path.read_text())
    word = r"swp\d+" if platform == "nvue" else r"Ethernet\S+"
    lines: dict[str, list[str]] = {}
    for statement in sorted(found):
        match = re.match(rf"interface ({word})(?: > | )(.*)", statement)
        if match:
            lines.setdefault(match[1], []).append(match[2])
    kinds: dict[str, list[str]] = {}
    ports = {}
    for name in sorted(lines, key=lambda n: [int(x) for x in re.findall(r"\d+", n)]):
        port = as_it_is(platform, lines[name])
        member = any("channel-group" in line and not line.startswith("no ") for line in lines[name])
        kind = f"{port['mode']} {'address' in port} {member}"
        if member and platform == "nxos":
            continue  # these follow their port channel
        if len(kinds.setdefault(kind, [])) < 2:
            kinds[kind].append(name)
            ports[name] = port
    wanted = {p.get("vlan") for p in ports.values()} | {v for p in ports.values() for v in p.get("vlans", ())}
    numbers = sorted(v for v in wanted if v and v != 1)
    return case_of(path, ports, {v: f"rail{v}" for v in numbers}, None)


def as_it_is(platform: str, lines: list[str]) -> dict[str, Any]:
    """The mode of one port. Trunks get a short list, since a model names every VLAN."""
    text = "\n".join(lines)
    access = re.search(r"(?m)^switchport access vlan (\d+)$|^bridge domain br_default access: (\d+)$", text)
    address = re.search(r"(?m)^ip(?:v4)? address (\d+(?:\.\d+){3}/\d+)$", text)
    bridged = "bridge domain" in text if platform == "nvue" else not re.search(r"(?m)^no switchport$", text)
    if not bridged:
        return {"mode": "routed", **({"address": address[1]} if address else {})}
    if re.search(r"(?m)^switchport mode trunk$", text) or (platform == "nvue" and not access):
        return {"mode": "trunk", "vlans": [20, 110]}
    return {"mode": "access", "vlan": int(access[1] or access[2]) if access else 1}


# -- whose a line is: the tables "What is owned" of docs/platforms in other words ------------------------------------
def forms(text: str) -> str:
    """One expression of many, one to a line."""
    return "|".join(line.strip() for line in text.strip().splitlines())


PORT_LINES = {
    "eos": forms(
        r"""
        description .*
        (no )?shutdown
        mtu \d+
        ((no|default) )?(l2 mtu|flowcontrol|speed|error-correction encoding)\b.*
        (no )?switchport( (mode|access vlan|trunk native vlan|trunk allowed vlan) .*)?
        service-profile .*
        (no )?qos (trust|cos|dscp).*
        service-policy type qos input .*
        (no )?(shape rate|priority-flow-control).*
        (uc-|mc-)?tx-queue \d( > .*)?
        (no )?lldp (transmit|receive)
        """
    ),
    "nxos": forms(
        r"""
        (no )?switchport( (mode|access vlan|trunk native vlan|trunk allowed vlan) .*)?
        (description|speed|fec|mtu|flowcontrol|priority-flow-control|service-policy) .*
        (no )?shutdown
        (no )?lldp (transmit|receive)
        """
    ),
    "nvue": forms(
        r"""
        (type|description).*
        link (mtu|speed|fec|state).*
        bridge domain \S+( (access|untagged): \d+| vlan \d+)?
        qos .*
        """
    ),
}
ELSEWHERE = {
    "eos": forms(
        r"""
        vlan (@VLANS@)( > (name|state) .*)?
        qos map (dscp|cos) .* to traffic-class .*
        qos map traffic-class .* to (tx-queue|dscp) .*
        qos rewrite dscp
        qos random-detect ecn global-buffer .*
        priority-flow-control (all off|pause watchdog .*)
        qos profile ROCE( > .*)?
        (no )?lldp run
        lldp (timer|hold-?time) .*
        """
    ),
    "nxos": forms(
        r"""
        vlan (@VLANS@)( > name .*)?
        (class-map|policy-map) (type \S+ )?(match-\S+ )?ROCE(-\S+)?( > .*)?
        system qos( > service-policy type (network-qos|queuing output) .*)?
        priority-flow-control (watch-dog|watch-dog-interval|auto-restore) .*
        feature lldp
        lldp (timer|holdtime) .*
        ip load-sharing address [a-z -]*
        """
    ),
    "nvue": forms(
        r"""
        bridge domain br_default vlan (@VLANS@)
        qos (mapping|pfc|congestion-control|egress-scheduler) ROCE(-\S+)? .*
        qos egress-queue-mapping default-global .*
        qos traffic-pool default-(lossless|lossy) .*
        qos (pfc-watchdog|roce).*
        (service|system) lldp (state|tx-interval|tx-hold-multiplier).*
        system forwarding ecmp-hash .*
        """
    ),
}
ADDRESSES = {"eos": "ip address .*", "nxos": "ip (address|unnumbered) .*", "nvue": r"ip(v4)? address [\d.]+/\d+"}


def whose(case: Case) -> re.Pattern[str]:
    """Matches the statements that are ours."""
    joint = " " if case.platform == "nvue" else " > "
    forms = [ELSEWHERE[case.platform].replace("@VLANS@", "|".join(str(v["id"]) for v in case.data["vlans"]) or "0")]
    for name, port in case.ports.items():
        lines = PORT_LINES[case.platform]
        if port["mode"] != "routed" or "address" in port:
            lines += f"|{ADDRESSES[case.platform]}"
        if case.platform == "nxos" and port["mode"] != "routed":
            lines += "|medium .*"
        forms.append(f"interface {re.escape(name)}{joint}({lines})")
    return re.compile("|".join(forms))


def of_others(case: Case, text: str) -> list[str]:
    """The text without what is ours; what only separates sections goes too. Of lists that we share our part goes."""
    ours = whose(case)
    if case.platform == "nvue":
        return sorted(s for s in reading.statements("nvue", text) if not ours.fullmatch(s))
    rest = []
    vlans = {v["id"] for v in case.data["vlans"]}
    for raw, path in reading.lines(text):
        statement = " > ".join(path)
        if not raw.strip() or re.match(r"\s*!($| )", raw):
            continue  # no switch keeps these: they part sections, or are remarks of a collector
        found = re.fullmatch(r"vlan ([\d,-]+)", statement)
        if found:
            rest += [f"vlan {number}" for number in reading.numbers(found[1]) if number not in vlans]
        elif statement.startswith("ip load-sharing "):
            rest.append(statement.partition(" universal-id ")[2])
        elif not path or not ours.fullmatch(statement):
            rest.append(raw)
    return [line for line in rest if line]


# Settings as they are anyway, written out: `show running-config all`, or typed by somebody.
CLASSES = (1, 0, 2, 3, 4, 5, 6, 7)  # EOS' own map
WRITTEN_OUT = {
    "eos": forms(
        r"""
        .* > no (shutdown|l2 mtu|flowcontrol \S+|shape rate|speed|priority-flow-control.*)
        .* > (mtu 1500|speed auto|qos (cos|dscp) 0|state active|lldp (transmit|receive))
        .* > default error-correction encoding
        .* > switchport ((access|trunk native) vlan 1|trunk allowed vlan 1-4094)
        .* > priority-flow-control pause watchdog
        .* > \S*tx-queue \d > no .*
        qos map traffic-class (\d) to tx-queue (\d)
        lldp (run|timer 30|hold-time 120)
        """
    )
    + "".join(f"|qos map dscp {n} to traffic-class {CLASSES[n // 8]}" for n in range(64))
    + "".join(f"|qos map cos {n} to traffic-class {CLASSES[n]}" for n in range(8)),
    "nxos": r".* > (mtu 1500|speed auto|fec auto|flowcontrol \S+ off)|system qos",
    "nvue": r"interface \S+ link (mtu: 9216|state up)",
}


def written_out(case: Case, statement: str) -> bool:
    return re.fullmatch(WRITTEN_OUT[case.platform], statement) is not None


def by_hand(path: Path) -> Case:
    said = BY_HAND[path.name]
    return case_of(path, said["ports"], said["vlans"], said.get("asic"))


def param(path: Path, maker: Callable[[Path], Case], how: str) -> Any:
    return pytest.param(maker(path), id=f"{path.stem} {how}")


CASES = [
    *(param(path, by_hand, "by hand") for path in OWN),
    *(param(path, drawn_up, "drawn up") for path in (*OWN, *OTHERS)),
]


@pytest.mark.parametrize("case", CASES)
def test_existing_device(case, tmp_path):
    with bench(case.platform, tmp_path, startup=case.text, data=case.data) as b:
        name = b.model.name
        assert b.lab.running(name) == case.text, "the emulator does not take the configuration as it is"

        check = b.plan()
        gathered = reading.statements(case.platform, as_printed(case, b.driver().dump(check.before)))
        ours = whose(case)
        said = {s for s in reading.statements(case.platform, case.text) if ours.fullmatch(s)}
        assert [s for s in said - gathered if not written_out(case, s)] == [], "gathered lacks what is there"
        assert [s for s in gathered - said if not ours.fullmatch(s)] == [], "gathered has what is not ours"

        first = b.converge()
        assert first.applied
        assert first.change == check.change
        converged = b.lab.running(name)
        theirs = of_others(case, case.text), of_others(case, converged)
        assert list(unified_diff(*theirs, n=0)) == [], "lines of others changed"
        unforeseen = reading.unforeseen(case.platform, first.change.diffs, case.text, converged)
        assert [u for u in unforeseen if not written_out(case, u.removeprefix("done, not announced: -"))] == []
        assert not b.plan().change
        assert b.lab.leftovers(name) == []

        remembered = b.driver().dump(first.before)
        _, transaction = b.transaction()
        undone = transaction.bring_to(lambda driver: driver.load(remembered), permit=lambda change: None)
        assert undone.applied
        assert list(unified_diff(case.text.splitlines(), b.lab.running(name).splitlines(), n=0)) == []
        assert b.lab.leftovers(name) == []


def as_printed(case: Case, dump: str) -> str:
    return "- set:\n" + "".join(f"    {line}\n" for line in dump.splitlines()) if case.platform == "nvue" else dump
