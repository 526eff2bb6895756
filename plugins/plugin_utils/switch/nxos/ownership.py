# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What we own on NX-OS: the tables, and the normal forms of lines that the platform writes in several ways.

Removals name the default instead of saying ``no`` where a setting has one: the switch goes from the old value to the
new one in one step, and the line is legal whatever the port is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.reserved import retired_gateways, retired_vlans
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Roce, Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.ownership import Own
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos import breakouts, bundles, dlb, routing
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos.filters import (
    UNITS,
    expand_ids,
    random_detect_line,
)

_WRED = re.compile(
    r"random-detect minimum-threshold (?P<low>\d+) (?P<low_unit>bytes|kbytes|mbytes)"
    r" maximum-threshold (?P<high>\d+) (?P<high_unit>bytes|kbytes|mbytes)"
    r" drop-probability (?P<probability>\d+)(?: weight (?P<weight>\d+))?(?P<ecn> ecn)?"
)
_DSCP_NAMES = {
    "default": 0,
    **{f"cs{n}": 8 * n for n in range(1, 8)},
    **{f"af{c}{d}": 8 * c + 2 * d for c in range(1, 5) for d in range(1, 4)},
    "ef": 46,
}
_LOAD_SHARING_TAIL = re.compile(r"(?: (?:universal-id \d+|rotate \d+|concatenation|symmetric))*$")


def single_matches(line: str) -> list[str]:
    """``match dscp 24,26`` or ``match dscp af31`` -> one line per value, as numbers."""
    words = line.removeprefix("match ").removeprefix("ip ").split(maxsplit=1)
    kind, values = words[0], re.sub(r"\s*,\s*", ",", words[1])
    numbers = ",".join(str(_DSCP_NAMES.get(value.lower(), value)) for value in re.split(r"[,\s]+", values))
    return [f"match {kind} {value}" for value in expand_ids(numbers)]


def wred(line: str) -> list[str]:
    """WRED thresholds in the one unit that the templates would use."""
    found = _WRED.fullmatch(line)
    if not found:
        return [line]
    low = int(found["low"]) * UNITS[found["low_unit"]]
    high = int(found["high"]) * UNITS[found["high_unit"]]
    tail = f"weight {found['weight'] or 0}{found['ecn'] or ''}"
    return [random_detect_line(low, high, int(found["probability"]), tail)]


def load_sharing_fields(line: str) -> list[str]:
    """The hash fields alone: seed and rotation keep switches from choosing alike and belong to whoever set them."""
    return [_LOAD_SHARING_TAIL.sub("", line)]


def load_sharing_tail(line: str) -> str:
    """What :func:`load_sharing_fields` leaves out."""
    return _LOAD_SHARING_TAIL.search(line)[0]  # type: ignore[index] # the pattern matches the empty string too


def default_class(line: str) -> list[str]:
    """Releases differ in the name of the network-qos class for everything else."""
    return [line.replace(" class-default", " c-8q-nq-default")]


def class_line(line: str) -> list[str]:
    """``class type qos X`` and ``class X`` are the same inside a policy of type qos."""
    return [line.replace("class type qos ", "class ")]


def class_map_line(line: str) -> list[str]:
    """``class-map match-any X`` is of type qos."""
    return [line if " type qos " in line else line.replace("class-map ", "class-map type qos ")]


def _value(prefix: str, values: str, concern: str, default: str = "", **more: object) -> Own:
    """A line with a value: one per section, overwritten in place, back to its default when it is not wanted."""
    return Own(
        f"{re.escape(prefix)} {values}",
        concern,
        key=prefix,
        remove=f"{prefix} {default}" if default else f"no {prefix}",
        default=f"{prefix} {default}" if default else "",
        **more,  # type: ignore[arg-type]
    )


_DESCRIPTION = Own("description .*", "qos", key="description", remove="no description")


