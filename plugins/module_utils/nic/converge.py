# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring one NIC to its settings: read everything, compare, write what differs, read back. Ansible and boot share it."""

from __future__ import annotations

from ansible_collections.lossless.fabric.plugins.module_utils.nic import device, settings
from ansible_collections.lossless.fabric.plugins.module_utils.nic.congestion import InboxCongestion, OfedCongestion
from ansible_collections.lossless.fabric.plugins.module_utils.nic.dcb import Dcb
from ansible_collections.lossless.fabric.plugins.module_utils.nic.mlnx_qos import MlnxQos
from ansible_collections.lossless.fabric.plugins.module_utils.nic.pause import Pause
from ansible_collections.lossless.fabric.plugins.module_utils.nic.rdma import Rdma
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem, Unsupported

FLAPS = {"mlx5_core": ("pfc",)}  # mlx5_toggle_port_link in Linux mlx5/core/en_dcbnl.c
CELL = 128  # bytes of a mlx5 buffer cell


class Options:
    """What a caller allows and expects."""

    def __init__(self, check=False, backend="auto", drivers=("mlx5_core",), required=settings.REQUIRED, **other):
        self.check, self.backend, self.drivers, self.required = check, backend, tuple(drivers), tuple(required)
        self.allow_link_flap = other.get("allow_link_flap", False)
        self.firmware = other.get("firmware", True)


class Outcome:
    """What was found, done and could not be done on one NIC."""

    def __init__(self, name, nic):
        self.name, self.nic = name, nic
        self.backend, self.skipped = None, None
        self.refused = False  # nothing was written, because a part is not possible or not allowed
        self.settings, self.unsupported, self.findings, self.pending = {}, [], [], []

    def find(self, severity, key, expected, actual, where, remedy):
        self.findings.append(
            {
                "nic": self.name,
                "severity": severity,
                "key": key,
                "expected": expected,
                "actual": actual,
                "where": where,
                "remedy": remedy,
            }
        )

    @property
    def changed(self):
        return any(entry["changed"] for entry in self.settings.values())

    @property
    def errors(self):
        return [finding for finding in self.findings if finding["severity"] == "error"]

    def facts(self):
        return {
            **self.nic.facts(),
            "backend": self.backend,
            "skipped": self.skipped,
            "changed": self.changed,
            "settings": self.settings,
            "unsupported": self.unsupported,
            "pending_reset": self.pending,
        }


def sources(system, nic, options):
    """Who reads and writes which settings on this NIC, and the name of the back end."""
    base = f"/sys/class/net/{nic.interface}"
    ofed = system.exists(f"{base}/ecn") or system.exists(f"{base}/qos")
    backend = options.backend if options.backend != "auto" else ("ofed" if ofed else "inbox")
    prefer = (MlnxQos, Dcb) if backend == "ofed" else (Dcb, MlnxQos)
    installed = [cls for cls in prefer if system.tool(cls.name)] or [prefer[0]]
    if options.backend != "auto":
        installed = [prefer[0]]
    congestion = OfedCongestion(system, nic) if backend == "ofed" else InboxCongestion(system, nic, options.firmware)
    found = [installed[0](system, nic), Pause(system, nic), congestion]
    found.append(Rdma(system, nic, may_load=not options.check))
    return backend, found


def converge(system, name, given, wanted, options):
    """Bring the NIC to its settings, or with check tell what would be done."""
    nic = device.find(system, given)
    outcome = Outcome(name, nic)
    if nic.link_layer == "InfiniBand":
        outcome.skipped = "the link layer is InfiniBand, which is lossless by itself; RoCE settings do not apply"
        return outcome
    refusal = device.refusal(nic, options.drivers)
    if refusal:
        expected, actual, remedy = refusal
        outcome.find("error", "nic", expected, actual, given, remedy)
        outcome.refused = True
        return outcome
    outcome.backend, found = sources(system, nic, options)
    for source in found:
        source.wanted = tuple(wanted)
    values, owner = read(found, wanted)
    _compare(outcome, wanted, values, owner, options)
    _conflicts(system, outcome, found, values)
    differing = [key for key in settings.ordered(wanted) if outcome.settings.get(key, {}).get("changed")]
    if not _allowed(system, outcome, differing, options) or options.check:
        _pending(outcome, found)
        _buffer(system, outcome, found, values, wanted)
        return outcome
    written = _write(outcome, differing, wanted, values, owner)
    if differing:
        values.update(read([s for s in found if set(s.keys) & set(differing)], wanted)[0])
        _verify(outcome, written, wanted, values, owner)
    _pending(outcome, found)
    _buffer(system, outcome, found, values, wanted)
    return outcome


def read(found, wanted):
    """Values of the wanted settings, or why they are not told, and who told them."""
    values, owner = {}, {}
    for source in found:
        mine = [key for key in source.keys if key in wanted]
        if not mine:
            continue
        try:
            told = source.read()
        except Unsupported as lack:
            told = dict.fromkeys(mine, lack)
        except Problem as problem:
            told = dict.fromkeys(mine, Unsupported(f"{problem.where}: {problem.actual}", problem.remedy))
        for key in mine:
            values[key] = told.get(key, Unsupported(f"{source.name} tells nothing about it", "update the tool"))
            owner[key] = source
    return values, owner


