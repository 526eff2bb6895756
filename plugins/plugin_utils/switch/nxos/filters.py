# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of the NX-OS templates: units, built-in class names, and what NX-OS cannot express.

A value that the platform does not take is an error here, before a switch is contacted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import ModelError, Problem, expected
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos import bundles, dlb, routing

if TYPE_CHECKING:
    from ansible_collections.lossless.fabric.plugins.plugin_utils.model.breakout import Breakout
    from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import (
        Ecn,
        Lldp,
        PfcWatchdog,
        Port,
        TrafficClass,
    )

CELL = 208  # bytes; Cloud Scale buffers are cut in cells of this size
PAUSE_THRESHOLD = 60 * CELL  # bytes of an ingress queue at which pause frames start when its buffer is set by hand

UNITS = {"bytes": 1, "kbytes": 1000, "mbytes": 1000000}  # decimal: docs/platforms/nxos.md says why
NAME_LIMIT = 40  # characters of a class-map or policy-map name


def _error(path: str, what: str, found: object, todo: str) -> ModelError:
    return ModelError([Problem("NX-OS", None, f"switch.{path}", expected(what, found, todo))])


def network_class(queue: int) -> str:
    """Built-in class of a network-qos policy (8-queue template)."""
    return f"c-8q-nq{queue}" if queue else "c-8q-nq-default"


def egress_class(queue: int) -> str:
    """Built-in class of an output queuing policy (8-queue template)."""
    return f"c-out-8q-q{queue}" if queue else "c-out-8q-q-default"


def ingress_class(queue: int) -> str:
    """Built-in class of an input queuing policy."""
    return f"c-in-q{queue}" if queue else "c-in-q-default"


def class_map(cls: TrafficClass, profile: str) -> str:
    """Name of the class-map of one class."""
    name = f"{profile}-{cls.name}"
    if len(name) > NAME_LIMIT:
        raise _error(
            "roce", f"a class-map name of at most {NAME_LIMIT} characters", name, "shorten the name of profile or class"
        )
    return name


def class_match(cls: TrafficClass, trust: str) -> str:
    """What a class-map matches: ``dscp 26`` or ``cos 3``."""
    values = cls.dscp if trust == "dscp" else cls.cos
    if not values:
        raise _error(f"roce.classes.{cls.name}.{trust}", f"values, as trust is {trust}", [], f"add {trust}: [...]")
    return f"{trust} {id_ranges(values)}"


def priority_level(cls: TrafficClass, classes: Sequence[TrafficClass]) -> int:
    """Strict queues are served from the highest number down: that one is level 1."""
    strict = sorted((c.queue for c in classes if c.scheduler.type == "strict"), reverse=True)
    return strict.index(cls.queue) + 1


def threshold_unit(*values: int) -> str:
    """The largest unit that says all values exactly."""
    return "kbytes" if all(value % 1000 == 0 for value in values) else "bytes"


def random_detect_line(low: int, high: int, probability: int, tail: str = "weight 0 ecn") -> str:
    """WRED line for thresholds in bytes: exact, never rounded."""
    unit = threshold_unit(low, high)
    low, high = low // UNITS[unit], high // UNITS[unit]
    return (
        f"random-detect minimum-threshold {low} {unit} maximum-threshold {high} {unit} "
        f"drop-probability {probability} {tail}"
    )


def random_detect(ecn: Ecn) -> str:
    """WRED in marking mode."""
    return random_detect_line(ecn.min, ecn.max, ecn.probability)