@cache
def _objects(profile: str) -> tuple[Own, ...]:
    """Class-maps and policy-maps that bear our name, whole."""
    name = rf"(?P<name>{re.escape(profile)}(?:-\S+)?)"
    anything = Own(".*", "qos")
    return (
        Own(
            rf"class-map (?:type qos )?(?:match-any|match-all) {name}",
            "qos",
            key="class-map {name}",
            remove="no class-map type qos {name}",
            normalise=class_map_line,
            whole=True,
            children=(
                # A line goes as it is printed; NX-OS need not take a part of it.
                Own(r"match (?:ip )?dscp (?P<dscp>.*)", "qos", remove="no {printed}", normalise=single_matches),
                Own(r"match cos (?P<cos>.*)", "qos", remove="no {printed}", normalise=single_matches),
                _DESCRIPTION,
            ),
        ),
        Own(
            rf"policy-map type qos {name}",
            "qos",
            whole=True,
            children=(
                # Always there, even when it is not shown: it counts as far as it does something.
                Own(
                    r"class (?:type qos )?class-default",
                    "qos",
                    normalise=class_line,
                    children=(_value("set qos-group", r"\d", "qos", "0"), anything),
                ),
                Own(
                    r"class (?:type qos )?(?P<class>\S+)",
                    "qos",
                    normalise=class_line,
                    whole=True,
                    children=(_value("set qos-group", r"\d", "qos", "0"),),
                ),
                _DESCRIPTION,
            ),
        ),
        Own(
            rf"policy-map type network-qos {name}",
            "qos",
            whole=True,
            disruption="network-qos",
            children=(
                Own(
                    r"class type network-qos (?P<class>\S+)",
                    "qos",
                    normalise=default_class,
                    whole=True,
                    disruption="network-qos",
                    children=(
                        Own("pause .*", "qos", key="pause", disruption="network-qos"),
                        _value("mtu", r"\d+", "qos", "1500", disruption="network-qos"),
                        _value("congestion-control", ".*", "qos", "tail-drop"),
                    ),
                ),
                _DESCRIPTION,
            ),
        ),
        Own(
            rf"policy-map type queuing {name}",
            "qos",
            whole=True,
            children=(
                Own(
                    r"class type queuing (?P<class>\S+)",
                    "qos",
                    whole=True,
                    children=(
                        # A queue has a share or is strict: the one that is not wanted goes before the other comes.
                        Own(r"bandwidth .*", "qos", key="bandwidth", remove_early=True),
                        Own(r"priority level \d", "qos", key="priority", remove_early=True),
                        Own("random-detect.*", "qos", key="random-detect", remove="no random-detect", normalise=wred),
                        Own("pause buffer-size .*", "qos", key="pause", disruption="headroom"),
                    ),
                ),
                _DESCRIPTION,
            ),
        ),
    )


_SYSTEM_QOS = Own(
    "system qos",
    "qos",
    children=(
        Own(
            r"service-policy type network-qos (?P<policy>\S+)",
            "qos",
            key="network-qos",
            disruption="network-qos",
        ),
        Own(r"service-policy type queuing output (?P<policy>\S+)", "qos", key="queuing output"),
    ),
)

_WATCHDOG = (
    _value("priority-flow-control watch-dog interval", r"\d+", "qos", "100"),
    _value("priority-flow-control watch-dog shutdown-multiplier", r"\d+", "qos", "1"),
    _value("priority-flow-control auto-restore multiplier", r"\d+", "qos", "10"),
    _value("priority-flow-control watch-dog-interval", "(?:on|off)", "qos", "off"),
)

# "feature lldp" is owned while the model wants LLDP, and then it is switched on. It is switched off only to give back a
# state from before our first change: DCBX and other tools may need it as well.
_LLDP = (
    Own("feature lldp", "lldp"),
    _value("lldp timer", r"\d+", "lldp", "30"),
    _value("lldp holdtime", r"\d+", "lldp", "120"),
)

_ECMP = Own(
    "ip load-sharing address .*",
    "ecmp",
    key="ip load-sharing address",
    remove="ip load-sharing address source-destination port source-destination",
    default="ip load-sharing address source-destination port source-destination",
    normalise=load_sharing_fields,
    disruption="ecmp-hash",
)

LAYER = "layer"  # key of "switchport" / "no switchport"
ADMIN = "admin"  # key of "shutdown" / "no shutdown"

# Lines that the switch itself drops when the port changes to the other layer.
LAYER_LINES = re.compile(
    r"switchport .*|ip address .*|ip unnumbered .*|medium .*|ip forward|ipv6 .*|no ip redirects|no ipv6 redirects"
    r"|bfd interval .*"
)