def _compare(outcome, wanted, values, owner, options):
    for key in settings.ordered(wanted):
        value = values[key]
        if isinstance(value, Unsupported):
            lack = {
                "nic": outcome.name,
                "key": key,
                "wanted": wanted[key],
                "reason": value.reason,
                "remedy": value.remedy,
            }
            outcome.unsupported.append(lack)
            if key in options.required:
                outcome.find(
                    "error",
                    key,
                    settings.brief(key, wanted[key]),
                    f"not possible: {value.reason}",
                    outcome.nic.interface,
                    value.remedy,
                )
            continue
        before, after = settings.shown(key, wanted[key], value)
        outcome.settings[key] = {
            "before": before,
            "after": after,
            "changed": not settings.same(key, wanted[key], value),
            "by": owner[key].name,
        }


def _allowed(system, outcome, differing, options):
    """A NIC that cannot be made lossless, or would drop its link without consent, is left alone as a whole."""
    flaps = [key for key in differing if key in FLAPS.get(outcome.nic.driver, ())]
    if flaps and not options.allow_link_flap and device.carrier(system, outcome.nic):
        entry = outcome.settings[flaps[0]]
        outcome.find(
            "error",
            flaps[0],
            f"{entry['after']}",
            f"{entry['before']}; the change drops the link for a moment and nothing was written",
            outcome.nic.interface,
            "allow it with allow_link_flap when no job uses the NIC",
        )
    if not outcome.errors:
        return True
    outcome.refused = True
    for entry in outcome.settings.values():
        entry["changed"] = False
    return False


def _write(outcome, differing, wanted, values, owner):
    written = []
    for key in differing:
        try:
            owner[key].write(key, wanted[key], values[key])
            written.append(key)
        except (Problem, Unsupported) as problem:
            outcome.settings[key]["changed"] = False
            actual = problem.actual if isinstance(problem, Problem) else problem.reason
            where = problem.where if isinstance(problem, Problem) else outcome.nic.interface
            outcome.find(
                "error", key, settings.brief(key, wanted[key]), f"not written: {actual}", where, problem.remedy
            )
    return written


def _verify(outcome, written, wanted, values, owner):
    for key in written:
        value = values[key]
        if isinstance(value, Unsupported):
            outcome.find(
                "error",
                key,
                settings.brief(key, wanted[key]),
                value.reason,
                f"{owner[key].name}, read back",
                value.remedy,
            )
        elif not settings.same(key, wanted[key], value):
            before, after = settings.shown(key, wanted[key], value)
            outcome.find(
                "error",
                key,
                after,
                before,
                f"{outcome.nic.interface}, read back through {owner[key].name}",
                "see the kernel log, and whether lldpad or the firmware's DCBX writes too",
            )


def _conflicts(system, outcome, found, values):
    """Others that may write the same settings."""
    interface = outcome.nic.interface
    if any(system.read(f"/proc/{pid}/comm") == "lldpad" for pid in system.names("/proc") if pid.isdigit()):
        outcome.find(
            "warning",
            "lldpad",
            "no lldpad",
            "lldpad runs and may write PFC, ETS and DSCP map over ours",
            interface,
            "systemctl disable --now lldpad.service lldpad.socket, and use lldpd for LLDP",
        )
    ets = found[0].details.get("ets") if found[0].name == "dcb" else None
    if ets and ets.get("willing"):
        outcome.find(
            "warning",
            "dcbx_willing",
            "willing off",
            "willing on: the switch may write ETS and PFC over ours",
            interface,
            "dcb ets set dev IF willing off, and DCBX_WILLING off in the firmware",
        )
    if found[0].name == "dcb" and found[0].details.get("dcbx", {}).get("lld_managed"):
        outcome.find(
            "warning",
            "dcbx",
            "host",
            "lld-managed: an agent of the host writes DCB",
            interface,
            "stop the agent (lldpad)",
        )


def _pending(outcome, found):
    congestion = found[2]
    if isinstance(congestion, InboxCongestion):
        outcome.pending = congestion.pending()
    for entry in outcome.pending:
        outcome.find(
            "warning",
            entry["name"],
            entry["next"],
            f"{entry['current']} until the NIC is reset",
            outcome.nic.pci,
            "reset the NIC's firmware with the nic_firmware role, or boot cold",
        )


def _buffer(system, outcome, found, values, wanted):
    """Whether the receive buffer of the lossless priority holds what arrives after PAUSE, by the driver's own sum."""
    details = found[0].details
    details = details.get("buffer", details)
    sizes = details.get("buffer_size")
    table = details.get("priority_to_buffer", details.get("prio_buffer"))
    speed = system.read(f"/sys/class/net/{outcome.nic.interface}/speed") or ""
    mtu = system.read(f"/sys/class/net/{outcome.nic.interface}/mtu") or ""
    length = wanted.get("cable_length")
    if not sizes or not table or not length or not speed.isdigit() or not mtu.isdigit():
        return
    need = least_buffer(int(speed), length, int(mtu))
    for priority in wanted["pfc"]:
        size = sizes[table[priority]]
        if size and size < need:
            outcome.find(
                "warning",
                "buffer_size",
                f"at least {need} bytes for {length} m at {speed} Mb/s and MTU {mtu}",
                f"{size} bytes in buffer {table[priority]} of priority {priority}",
                outcome.nic.interface,
                "set buffer_size and priority_to_buffer of this NIC",
            )


def least_buffer(speed, length, mtu):
    """Smallest lossless buffer that mlx5 accepts (Linux mlx5/core/en/port_buffer.c); slower than 40G counts as 40G."""
    counted = max(speed, 40000)
    xoff = (301 + 216 * length // 100) * counted // 1000 + 272 * mtu // 100
    return xoff + max(mtu, 9216) + CELL
