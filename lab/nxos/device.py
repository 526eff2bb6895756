# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The emulated Nexus 9000: its configuration, files, checkpoints and timers."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lab.device import Device, PortState
from lab.forwarding import SwitchForwarding
from lab.nxos import order, tree, values
from lab.nxos.factory import factory_text
from lab.nxos.tree import Node

if TYPE_CHECKING:
    from lab.exchange import Speaker

# Header lines that say when and how the configuration was printed; everything else belongs to the configuration.
VOLATILE = re.compile(
    r"!(Command:|Running configuration last done at:|Time:|Startup config saved at:|No configuration)"
)
# What a login sees first. Clients rely on it: ansible.netcommon.network_cli takes no first line for a prompt.
GREETING = "Cisco Nexus Operating System (NX-OS) Software\n"
MAX_CHECKPOINTS = 10
DEFAULT_SPEED = 400_000


@dataclass
class Checkpoint:
    """A copy of the running configuration."""

    text: str
    user: str
    at: float
    description: str = "None"
    system: bool = False  # made by the switch itself


@dataclass
class Job:
    """When a schedule runs, and how its last run went."""

    due: float | None
    user: str
    repeat: float = 0.0
    started: float | None = None
    ended: float | None = None
    count: int = 0
    ok: bool = True


@dataclass
class CommitTimer:
    """``configure replace ... commit-timeout``: what to go back to, and when."""

    due: float
    text: str
    user: str


class Port:
    """One interface as configured; reads the tree each time, so it is never stale."""

    def __init__(self, device: NxosDevice, name: str) -> None:
        self.device = device
        self.name = name
        self.kind = values.kind_of(name)
        found = device.config.sections(f"interface {name}")
        self.node: Node | None = found[0] if found else None
        self.lines = self.node.lines() if self.node else []

    @property
    def state(self) -> PortState:
        if self.kind == "port-channel":
            members = self.device.members(self.name)
            return PortState(link=any(member.oper_up for member in members))
        return self.device.ports.get(self.name) or PortState(link=True)

    @property
    def group(self) -> str | None:
        """The bundle that the port belongs to."""
        number = self.value("channel-group").split()
        return f"port-channel{number[0]}" if number else None

    def value(self, key: str, default: str = "") -> str:
        """What follows ``key`` on the first line that starts with it."""
        return next((line[len(key) + 1 :] for line in self.lines if line.startswith(key + " ")), default)

    @property
    def routed(self) -> bool:
        if self.kind not in ("Ethernet", "port-channel"):
            return True
        if "no switchport" in self.lines:
            return True
        if any(line == "switchport" or line.startswith("switchport ") for line in self.lines):
            return False
        return self.device.has("no system default switchport")

    @property
    def up_by_default(self) -> bool:
        if self.kind == "Ethernet":
            return not self.routed and not self.device.has("system default switchport shutdown")
        return self.kind != "Vlan"

    @property
    def admin_up(self) -> bool:
        if "no shutdown" in self.lines:
            return True
        return self.up_by_default and not any(line.startswith("shutdown") for line in self.lines)

    @property
    def oper_up(self) -> bool:
        return self.admin_up and self.state.link

    @property
    def mtu(self) -> int:
        return int(self.value("mtu", "1500"))

    @property
    def speed(self) -> int:
        """Mb/s."""
        if self.kind == "mgmt":
            return 1000
        configured = self.value("speed", "auto")
        return self.state.speed or (DEFAULT_SPEED if configured == "auto" else int(configured))

    @property
    def mode(self) -> str:
        return "routed" if self.routed else self.value("switchport mode", "access")

    @property
    def access_vlan(self) -> int:
        return int(self.value("switchport access vlan", "1"))

    @property
    def native_vlan(self) -> int:
        return int(self.value("switchport trunk native vlan", "1"))

    @property
    def allowed_vlans(self) -> list[int]:
        text = self.value("switchport trunk allowed vlan", "1-4094")
        return [] if text == "none" else values.expand(text, 1, 4094) or []

    @property
    def pfc_mode(self) -> str:
        return self.value("priority-flow-control mode", "auto").split()[0]


