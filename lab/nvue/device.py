# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An emulated Cumulus Linux switch: the NVUE revisions and what they turn into.

What is told apart by release (see :mod:`lab.nvue.tables` for the object model):
the schema dialect at 5.15, auto-save on by default since 5.9, humanised counters and no ECN counter up to 5.10.

Known from documentation and public transcripts: commands, states, ``created [rev_id: N]``, ``applied_and_saved``,
``Invalid config [rev_id: N]``, schema messages, range compression, masking. Where NVIDIA documents no text, a stand-in
is used and marked STAND-IN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lab.device import Device, PortState
from lab.forwarding import SwitchForwarding
from lab.nvue import yamltext
from lab.nvue.bash import NvueShell
from lab.nvue.checks import problems
from lab.nvue.files import Files
from lab.nvue.schema import Invalid, Node, merged, minor, normalise, schema
from lab.nvue.tree import Tree, at, at_map, compressed, difference, masked, overlap, patched, removed

if TYPE_CHECKING:
    from lab.exchange import Speaker

_PARTS = {"2x": 2, "4x": 4, "8x": 8}  # any other word (disabled, loopback) leaves no port


class NvueError(Exception):
    """A command failed; the message is what the user sees."""


@dataclass
class Revision:
    """One configuration with its history."""

    number: int
    tree: Tree
    base: Tree  # the applied configuration it started from
    user: str
    state: str = "pending"
    message: str = ""
    issues: list[str] = field(default_factory=list)
    applied_at: float | None = None
    parent: int | None = None  # what was applied before


@dataclass
class Confirmation:
    """An apply that rolls back unless it is confirmed in time."""

    revision: Revision
    before: Tree
    before_number: int | None
    deadline: float