@cache
def _port_lines(
    routed: bool, addressed: bool, lldp: bool, extras: tuple[str, ...] = (), channels: str = ""
) -> tuple[Own, ...]:
    """The lines of a port. ``extras``: what it is besides, of member, unnumbered and bfd; ``channels``: the
    port-channels of the model, as a pattern."""
    rules = [
        Own("description .*", "ports", key="description", remove="no description"),
        Own("(?:no )?switchport", "ports", key=LAYER, disruption="port-mode"),
        _value("switchport mode", r"\S+", "ports", "access"),
        _value("switchport access vlan", r"\d+", "ports", "1"),
        _value("switchport trunk native vlan", r"\d+", "ports", "1"),
        _value("switchport trunk allowed vlan", r"\S+", "ports", "1-4094"),
        _value("speed", r"\S+", "ports", "auto", disruption="port-speed"),
        _value("fec", r"\S+", "ports", "auto", disruption="port-fec"),
        _value("mtu", r"\d+", "ports", "1500"),
        # Link pause and PFC exclude each other: the one that is not wanted goes first.
        _value("flowcontrol receive", r"\S+", "ports", "off", remove_early=True),
        _value("flowcontrol send", r"\S+", "ports", "off", remove_early=True),
        _value("priority-flow-control mode", ".*", "ports", "auto", remove_early=True),
        _value("priority-flow-control watch-dog-interval", ".*", "ports", "off"),
        Own(
            r"service-policy type qos input (?P<policy>\S+).*",
            "ports",
            key="service-policy qos input",
            remove="no service-policy type qos input {policy}",
        ),
        Own(
            r"service-policy type queuing input (?P<policy>\S+).*",
            "ports",
            key="service-policy queuing input",
            remove="no service-policy type queuing input {policy}",
            disruption="headroom",
        ),
        # One that somebody attached here would hide the one of "system qos".
        Own(
            r"service-policy type queuing output (?P<policy>\S+).*",
            "ports",
            key="service-policy queuing output",
            remove="no service-policy type queuing output {policy}",
        ),
        Own("shutdown", "ports", key=ADMIN, disruption="port-down"),
        Own("no shutdown", "ports", key=ADMIN),
    ]
    if "member" in extras:
        # Policies and PFC are those of the bundle; a port with a policy of its own does not join one.
        rules = [
            replace(rule, remove_early=True) if rule.key.startswith("service-policy") else rule
            for rule in rules
            if not rule.key.startswith("priority-flow-control")
        ]
        rules += bundles.member_rules(r"\d+")
    elif channels:
        rules += bundles.member_rules(channels)
    if "bfd" in extras:
        rules += routing.WITH_BFD
    if "unnumbered" in extras:
        rules += routing.UNNUMBERED
    # A routed port without address and session in the model: somebody else addresses it.
    if addressed or not routed or "unnumbered" in extras:
        rules += [
            Own(r"ip address \S+ secondary", "ports"),
            Own("ip address .*", "ports", key="ip address", remove="no ip address"),
            Own("ip unnumbered .*", "ports", key="ip unnumbered", remove_early=True),
        ]
    if not routed:  # what an unnumbered port needs, so that such a port can be given back
        rules.append(Own("medium .*", "ports", key="medium"))
    if lldp:
        rules += [
            Own("no lldp transmit", "lldp", remove="lldp transmit"),
            Own("no lldp receive", "lldp", remove="lldp receive"),
        ]
    return tuple(rules)


def _ports(model: Switch) -> Iterator[Own]:
    """The ports of the model, one rule for all that have the same lines."""
    alike: dict[tuple[bool, bool, bool, tuple[str, ...], str], list[str]] = {}
    extras = routing.port_extras(model) | dict.fromkeys(bundles.membership(model), ("member",))
    channels = bundles.channel_numbers(model)
    for port in model.ports:
        of_port = extras.get(port.name, ())
        kind = (port.mode == "routed", bool(port.address), model.lldp.enabled, of_port, channels)
        alike.setdefault(kind, []).append(f"interface {port.name}")
    for kind, lines in alike.items():
        yield Own("interface .+", "ports", among=frozenset(lines), children=_port_lines(*kind))


_OF_THE_PORT = re.compile(r"fec|flowcontrol .*|no lldp .*")  # not of a port-channel: keys


@cache
def _channel_lines() -> tuple[Own, ...]:
    """The lines of a port-channel: those of a port that its members do not have themselves."""
    rules = (rule for rule in _port_lines(False, False, False) if not _OF_THE_PORT.fullmatch(rule.key))
    return (*(replace(rule, concern="bonds") for rule in rules), bundles.VPC)


def _channels(model: Switch) -> Iterator[Own]:
    for bundle in bundles.bundles(model):
        yield Own(f"interface port-channel{bundle.id}", "bonds", whole=True, rest=False, children=_channel_lines())


def _features(model: Switch) -> Iterator[Own]:
    """Switched on when the model needs them; off only to give back a state from before our first change."""
    for name in bundles.features(model):
        yield Own(f"feature {name}", "bonds")
    for name in routing.features(model):
        yield Own(f"feature {name}", "underlay")


def _retired(model: Switch) -> Iterator[Own]:
    """VLANs of the fabric that the model has not, and gateways in them."""
    for pattern, concern, kind, head, numbers in (
        (r"vlan \d+", "vlans", "", "vlan ", retired_vlans(model)),
        (r"interface Vlan\d+", "underlay", "gateway", "interface Vlan", retired_gateways(model)),
    ):
        if numbers:
            yield Own(pattern, concern, among=frozenset(f"{head}{n}" for n in numbers), whole=True, disruption=kind)


def rules(model: Switch) -> tuple[Own, ...]:
    """All we own on one switch."""
    return (
        *_features(model),
        *(
            Own(f"vlan {vlan.id}", "vlans", whole=True, rest=False, children=(_value("name", ".*", "vlans"),))
            for vlan in model.vlans
        ),
        *_retired(model),
        *_objects(model.roce.profile),
        _SYSTEM_QOS,
        *_WATCHDOG,
        *bundles.domain_rule(model),
        breakouts.RULE,
        *_channels(model),
        *_ports(model),
        *bundles.retired_rules(model),
        *((dlb.RULE,) if model.underlay else ()),
        *routing.rules(model),
        *(_LLDP if model.lldp.enabled else ()),
        _ECMP,
    )


# Compiled now, before workers are forked: the lines of all kinds of ports, and what does not depend on the profile.
for _kind in product((True, False), repeat=3):
    for _extras in ((), ("member",), ("bfd",), ("bfd", "unnumbered")):
        _port_lines(*_kind, _extras)
_channel_lines()
_objects(Roce.model_fields["profile"].default)