def to_cells(value: int) -> int:
    """Bytes of headroom rounded up to whole buffer cells."""
    return -(-value // CELL) * CELL


def headrooms(ports: Iterable[Port]) -> list[int]:
    """The headroom sizes in use, in whole cells."""
    return sorted({to_cells(port.headroom) for port in ports if port.headroom and port.lossless})


def pause_buffer(headroom: int) -> str:
    """Ingress buffer of a no-drop queue: what lies between the pause threshold and its end is headroom."""
    return (
        f"pause buffer-size {PAUSE_THRESHOLD + headroom} pause-threshold {PAUSE_THRESHOLD} "
        f"resume-threshold {PAUSE_THRESHOLD}"
    )


def _multiple(wd: PfcWatchdog, name: str, limit: int, line: str) -> int:
    value = getattr(wd, name)
    count = value // wd.poll_ms
    if count > limit:
        raise _error(
            f"roce.pfc_watchdog.{name}",
            f"at most {limit} times poll_ms {wd.poll_ms} ({line})",
            value,
            f"lower it to {limit * wd.poll_ms} or raise poll_ms",
        )
    return count


def shutdown_multiplier(wd: PfcWatchdog) -> int:
    """Polls until a queue counts as stuck."""
    return _multiple(wd, "detect_ms", 10, "priority-flow-control watch-dog shutdown-multiplier 1-10")


def restore_multiplier(wd: PfcWatchdog) -> int:
    """Polls without pause frames until a queue is restored."""
    return _multiple(wd, "restore_ms", 100, "priority-flow-control auto-restore multiplier 0-100")


def id_ranges(values: Iterable[int]) -> str:
    """``1,10-12``: sorted, two and more neighbours as a range, as NX-OS prints them."""
    runs: list[list[int]] = []
    for value in sorted(set(values)):
        if runs and value == runs[-1][1] + 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def expand_ids(text: str) -> list[int]:
    """Inverse of :func:`id_ranges`."""
    values: list[int] = []
    for part in re.split(r"[,\s]+", text.strip()):
        if part and part != "none":
            low, _, high = part.partition("-")
            values += range(int(low), int(high or low) + 1)
    return values


def fec(value: str | None) -> str:
    """Word of the ``fec`` command."""
    return {None: "auto", "rs": "rs-fec", "fc": "fc-fec", "none": "off"}[value]


def lldp_holdtime(lldp: Lldp) -> int:
    """Seconds that neighbours remember us."""
    seconds = lldp.interval * lldp.hold_multiplier
    if not 10 <= seconds <= 255:
        raise _error(
            "lldp",
            "interval times hold_multiplier from 10 to 255 s",
            f"{lldp.interval} * {lldp.hold_multiplier} = {seconds}",
            "change one of them",
        )
    return seconds


def load_sharing(fields: Sequence[str]) -> str:
    """Fields of ``ip load-sharing address``. The IP protocol is always part of the hash."""
    both_ips = ("source-ip", "destination-ip")
    forms = {
        both_ips: "source-destination",
        (*both_ips, "source-port", "destination-port"): "source-destination port source-destination",
        ("destination-ip", "destination-port"): "destination port destination",
    }
    wanted = set(fields) - {"protocol"}
    for form, words in forms.items():
        if wanted == set(form):
            return words
    options = "; ".join(", ".join(form) for form in forms)
    raise _error("ecmp.hash", f"one of: {options}", ", ".join(sorted(wanted)), "NX-OS has no other hash")


def breakout_line(breakout: Breakout) -> str:
    """``interface breakout module 1 port 5 map 100g-4x``."""
    module, _, port = breakout.port.removeprefix("Ethernet").partition("/")
    speed = (breakout.speed or 0) // 1000  # the model has one
    return f"interface breakout module {module} port {port} map {speed}g-{breakout.parts}x"


FILTERS = {
    "dlb_ports": dlb.ports,
    "breakout": breakout_line,
    "bfd_timers": routing.bfd_timers,
    "bundles": bundles.bundles,
    "gateway_mtu": routing.gateway_mtu,
    "maximum_paths": routing.maximum_paths,
    "membership": bundles.membership,
    "peer_name": routing.peer_name,
    "prefix_match": routing.prefix_match,
    "class_map": class_map,
    "class_match": class_match,
    "egress_class": egress_class,
    "fec": fec,
    "headrooms": headrooms,
    "id_ranges": id_ranges,
    "ingress_class": ingress_class,
    "lldp_holdtime": lldp_holdtime,
    "load_sharing": load_sharing,
    "network_class": network_class,
    "pause_buffer": pause_buffer,
    "priority_level": priority_level,
    "random_detect": random_detect,
    "restore_multiplier": restore_multiplier,
    "shutdown_multiplier": shutdown_multiplier,
    "to_cells": to_cells,
}