class NvueDevice(Device):
    """One switch."""

    platform = "nvue"
    mtu_default = 9216

    def __init__(self, name: str, ports: list[str], *, clock: Callable[[], float], release: str | None = None) -> None:
        super().__init__(name, ports, clock=clock, release=release or "5.14.0")
        self.minor = minor(self.release)
        self.old = self.minor <= 14
        self.model: Node = schema(self.minor)
        self.booted = clock()
        self.header: Tree = self._header()
        self.applied = {}
        self.saved: Tree = {}
        self.applied_number: int | None = None
        self.revisions: dict[int, Revision] = {}
        self.attached: dict[str, int] = {}  # user -> revision that the user works on
        self.confirmation: Confirmation | None = None
        self.next_number = 1
        self.files = Files(self)
        self.cleared: dict[tuple[str, str], Any] = {}
        self.load(self.factory())

    # -- contract ----------------------------------------------------------------------------------------------
    def shell(self, user: str) -> NvueShell:
        return NvueShell(self, user)

    def load(self, text: str) -> None:
        """Boot with this startup.yaml (list form), or with a plain tree. What the schema does not know is kept."""
        document = yamltext.load(text)
        tree: Tree = {}
        self.header = self._header()
        if isinstance(document, list):
            for operation in document:
                for verb, content in (operation or {}).items():
                    if verb == "header":
                        self.header = {**content, "version": self.header["version"]}
                    elif verb == "set":
                        tree = merged(tree, self._known(content or {}))
                    else:
                        raise ValueError(f"{self.name}: startup.yaml holds {verb!r}, expected header and set")
        elif isinstance(document, dict):
            tree = self._known(document)
        elif document is not None:
            raise ValueError(f"{self.name}: a configuration is a list or a mapping, not {type(document).__name__}")
        self.applied = self.saved = tree
        self.applied_number = None
        self.revisions.clear()
        self.attached.clear()
        self.confirmation = None
        self.next_number = 1

    def running(self) -> str:
        return self.yaml(self.applied)

    def startup(self) -> str:
        return self.yaml(self.saved)

    def leftovers(self) -> list[str]:
        kept = [
            f"revision {r.number} ({r.state}) of {r.user}"
            for r in self.revisions.values()
            if r.state in ("pending", "detached", "invalid", "confirm")
        ]
        return kept + [f"file {name}" for name in self.files.temporary()]

    def configuration(self) -> Tree:
        return self.applied  # a change makes another tree

    def forwarding(self, ports: list[str]) -> SwitchForwarding:
        from lab.nvue.forwarding import forwarding  # it needs this module

        return forwarding(self, ports)

    def speaker(self) -> Speaker | None:
        from lab.nvue.speaker import speaker  # it needs this module

        return speaker(self)

    def tick(self) -> None:
        if self.confirmation and self.clock() >= self.confirmation.deadline:
            self._roll_back("confirm_fail")

    @property
    def system_mac(self) -> str:
        return mac_of(self.name)

    # -- configuration -----------------------------------------------------------------------------------------
    def state(self, name: str) -> PortState:
        """State of an interface; of lo, eth0 and SVIs nothing is counted."""
        return self.ports.get(name) or PortState()

    @property
    def applied(self) -> Tree:
        """The configuration in force. It decides which ports there are: those that the breakouts in it leave."""
        return self._applied

    @applied.setter
    def applied(self, tree: Tree) -> None:
        self._applied = tree
        fronts: dict[str, list[str]] = {}
        for port in self.unsplit:
            for word in at_map(tree, ("interface", port, "link", "breakout")):
                fronts[port] = [port] if word == "1x" else [f"{port}s{n}" for n in range(_PARTS.get(word, 0))]
        self.split(fronts)

    def _header(self) -> Tree:
        return {
            "model": "SN5600",
            "nvue-api-version": "nvue_v1",
            "rev-id": 1.0,
            "version": f"Cumulus Linux {self.release}",
        }

    def _known(self, tree: Tree) -> Tree:
        """Ranges expanded and keys as strings where the schema knows the place; everything else verbatim."""
        out: Tree = {}
        for name, below in tree.items():
            try:
                out |= normalise(self.model, {name: below})
            except Invalid:
                out[str(name)] = self._tolerant(self.model.child(str(name)), below)
        return out

    def _tolerant(self, node: Node | None, tree: Any) -> Any:
        if not isinstance(tree, dict):
            return tree
        out: Tree = {}
        for name, below in tree.items():
            child = node.child(str(name)) if node else None
            try:
                if node is None:
                    raise Invalid((), "")
                part = normalise(node, {name: below})
            except Invalid:
                part = {str(name): self._tolerant(child, {} if below is None else below)}
            for key, value in part.items():
                both = isinstance(out.get(key), dict) and isinstance(value, dict)
                out[key] = {**out[key], **value} if both else value
        return out

    def yaml(self, tree: Tree, *, secrets: bool = False) -> str:
        """As ``nv config show`` prints it, or as startup.yaml holds it."""
        shown = compressed(tree if secrets else masked(tree))
        return yamltext.dump([{"header": self.header}, {"set": shown}])

    @property
    def hostname(self) -> str:
        return at(self.applied, ("system", "hostname")) or "cumulus"

    @property
    def auto_save(self) -> bool:
        setting = at_map(self.applied, ("system", "config", "auto-save"))
        word = setting.get("enable", setting.get("state"))
        return word in ("on", "enabled") if word is not None else _release_has_auto_save(self.release)

    # -- revisions ---------------------------------------------------------------------------------------------
    def find(self, name: str, user: str) -> Tree:
        """The configuration of a named or numbered revision."""
        if name in ("applied", "operational"):
            return self.applied
        if name == "startup":
            return self.saved
        if name == "empty":
            return {}
        if name == "pending":
            pending = self.pending(user)
            return pending.tree if pending else self.applied
        return self.numbered(name).tree

    def numbered(self, name: str) -> Revision:
        revision = self.revisions.get(int(name)) if name.isdigit() else None
        if revision is None:
            raise NvueError(f"Error: Unknown revision: {name}")
        return revision

    def pending(self, user: str) -> Revision | None:
        number = self.attached.get(user)
        return self.revisions.get(number) if number is not None else None

    def open_revision(self, user: str, command: str) -> tuple[Revision, str]:
        """The revision the user works on, made if there is none, and the line that says so."""
        pending = self.pending(user)
        if pending:
            return pending, ""
        return self.new_revision(user, self.applied, command)

    def new_revision(self, user: str, tree: Tree, command: str) -> tuple[Revision, str]:
        if self.fault("sessions-full", command):
            # STAND-IN: NVUE keeps 100 revisions and deletes old ones by itself; this is what a full disk would do.
            raise NvueError("Error: Maximum number of revisions reached.")
        revision = Revision(self.next_number, tree, self.applied, user, parent=self.applied_number)
        self.next_number += 1
        self.revisions[revision.number] = revision
        self.attached[user] = revision.number
        return revision, f"created [rev_id: {revision.number}]"

    def change(self, user: str, unset: Tree, wanted: Tree, command: str) -> str:
        """Patch the pending revision. Both trees are normalised; nothing changes when this raises."""
        both = overlap(unset, wanted)
        if both:
            # STAND-IN for the documented "does not support both unset and set commands for the same object".
            raise NvueError(f"Error: Both unset and set of '{'.'.join(both)}' in a single patch are not supported.")
        revision, said = self.open_revision(user, command)
        tree = removed(self.model, revision.tree, unset)
        revision.tree = patched(self.model, tree, wanted, old=self.old) if wanted else tree
        revision.state = "pending"
        return said

    def apply(self, user: str, revision: Revision, *, confirm: float | None, message: str, command: str) -> str:
        """Bring a revision into force. Returns the last line NVUE prints."""
        self.check_lock(command)
        number = revision.number
        refused = self.fault("refuse", command)
        if refused:
            revision.state, revision.issues = "invalid", ["Config invalid at qos: refused by the switch"]
        else:
            tree = self._rebased(revision)
            revision.issues = [f"Config invalid at {p}" for p in problems(tree, old=self.old)]
            revision.state = "invalid" if revision.issues else revision.state
        if revision.issues:
            raise NvueError("\n".join([f"Invalid config [rev_id: {number}]", *(f"  {i}" for i in revision.issues)]))
        before, before_number = self.applied, self.applied_number
        revision.parent = before_number
        revision.tree = self.applied = tree
        revision.applied_at = self.clock()
        revision.message = message or f"Config update by {user}"
        self.applied_number = number
        for other, attached in list(self.attached.items()):
            if attached == number:
                del self.attached[other]
        if confirm is not None:
            self.confirmation = Confirmation(revision, before, before_number, self.clock() + confirm)
            revision.state = "confirm"
        else:
            self._settle(revision)
        return f"{revision.state} [rev_id: {number}]"

    def _rebased(self, revision: Revision) -> Tree:
        """A pending revision is a change of what it started from; one that was applied before is a whole state."""
        if revision.applied_at is not None or revision.base is self.applied:
            return revision.tree
        unset, wanted = difference(revision.base, revision.tree)
        return patched(self.model, removed(self.model, self.applied, unset), wanted, old=self.old)

    def _settle(self, revision: Revision) -> None:
        if self.auto_save:
            self.saved = self.applied
        revision.state = "applied_and_saved" if self.auto_save else "applied"

    def check_lock(self, command: str) -> None:
        if self.fault("locked", command):
            # STAND-IN: the text for an apply of somebody else that is under way.
            raise NvueError("Error: Another apply is in progress [rev_id: 9001, user: admin]. Try again later.")
        if self.confirmation:
            busy = self.confirmation.revision
            raise NvueError(
                f"Error: Another apply is in progress [rev_id: {busy.number}, user: {busy.user}]: waiting for confirm."
            )

    def answer(self, revision: Revision, *, keep: bool) -> str:
        """``--confirm-yes`` or ``--confirm-no``."""
        if not self.confirmation or self.confirmation.revision is not revision:
            raise NvueError(f"Error: Unknown state: '{revision.state}'")
        if keep:
            self.confirmation = None
            self._settle(revision)
        else:
            self._roll_back("confirm_no")
        return f"{revision.state} [rev_id: {revision.number}]"

    def _roll_back(self, state: str) -> None:
        pending = self.confirmation
        self.confirmation = None
        self.applied, self.applied_number = pending.before, pending.before_number
        pending.revision.state = state

    def detach(self, user: str) -> Revision | None:
        revision = self.pending(user)
        if revision:
            del self.attached[user]
            revision.state = "detached"
        return revision

    def delete(self, name: str) -> None:
        revision = self.numbered(name)
        if revision.number == self.applied_number or (self.confirmation and revision in (self.confirmation.revision,)):
            raise NvueError(f"Error: Revision {name} is applied and cannot be deleted.")  # STAND-IN
        del self.revisions[revision.number]
        for user, number in list(self.attached.items()):
            if number == revision.number:
                del self.attached[user]

    # -- factory -----------------------------------------------------------------------------------------------
    def factory(self) -> str:
        """A switch that was unpacked, given a name and an address, and has a few things of its own."""
        toggle = "on" if self.old else "enabled"
        eth0: Tree = {"type": "eth"}
        if self.old:
            eth0["ip"] = {"address": {"dhcp": {}}, "vrf": "mgmt"}
        else:
            eth0 |= {"ipv4": {"dhcp-client": {"state": "enabled"}}, "vrf": "mgmt"}
        rule = {
            "10": {"action": {"permit": {}}, "match": {"ip": {"source-ip": "192.0.2.0/24"}}},
            "20": {"action": {"deny": {}}},
        }
        cumulus: Tree = {
            "full-name": "cumulus,,,",
            "hashed-password": "$6$emulated$bm90LWEtcmVhbC1oYXNoLW9mLWFueS1wYXNzd29yZA",
            "role": "system-admin",
        }
        system: Tree = {"aaa": {"user": {"cumulus": cumulus}}, "hostname": self.name}
        servers = {"0.pool.ntp.org": {"iburst": toggle}, "1.pool.ntp.org": {"iburst": toggle}}
        tree: Tree = {
            "acl": {"acl-site": {"rule": rule, "type": "ipv4"}},
            "bridge": {"domain": {"br_default": {"vlan": {"999": {}}}}},
            "interface": {"eth0": eth0, "lo": {"type": "loopback"}},
            "system": system,
            "vrf": {"mgmt": {"table": "auto"}},
        }
        if self.old:
            tree["service"] = {"ntp": {"mgmt": {"server": servers}}}
            system["timezone"] = "Etc/UTC"
        else:
            system["ntp"] = {"server": servers, "vrf": "mgmt"}
            system["date-time"] = {"timezone": "Etc/UTC"}
        return yamltext.dump([{"header": self.header}, {"set": tree}])


def mac_of(name: str) -> str:
    """A MAC address that stays the same for the same name."""
    number = sum((i + 1) * ord(c) for i, c in enumerate(name)) & 0xFFFFFF
    return "48:b0:2d:" + ":".join(f"{number >> shift & 0xFF:02x}" for shift in (16, 8, 0))


def _release_has_auto_save(release: str | None) -> bool:
    parts = (release or "5.18").split(".")
    return len(parts) < 2 or not parts[1].isdigit() or int(parts[1]) >= 9
