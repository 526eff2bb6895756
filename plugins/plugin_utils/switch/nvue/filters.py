# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the NVUE templates need beyond Jinja2: words of the two dialects, units, maps, profiles."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Port, Roce, Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import SwitchError

Release = tuple[int, int] | None

# Bytes of a priority's own buffer at which the switch sends a pause, and how far below it sends the resume, when the
# model gives the headroom: NVIDIA's example values. The headroom comes on top of the first.
XOFF_THRESHOLD = 10000
XON_THRESHOLD = 2000

_FEC = {"rs": "rs", "fc": "baser", "none": "off"}


@dataclass(frozen=True)
class PfcProfile:
    """One ``qos pfc`` object: ports with cables of one length."""

    name: str
    cable_length: int
    port_buffer: int | None
    xoff_threshold: int = XOFF_THRESHOLD
    xon_threshold: int = XON_THRESHOLD


def is_new(release: Release) -> bool:
    """Whether the release speaks the dialect of Cumulus Linux 5.15 and later. None: the newest."""
    return release is None or release >= (5, 15)


def has_lldp_state(release: Release) -> bool:
    """LLDP can be switched off through NVUE since Cumulus Linux 5.11."""
    return release is None or release >= (5, 11)


def word(value: bool, release: Release) -> str:
    """On or off, in the word of the release, quoted: YAML 1.1 would read a bare ``on`` as true."""
    words = ("enabled", "disabled") if is_new(release) else ("on", "off")
    return f"'{words[0] if value else words[1]}'"


def speed(value: int) -> str:
    """400000 -> 400G."""
    return f"{value // 1000}G"


def fec(value: str) -> str:
    """Quoted: ``off`` is a boolean in YAML 1.1."""
    return f"'{_FEC[value]}'"


def quoted(value: str) -> str:
    """A YAML double-quoted string."""
    return json.dumps(value)


def dscp_map(roce: Roce) -> dict[int, int]:
    """All 64 DSCP values -> switch priority. Nothing is left to the switch's own map (DSCP / 8)."""
    default = next(c.priority for c in roce.classes if not c.dscp)
    named = {dscp: c.priority for c in roce.classes for dscp in c.dscp}
    return {dscp: named.get(dscp, default) for dscp in range(64)}


def pcp_map(roce: Roce) -> dict[int, int]:
    """All 8 PCP values -> switch priority."""
    default = next(c.priority for c in roce.classes if not c.dscp)
    named = {cos: c.priority for c in roce.classes for cos in c.cos}
    return {cos: named.get(cos, default) for cos in range(8)}


def pfc_profile(port: Port, profile: str) -> str:
    """The name says what is in it, so that a port with another cable does not rename the profile of the others."""
    return f"{profile}-{port.cable_length}m" + (f"-{port.headroom}" if port.headroom else "")


def pfc_profiles(switch: Switch) -> list[PfcProfile]:
    """One per cable length and headroom in use."""
    found = {
        pfc_profile(port, switch.roce.profile): PfcProfile(
            name=pfc_profile(port, switch.roce.profile),
            cable_length=port.cable_length,
            port_buffer=XOFF_THRESHOLD + port.headroom if port.headroom else None,
        )
        for port in switch.ports
        if port.lossless
    }
    return sorted(found.values(), key=lambda p: (p.cable_length, p.port_buffer or 0))


def robustness(roce: Roce) -> int:
    """How many polls a queue must be stuck."""
    if roce.pfc_watchdog.action != "drop":
        raise SwitchError(
            f"roce.pfc_watchdog.action: expected drop on Cumulus Linux, found {roce.pfc_watchdog.action}: its watchdog "
            "always drops what waits for a stuck queue. Set action: drop or enabled: false for these switches"
        )
    return roce.pfc_watchdog.detect_ms // roce.pfc_watchdog.poll_ms


def lldp_state(enabled: bool, release: Release) -> str | None:
    """The word for ``state``, or None where the release has no such key."""
    if has_lldp_state(release):
        return "'enabled'" if enabled else "'disabled'"
    if not enabled:
        raise SwitchError(
            f"lldp.enabled: expected true on Cumulus Linux {release[0]}.{release[1]}, found false: "  # type: ignore[index]
            "LLDP can be switched off through NVUE since 5.11 only. Set it to true or upgrade the switch"
        )
    return None


def members(switch: Switch) -> set[str]:
    """Ports whose bundle has the address, the VLANs and the state of the bridge."""
    return {m for b in switch.bonds for m in b.members} | set(switch.peer_link.ports if switch.peer_link else ())


def bundle(names: Sequence[str], switch: Switch, what: str) -> Port:
    """What a bundle has in common with each of its members."""
    ports = [p for p in switch.ports if p.name in names]
    first = ports[0]
    if first.mode == "routed":
        raise SwitchError(
            f"{what}: expected access or trunk as mode of its members on Cumulus Linux, found {first.name} routed. "
            "Change the mode, or run BGP over the single ports"
        )
    for port in ports:
        for key in ("enabled", "mtu", "speed", "mode", "vlan", "vlans", "native_vlan"):
            if getattr(port, key) != getattr(first, key):
                raise SwitchError(
                    f"{what}: expected the same {key} on all members, found {getattr(first, key)} on {first.name} and "
                    f"{getattr(port, key)} on {port.name}. Change one of them"
                )
    return first


def adaptive_ports(switch: Switch) -> list[str]:
    """Ports with adaptive routing: those towards neighbours, on Spectrum-4 and later; not 800G ports of Spectrum-4."""
    underlay, asic = switch.underlay, (switch.asic or "").lower()
    if underlay is None or not underlay.adaptive_routing or not re.fullmatch(r"spectrum-?[4-9]\w*", asic):
        return []
    ports = {p.name: p for p in switch.ports}
    slow = re.fullmatch(r"spectrum-?4\w*", asic) is not None
    return [n.port for n in underlay.neighbors if not (slow and ports[n.port].speed == 800000)]


FILTERS = {
    "members": members,
    "bundle": bundle,
    "adaptive_ports": adaptive_ports,
    "is_new": is_new,
    "word": word,
    "speed": speed,
    "fec": fec,
    "quoted": quoted,
    "dscp_map": dscp_map,
    "pcp_map": pcp_map,
    "pfc_profile": pfc_profile,
    "pfc_profiles": pfc_profiles,
    "robustness": robustness,
    "lldp_state": lldp_state,
}
