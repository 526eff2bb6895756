# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kernel has now, and how that differs from the plan. Files may be right and the interface not."""

from __future__ import annotations

import json
from ipaddress import IPv4Network

from ansible_collections.lossless.fabric.plugins.module_utils.network.plan import BOND, MAIN
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem

TABLES = {"main": MAIN, "default": 253, "local": 255}


class Live:
    """Interfaces, routes and rules (IPv4) as ip tells them."""

    def __init__(self, links, routes, rules):
        self.links = {link["ifname"]: link for link in links}
        self.routes = [_route(route) for route in routes]
        self.rules = [_rule(rule) for rule in rules]

    @classmethod
    def read(cls, system):
        """Ask the kernel."""
        return cls(
            _ask(system, "-details", "address", "show"),
            _ask(system, "-4", "-N", "route", "show", "table", "all"),
            _ask(system, "-4", "-N", "rule", "show"),
        )

    def addresses(self, name):
        """IPv4 addresses with prefix length, without those of the link itself."""
        found = self.links.get(name, {}).get("addr_info", ())
        return [
            f"{entry['local']}/{entry['prefixlen']}"
            for entry in found
            if entry.get("family") == "inet" and entry.get("scope") != "link"
        ]

    def kind(self, name):
        """bond, vlan, ...; None for a device."""
        return self.links.get(name, {}).get("linkinfo", {}).get("info_kind")

    def data(self, name):
        """What belongs to the kind."""
        return self.links.get(name, {}).get("linkinfo", {}).get("info_data", {})

    def routes_of(self, name, main_only=False):
        """Routes through an interface that somebody made; those that follow from an address are the kernel's."""
        return [
            route
            for route in self.routes
            if route["dev"] == name and not route["kernel"] and (not main_only or route["table"] == MAIN)
        ]

    def management(self, address, ours):
        """Interfaces that the default route or the address of this session needs, with what they stand on.

        A default route through an interface that is ours already is not the way to the host, but a mistake.
        """
        default = [route for route in self.routes if route["to"] == "0.0.0.0/0" and route["table"] == MAIN]
        found = {route["dev"] for route in default} - set(ours)
        for name, link in self.links.items():
            if address and any(entry.get("local") == address for entry in link.get("addr_info", ())):
                found.add(name)
        found.discard(None)
        waiting = list(found)
        while waiting:
            name = waiting.pop()
            below = self.below(name) - found
            waiting += below
            found |= below
        return found

    def below(self, name):
        """What an interface stands on: the members of a bond or bridge, the parent of a VLAN."""
        found = {other for other, link in self.links.items() if link.get("master") == name}
        parent = self.links.get(name, {}).get("link")
        return found | ({parent} & set(self.links))


class Difference:
    """One thing that is not as planned; ``fix`` takes away what is too much."""

    def __init__(self, interface, key, expected, actual, fix=None):
        self.interface, self.key, self.expected, self.actual, self.fix = interface, key, expected, actual, fix

    def facts(self):
        return {"interface": self.interface, "key": self.key, "expected": self.expected, "actual": self.actual}

    def __str__(self):
        return f"{self.interface}: {self.key}: expected {self.expected}, found {self.actual}"


def differences(interfaces, live, owned):
    """Everything that is not as planned. ``owned``: numbers of our tables and rules."""
    found = []
    for link in interfaces:
        found += _link(link, live)
        if link.live in live.links:
            found += _addresses(link, live)
            found += _routes(link, live)
    return [*found, *_rules(interfaces, live, owned), *_foreign_tables(interfaces, live, owned)]


def _link(link, live):
    state = live.links.get(link.live)
    if state is None:
        yield Difference(link.name, "interface", link.kind, "absent")
        return
    if link.now:
        yield Difference(link.name, "name", link.name, link.now)
    if state.get("mtu") != link.mtu:
        yield Difference(link.name, "mtu", link.mtu, state.get("mtu"))
    if "UP" not in state.get("flags", ()):
        yield Difference(link.name, "state", "up", "down")
    if link.kind == "nic" and state.get("master") != link.bond:
        yield Difference(link.name, "bond", link.bond or "none", state.get("master") or "none")
    for key, expected, actual in shape(link, live):
        yield Difference(link.name, key, expected, actual)


