# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run finds: everything is read and compared, nothing is written. apply.py does the rest."""

from __future__ import annotations

import json

from ansible_collections.lossless.fabric.plugins.module_utils.network import (
    discover,
    foreign,
    keyfile,
    live,
    manager,
    netplan,
    networkd,
    plan,
    sysctl,
)
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem

# The interfaces of the last run: what left the model since then is taken away.
STATE = "/etc/lossless-fabric/host-network.json"
FOLDERS = (networkd.FOLDER, netplan.FOLDER, keyfile.FOLDER, keyfile.SETTINGS.rpartition("/")[0])
ETHERNET = 1500


class Change:
    """The difference between plan, files and kernel."""

    def __init__(self, system, options):
        self.system, self.options = system, options
        self.findings = []
        names = options["names"]
        nics, others = discover.ethernet(system, options["nics"])
        for name, interface in others:
            text = "MTU, VLANs and addresses of InfiniBand belong to another configuration; nothing was done here"
            self.find("warning", "link_layer", "Ethernet", f"InfiniBand on {name}", interface, text)
        devices, waiting = discover.devices(system, nics, names, options["allow_rename"])
        for name, interface, pci in waiting:
            remedy = "allow it with host_network_allow_rename when no job uses the NIC: its link goes down for a moment"
            self.find("warning", "name", name, interface, pci, remedy)
        networks = options["networks"] if nics else []
        self.interfaces = plan.build(nics, devices, networks, options["first_table"])
        self.owned = plan.tables(options["first_table"])
        text = system.read(STATE)
        self.earlier = [plan.Interface(**entry) for entry in json.loads(text)["interfaces"]] if text else []
        self.manager = manager.detect(system, options["manager"])
        self.sysctl = sysctl.wanted(self.interfaces, options["neighbours"])
        for path, key, value in sysctl.overridden(system, self.sysctl):
            remedy = "remove the line: it wins over ours at boot"
            self.find("warning", key, self.sysctl[key], value, path, remedy)
        self.files = self._file_changes(self._foreign())
        self.live = live.Live.read(system) if options["apply"] else live.Live([], [], [])
        self.differences = self.compare(self.live) if options["apply"] else []
        self.settings = sysctl.differences(system, self.sysctl) if options["apply"] else {}
        self.made_again = [link for link in self.interfaces if self._is_misshapen(link)]
        self.touched = self._touched()
        self.gone = [link for link in self.earlier if link.name not in {one.live for one in self.interfaces}]
        needed = self.live.management(discover.session(), {link.name for link in self.earlier})
        self.at_risk = sorted({link.live for link in [*self.touched, *self.gone]} & needed)
        self._refuse()

    @property
    def needed(self):
        """Whether anything is to be done."""
        return bool(self.files or self.differences or self.settings)

    def find(self, severity, key, expected, actual, where, remedy):
        """Note a finding."""
        entry = {"severity": severity, "key": key, "expected": str(expected), "actual": str(actual)}
        self.findings.append({**entry, "where": where, "remedy": remedy})

    # -- files ------------------------------------------------------------------------------------------------------
    def _foreign(self):
        """Files of others: refused, or put aside if that is wanted and takes nothing from other interfaces."""
        renamed = self.options["names"] == "model"
        found = list(foreign.find(self.system, self.manager, self.interfaces, renamed))
        left = [entry for entry in found if not (self.options["take_over"] and entry.movable)]
        for entry in left:
            remedy = "remove it, or have it put aside with host_network_take_over"
            if not entry.movable:
                also = f", it also configures {', '.join(entry.others)}" if entry.others else ""
                remedy = f"take {', '.join(entry.ours)} out of it by hand{also}"
            self.find("error", "foreign", "no other file for the NIC", entry.path, ", ".join(entry.ours), remedy)
        if left:
            said = "; ".join(f"{f['actual']} for {f['where']} ({f['remedy']})" for f in self.findings[-len(left) :])
            raise Problem("no file of somebody else for the NICs", said, "host", "nothing was changed")
        return found

    def _wanted(self):
        found = {path: (text, self.manager.mode) for path, text in self.manager.files(self.interfaces).items()}
        if self.options["names"] == "model":
            found.update({path: (text, networkd.MODE) for path, text in networkd.names(self.interfaces).items()})
        if self.interfaces:
            found[sysctl.PATH] = (sysctl.render(self.sysctl), 0o644)
            state = {"interfaces": [link.planned() for link in self.interfaces]}
            found[STATE] = (json.dumps(state, indent=2, sort_keys=True) + "\n", 0o644)
        return found

    def _file_changes(self, put_aside):
        """Every file that is written, removed or put aside: path, before, after, mode."""
        wanted = self._wanted()
        present = [f"{folder}/{name}" for folder in FOLDERS for name in self.system.names(folder)]
        ours = [path for path in present if any(one.owns(path) for one in manager.ALL) or networkd.is_name(path)]
        stale = [path for path in [*ours, sysctl.PATH, STATE] if path not in wanted and self.system.exists(path)]
        found = [self._entry(path, None, 0o600) for path in stale]
        for path, (text, mode) in sorted(wanted.items()):
            entry = self._entry(path, text, mode)
            if entry["before"] != text or self.system.at(path).stat().st_mode & 0o777 != mode:
                found.append(entry)
        for entry in put_aside:
            aside = self._entry(entry.path, None, 0o600)
            found += [aside, self._entry(foreign.aside(entry.path), aside["before"], 0o600)]
        return found

    def _entry(self, path, after, mode):
        place = self.system.at(path)
        before = place.read_text(encoding="utf-8", errors="surrogateescape") if place.is_file() else None
        old = place.stat().st_mode & 0o777 if place.is_file() else None
        return {"path": path, "before": before, "after": after, "mode": mode, "old_mode": old}

    # -- kernel -----------------------------------------------------------------------------------------------------
    def compare(self, now):
        """What the kernel has otherwise, and what it still has of interfaces that left the model."""
        found = live.differences(self.interfaces, now, self.owned)
        ours = {link.live for link in self.interfaces}
        for link in self.earlier:
            if link.name not in ours and link.name in now.links:
                found += _leftovers(link, now)
        return found

    def _is_misshapen(self, link):
        return link.name in self.live.links and any(True for _ in live.shape(link, self.live))

    def _touched(self):
        """Interfaces that are not as planned or were planned otherwise, with VLANs of a bond that is made again."""
        earlier = {link.name: link for link in self.earlier}
        names = {difference.interface for difference in self.differences}
        again = {link.name for link in self.made_again}
        return [
            link
            for link in self.interfaces
            if link.name in names or link.parent in again or link.planned() != _planned(earlier.get(link.name))
        ]

    # -- refusing ---------------------------------------------------------------------------------------------------
    def _refuse(self):
        for link in [*self.touched, *self.gone]:
            if link.live in self.at_risk and link.label not in self.options["management"]:
                raise Problem(
                    f"{link.live} not to be touched: the way to this host leads over it",
                    f"it is {link.label} of the model and would change",
                    "host",
                    f"take it out of the model, or name {link.label} in host_network_management",
                )
        ours = {link.live for link in self.interfaces} | {link.name for link in self.earlier}
        for link in self.interfaces:
            if link.kind == "nic" or link.name not in self.live.links:
                continue
            kind, others = self.live.kind(link.name), sorted(self.live.below(link.name) - ours)
            if others or kind != link.kind:
                actual = f"a {kind or 'device'} of {', '.join(others) or 'somebody else'}"
                raise Problem(f"no other interface {link.name}", actual, link.name, "rename or remove that one")

    # -- telling ----------------------------------------------------------------------------------------------------
    def told(self):
        """What the kernel has otherwise, its settings included: net/ipv4/conf/rail0/arp_ignore is of rail0."""
        found = [difference.facts() for difference in self.differences]
        for path, actual in self.settings.items():
            place, key = path.split("/")[-2:]
            found.append(live.Difference(place, key, self.sysctl[path], actual).facts())
        return found

    def diff(self):
        """Each file, and what the kernel has."""
        found = []
        for change in self.files:
            path = change["path"]
            # Profiles of others may hold passwords.
            show = any(one.owns(path) for one in manager.ALL) or not path.startswith(keyfile.FOLDER)
            sides = {side: _shown(change[side], show) for side in ("before", "after")}
            found.append({"before_header": path, "after_header": path, **sides})
        before = [f"{one.interface}: {one.key}: {one.actual}\n" for one in self.differences]
        after = [f"{one.interface}: {one.key}: {one.expected}\n" for one in self.differences]
        before += [f"{key}: {value}\n" for key, value in self.settings.items()]
        after += [f"{key}: {self.sysctl[key]}\n" for key in self.settings]
        if before:
            sides = {"before": "".join(before), "after": "".join(after)}
            found.append({"before_header": "kernel", "after_header": "kernel", **sides})
        return found


def _planned(link):
    return link.planned() if link else None


def _leftovers(link, now):
    """What an interface that left the model still has."""
    if link.kind != "nic":
        if now.kind(link.name) == link.kind:
            yield live.Difference(link.name, "interface", "absent", link.kind, ("ip", "link", "del", link.name))
        return
    if link.address in now.addresses(link.name):
        fix = ("ip", "address", "del", link.address, "dev", link.name)
        yield live.Difference(link.name, "address", "none", link.address, fix)
    if link.mtu == now.links[link.name].get("mtu") != ETHERNET:
        fix = ("ip", "link", "set", link.name, "mtu", str(ETHERNET))
        yield live.Difference(link.name, "mtu", ETHERNET, link.mtu, fix)


def _shown(text, show):
    if text is None or show:
        return text or ""
    return f"not shown, {len(text)} bytes\n"
