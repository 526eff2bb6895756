# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the NVUE templates need beyond Jinja2: words of the two dialects, units, maps, profiles."""

from __future__ import annotations

import json
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


FILTERS = {
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