def shape(link, live):
    """What of a bond or VLAN can only be had by making it again: (key, expected, actual)."""
    if link.kind == "nic":
        return
    kind, data = live.kind(link.name), live.data(link.name)
    if kind != link.kind:
        yield "kind", link.kind, kind or "device"
    elif link.kind == "vlan":
        parent = live.links[link.name].get("link")
        if data.get("id") != link.vlan:
            yield "vlan", link.vlan, data.get("id")
        if parent != link.parent:
            yield "parent", link.parent, parent
    else:
        names = {"lacp_rate": "ad_lacp_rate"}
        for key, expected in BOND.items():
            actual = data.get(names.get(key, key))
            if actual != expected:
                yield key, expected, actual


def _addresses(link, live):
    actual = live.addresses(link.live)
    if link.address and link.address not in actual:
        yield Difference(link.name, "address", link.address, ", ".join(actual) or "none")
    for extra in actual:
        if extra != link.address:
            fix = ("ip", "address", "del", extra, "dev", link.name)
            yield Difference(link.name, "address", "no other", extra, fix)


def _routes(link, live):
    wanted = [(route.table, route.to, route.via, route.metric) for route in link.routes]
    actual = [(r["table"], r["to"], r["via"], r["metric"]) for r in live.routes_of(link.live)]
    for route in wanted:
        if route not in actual:
            yield Difference(link.name, "route", _said(route), "none")
    for route in actual:
        if route not in wanted:
            yield Difference(link.name, "route", "none", _said(route), _without(route, link.name))


def _rules(interfaces, live, owned):
    wanted = [(link.table, link.ip, link.table) for link in interfaces if link.table]
    names = {link.table: link.name for link in interfaces if link.table}
    actual = [(rule["priority"], rule["from"], rule["table"]) for rule in live.rules]
    for rule in wanted:
        if actual.count(rule) == 0:
            yield Difference(names[rule[0]], "rule", f"from {rule[1]} table {rule[2]} priority {rule[0]}", "none")
    for rule in actual:
        priority, source, table = rule
        if rule not in wanted and (priority in owned or table in owned):
            said = f"from {source} table {table} priority {priority}"
            fix = ("ip", "-4", "rule", "del", "priority", str(priority), "from", source, "table", str(table))
            yield Difference("rules", "rule", "none", said, fix)


def _foreign_tables(interfaces, live, owned):
    """Routes in our tables through interfaces that are not ours (any more)."""
    ours = {link.live for link in interfaces}
    for route in live.routes:
        if route["table"] in owned and route["dev"] not in ours and not route["kernel"]:
            entry = (route["table"], route["to"], route["via"], route["metric"])
            yield Difference("routes", "route", "none", _said(entry), _without(entry, route["dev"]))


def _said(route):
    table, to, via, metric = route
    return f"{to} {f'via {via}' if via else 'on the link'} table {'main' if table == MAIN else table} metric {metric}"


def _without(route, device):
    table, to, via, metric = route
    words = ["ip", "-4", "route", "del", to, *(("via", via) if via else ()), *(("dev", device) if device else ())]
    return (*words, "metric", str(metric), "table", str(table))


def _ask(system, *words):
    done = system.run("ip", "-json", *words)
    if done.rc:
        raise Problem("the state of the network", done.said(), done.command, "see whether iproute2 is 5.0 or later")
    return json.loads(done.out or "[]")


def _number(text):
    return TABLES.get(text, int(text) if str(text).isdigit() else text)


def _route(entry):
    to = entry.get("dst", "default")
    multiple = [hop.get("dev") for hop in entry.get("nexthops", ())]
    return {
        "to": "0.0.0.0/0" if to == "default" else str(IPv4Network(to)),
        "via": entry.get("gateway"),
        "dev": entry.get("dev") or (multiple[0] if multiple else None),
        "table": _number(entry.get("table", MAIN)),
        "metric": entry.get("metric", 0),
        # 2 is the kernel's protocol, for routes that follow from an address; 9 that of a router's word.
        "kernel": str(entry.get("protocol")) in ("kernel", "2") or _number(entry.get("table", MAIN)) == 255,
        "source": entry.get("prefsrc"),
    }


def _rule(entry):
    source = entry.get("src", "all")
    length = entry.get("srclen", 32)
    return {
        "priority": entry["priority"],
        "from": source if source == "all" or length == 32 else f"{source}/{length}",
        "table": _number(entry.get("table", MAIN)),
    }