class NxosDevice(Device):
    """One emulated Nexus 9000."""

    platform = "nxos"
    mtu_default = 1500

    def __init__(self, name: str, ports: list[str], *, clock: Callable[[], float], release: str | None = None) -> None:
        super().__init__(name, ports, clock=clock, release=release or "10.4(3)F")
        self.booted = clock()
        # Clocks that count from an arbitrary point are taken to have started now.
        self._epoch = 0.0 if self.booted > 1e9 else time.time() - self.booted
        self.model = "Nexus9000 C9332D-GX2B Chassis"
        self.files: dict[str, str] = {}
        self.logfile: list[str] = []
        self.motd = GREETING
        self.load(self.factory())

    # -- contract ----------------------------------------------------------------------------------------------
    def factory(self) -> str:
        """A switch that was unpacked, named and given a management address, and has a few things of its own."""
        return factory_text(self.name, self.release, list(self.ports))

    def load(self, text: str) -> None:
        kept = text.split("\n")
        while kept and VOLATILE.match(kept[0]):
            del kept[0]
        self.config = tree.parse("\n".join(kept))
        version = next((n.text for n in self.config.children if n.text.startswith("version ")), "")
        if version and _release_key(version.split()[1]) != _release_key(self.release or ""):
            self.release = version.split()[1]
        self.arrange()
        for line in self.config.lines():
            name = line[len("interface ") :]
            if line.startswith("interface Ethernet") and name not in self.ports:
                self.ports[name] = PortState()
                self.unsplit.append(name)
        self.checkpoints: dict[str, Checkpoint] = {}
        self.jobs: dict[str, Job] = {}
        self.commit_timer: CommitTimer | None = None
        self.changed_at = self.clock()
        self._startup = self.running()
        self.booted_dlb = self.dlb()
        for schedule in self.schedules():
            self.jobs[schedule] = Job(self.due_as_printed(schedule), "admin")
        self._own = set(self._pending()) | {f"file bootflash:{name}" for name in self.files}

    def running(self) -> str:
        return self.config.render()

    def startup(self) -> str:
        return self._startup

    def shell(self, user: str):
        from lab.nxos.commands import NxosShell  # the commands need this module

        return NxosShell(self, user)

    def leftovers(self) -> list[str]:
        files = [f"file bootflash:{name}" for name in self.files]
        return sorted(name for name in [*self._pending(), *files] if name not in self._own)

    def _pending(self) -> list[str]:
        names = [f"checkpoint {name}" for name, c in self.checkpoints.items() if not c.system]
        names += [line for line in self.config.lines() if re.match(r"scheduler (job|schedule) name ", line)]
        if self.commit_timer:
            names.append("configure replace commit-timeout")
        return names

    def forwarding(self, ports: list[str]) -> SwitchForwarding:
        from lab.nxos.forwarding import forwarding  # it needs this module

        return forwarding(self, ports)

    def speaker(self) -> Speaker | None:
        from lab.nxos.speaker import speaker  # it needs this module

        return speaker(self)

    def tick(self) -> None:
        now = self.clock()
        if self.commit_timer and self.commit_timer.due <= now:
            timer, self.commit_timer = self.commit_timer, None
            self.restore(timer.text)
        for schedule in self.schedules():
            job = self.jobs.get(schedule)
            still_there = schedule in self.schedules()  # the job before may have removed it
            if job and still_there and job.due is not None and job.due <= now:
                self._run_schedule(schedule, job)
        self.jobs = {name: job for name, job in self.jobs.items() if name in self.schedules()}

    # -- configuration -----------------------------------------------------------------------------------------
    @property
    def major(self) -> int:
        found = re.match(r"\d+", self.release or "")
        return int(found[0]) if found else 10

    @property
    def hostname(self) -> str:
        lines = (line.split()[1] for line in self.config.lines() if re.match(r"(hostname|switchname) \S", line))
        return next(lines, self.name)

    def has(self, line: str) -> bool:
        return line in self.config.lines()

    def enabled(self, feature: str) -> bool:
        return self.has(f"feature {feature}")

    def value(self, key: str, default: str = "") -> str:
        """What follows ``key`` on a line of the top level."""
        return next((ln[len(key) + 1 :] for ln in self.config.lines() if ln.startswith(key + " ")), default)

    def restore(self, text: str) -> None:
        """Become this configuration; a feature that goes away leaves the platform's own checkpoint behind."""
        before = {line for line in self.config.lines() if line.startswith("feature ")}
        old = self.running()
        self.config = tree.parse(text)
        self.arrange()
        for line in sorted(before - set(self.config.lines())):
            self.feature_checkpoint(line[len("feature ") :], old)
        for schedule in self.schedules():
            due = self.due_as_printed(schedule)
            self.jobs.setdefault(schedule, Job(due if due and due > self.clock() else None, "admin"))
        self.touch()

    def feature_checkpoint(self, feature: str, text: str) -> None:
        name = f"system-fm-{feature.replace(' ', '_')}"
        self.checkpoints[name] = Checkpoint(text, "admin", self.clock(), "Created by Feature Manager.", system=True)

    def touch(self) -> None:
        self.changed_at = self.clock()

    def save(self) -> None:
        self._startup = self.running()

    def user_checkpoints(self) -> list[str]:
        return [name for name, c in self.checkpoints.items() if not c.system]

    def dlb(self) -> list[str]:
        """``hardware profile dlb`` as it is configured; what was there at boot is in force."""
        head = "hardware profile dlb"
        return [f"{head} ; {line}" for node in self.config.sections(head) for line in node.lines()]

    def breakouts(self) -> dict[str, str]:
        """Front port -> how it is split: ``100g-4x``."""
        result = {}
        for line in self.config.lines():
            found = re.fullmatch(r"interface breakout module (\d+) port (\S+) map (\S+)", line)
            for number in values.expand(found[2], 1, 128) or [] if found else []:
                result[f"Ethernet{found[1]}/{number}"] = found[3]
        return result

    def arrange(self) -> None:
        """The ports that the breakouts in force leave."""
        split = {
            front: [f"{front}/{n}" for n in range(1, int(word.partition("-")[2][0]) + 1)]
            for front, word in self.breakouts().items()
        }
        self.split(split)

    def port(self, name: str) -> Port:
        return Port(self, name)

    def members(self, bundle: str) -> list[Port]:
        """Ports of a bundle."""
        ports = (self.port(name) for name in self.interfaces("Ethernet"))
        return [port for port in ports if port.group == bundle]

    def interfaces(self, kind: str | None = None) -> list[str]:
        """Names of all interfaces, management first, as the switch lists them."""
        named = [line[len("interface ") :] for line in self.config.lines() if tree.is_interface(line)]
        rank = {"mgmt": 0, "Ethernet": 1, "port-channel": 2, "loopback": 3, "Vlan": 4}
        wanted = {n for n in [*named, *self.ports, "mgmt0"] if values.kind_of(n) == kind or kind is None}
        return sorted(wanted, key=lambda n: (rank.get(values.kind_of(n), 5), values.natural(n)))

    def vlans(self) -> list[int]:
        node = self.vlan_summary()
        return values.expand(node.text.split()[1], 1, 4094) if node else [1]

    def vlan_summary(self) -> Node | None:
        """The line that lists all VLANs; the blocks below it repeat single numbers."""
        found = [n for n in self.config.children if re.fullmatch(r"vlan [\d,-]+", n.text)]
        return found[0] if found and not found[0].children else None

    def insert_top(self, text: str) -> Node:
        return tree.insert(self.config, text, order.rank_top, blank_before=tree.is_interface(text))

    # -- quality of service in force ---------------------------------------------------------------------------
    def policy(self, kind: str, name: str) -> dict[str, list[str]]:
        """Classes of a policy map and their lines, in order; a policy may be printed in several pieces."""
        classes: dict[str, list[str]] = {}
        for node in self.config.sections(f"policy-map type {kind} {name}"):
            for child in node.children:
                if child.text.startswith("class "):
                    classes.setdefault(child.text.split()[-1], []).extend(child.lines())
        return classes

    def system_policy(self, kind: str) -> str:
        """Name of the policy attached to the system: kind is ``network-qos``, ``queuing output`` ..."""
        for node in self.config.sections("system qos"):
            for line in node.lines():
                if line.startswith(f"service-policy type {kind} "):
                    return line.split()[-1]
        defaults = {"network-qos": "default-8q-nq-policy", "queuing output": "default-8q-out-policy"}
        return defaults.get(kind, "")

    def lossless(self) -> dict[int, int]:
        """PFC priority -> qos-group of the network-qos policy in force."""
        found: dict[int, int] = {}
        for name, lines in self.policy("network-qos", self.system_policy("network-qos")).items():
            group = int(name[-1]) if name[-1].isdigit() else 0
            for line in lines:
                pause = re.match(r"pause .*?pfc-cos ([\d,-]+)", line)
                for cos in values.expand(pause[1], 0, 7) if pause else []:
                    found[cos] = group
        return found

    # -- timers ------------------------------------------------------------------------------------------------
    def schedules(self) -> list[str]:
        prefix = "scheduler schedule name "
        return [line[len(prefix) :] for line in self.config.lines() if line.startswith(prefix)]

    def due_as_printed(self, schedule: str) -> float | None:
        """Seconds of a ``time start yyyy:mm:dd:hh:mm`` line, as far as the switch can know it after a boot."""
        for node in self.config.sections(f"scheduler schedule name {schedule}"):
            for line in node.lines():
                found = re.match(r"time start (\d+):(\d+):(\d+):(\d+):(\d+)", line)
                if found:
                    return self.seconds(datetime(*(int(part) for part in found.groups()), tzinfo=UTC))
        return None

    def job_commands(self, job: str) -> list[str]:
        for node in self.config.sections(f"scheduler job name {job}"):
            return [line for line in node.lines() if line != "end-job"]
        return []

    def _run_schedule(self, schedule: str, job: Job) -> None:
        nodes = self.config.sections(f"scheduler schedule name {schedule}")
        names = [line.split()[-1] for node in nodes for line in node.lines() if line.startswith("job name ")]
        # Decide about the next run first: a job may remove its own schedule.
        job.due = job.due + job.repeat if job.repeat else None
        job.started = self.clock()
        job.count += 1
        job.ok = True
        for name in names:
            shell = self.shell(job.user)
            output: list[str] = []
            for command in self.job_commands(name):
                answer = shell.run(command)
                job.ok = job.ok and not re.search(r"(?im)^\s*(%|error)", answer)
                output.append(f"`{command}`\n{answer}".rstrip())
            shell.close()
            status = "Success (0)" if job.ok else "Failed (-1)"
            self.logfile.append(_log_entry(name, status, schedule, job.user, self.date(job.started), output))
        job.ended = self.clock()

    # -- dates -------------------------------------------------------------------------------------------------
    def date(self, seconds: float) -> str:
        """``Wed May 26 11:59:05 2021``."""
        return self.moment(seconds).strftime("%a %b %e %H:%M:%S %Y")

    def moment(self, seconds: float) -> datetime:
        """The date of a reading of the clock."""
        return datetime.fromtimestamp(seconds + self._epoch, UTC)

    def seconds(self, moment: datetime) -> float:
        """The reading of the clock at a date."""
        return moment.timestamp() - self._epoch


def _release_key(release: str) -> str:
    """10.4(3)F and 10.4(3) are the same release; the letter is not printed in the configuration."""
    return re.sub(r"[A-Z]$", "", release)


def _log_entry(job: str, status: str, schedule: str, user: str, at: str, output: list[str]) -> str:
    rule = "=" * 78
    head = f"Job Name       : {job:<32} Job Status: {status}\nSchedule Name  : {schedule:<32} User Name : {user}\n"
    return f"{head}Completion time: {at}\n{'-' * 34} Job Output {'-' * 34}\n" + "\n".join(output) + f"\n{rule}"
