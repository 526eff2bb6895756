# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Intent -> plan: every switch and host of the fabric, complete and checked. Pure: no file, no network, no Ansible."""

from __future__ import annotations

from dataclasses import dataclass, field

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.switches import SwitchProfile
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import Host
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner import cabling
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.addresses import AddressBook, network
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.run import check
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.site import Site
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design.generate import (
    Generated,
    free_of,
    generate,
    merged,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design.measures import Measures
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design.panel import panel
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design.size import size
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.findings import Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.groups import groups
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.hosts import HostBuilder
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.links import CablePlan, Wiring
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.names import check_names
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.fabric import (
    NicNumbers,
    PortNumbers,
    SwitchNumbers,
    nic_numbers,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.headroom import LONGEST
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.topology import Topology
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.switches import SwitchBuilder
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.underlay import add_routing
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.waves import waves


@dataclass(frozen=True)
class Access:
    """How to log in to a device."""

    address: str
    port: int


@dataclass(frozen=True)
class Numbers:
    """The numbers of one switch, each with formula, inputs, source and warnings (planner.numbers.record.Number)."""

    switch: SwitchNumbers | None
    ports: dict[str, PortNumbers]


@dataclass(frozen=True)
class Plan:
    """The fabric as it has to be built. Order is that of the intent. docs/planning.md describes the fields."""

    fabric: str
    switches: dict[str, Switch]
    hosts: dict[str, Host]
    access: dict[str, Access]
    waves: dict[str, str]
    groups: dict[str, list[str]]
    children: dict[str, list[str]]
    cables: tuple[CablePlan, ...] = ()
    numbers: dict[str, Numbers] = field(default_factory=dict)
    nic_numbers: dict[str, dict[str, NicNumbers]] = field(default_factory=dict)  # host -> NIC
    places: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)  # device -> pod, rack
    profiles: dict[str, str] = field(default_factory=dict)  # switch -> profile
    panels: dict[str, int | None] = field(default_factory=dict)  # switch -> links its profile has
    topology: Topology | None = None  # of the design
    candidates: dict[str, Topology] = field(default_factory=dict)  # other designs that fit
    measures: Measures | None = None  # what fabric.lock.yml holds
    findings: tuple[Finding, ...] = ()


def plan(fabric: Fabric, lock: Measures | None = None) -> Plan:
    """Plan a fabric. PlanError holds every problem with its path in the intent.

    lock: measures of the fabric that is built; without them a design is laid out anew.
    """
    checks = Checks()
    made = _design(fabric, lock, checks)
    if made is not None:
        fabric = merged(fabric, made)
    hosts = HostBuilder(fabric, checks, made.hosts if made is not None else None)
    check_names(fabric, hosts.intents, checks)
    links = cabling.links(fabric, checks)
    attachments = cabling.attachments(fabric, hosts.nics, checks)
    if made is not None:
        explicit = links + attachments
        links = [*free_of(made.links, explicit), *links]
        attachments = [*free_of(made.attachments, explicit), *attachments]
    cabling.used_once(links + attachments, checks)
    book = AddressBook(checks)
    builders = {name: SwitchBuilder(fabric, name, checks) for name in _buildable(fabric)}
    for number, vlan in fabric.vlans.items():
        if vlan.subnet is not None:
            book.add_network(network(vlan.subnet), f"VLAN {number}", ("vlans", number, "subnet"))
    wiring = Wiring(fabric, builders, hosts, book, checks)
    for cable in links:
        wiring.link(cable)
    for cable in attachments:
        wiring.attachment(cable)
    book.no_overlap()
    for builder in builders.values():
        builder.unused_overrides()
    access = _access(fabric, hosts, checks)
    switches = {name: builder.data() for name, builder in builders.items()}
    add_routing(fabric, builders, switches, access, book, checks)
    host_data = hosts.data(book, switches)
    checks.finish()
    models = {name: Switch.model_validate(data) for name, data in switches.items()}
    host_models = {name: Host.model_validate(data) for name, data in host_data.items()}
    wave = waves(fabric.switches)
    places = {n: (d.pod, d.rack) for n, d in (*fabric.switches.items(), *hosts.intents.items())}
    members, children = groups(models, host_models, places, wave)
    numbers = {name: Numbers(b.numbers, b.port_numbers) for name, b in builders.items()}
    profiles = {name: builder.intent.profile for name, builder in builders.items()}
    panels = {name: _panel(fabric.switch_profiles[profile]) for name, profile in profiles.items()}
    found = check(
        Site(
            models,
            host_models,
            {name: n.switch for name, n in numbers.items()},
            panels,
            fabric.design.oversubscription if fabric.design is not None else 1.0,
            fabric.design is not None,
        )
    )
    return Plan(
        fabric.fabric,
        models,
        host_models,
        access,
        wave,
        members,
        children,
        tuple(wiring.cables),
        numbers,
        _nic_numbers(host_models),
        places,
        profiles,
        panels,
        made.sized.topology if made is not None else None,
        made.sized.candidates if made is not None else {},
        made.sized.measures if made is not None else None,
        found,
    )


def _design(fabric: Fabric, lock: Measures | None, checks: Checks) -> Generated | None:
    """What the design generates; a design that cannot be built ends the plan."""
    if fabric.design is None:
        return None
    sized = size(fabric, lock, checks)
    checks.finish()
    made = generate(fabric, sized, checks)
    checks.finish()
    return made


def _buildable(fabric: Fabric) -> list[str]:
    return [name for name, switch in fabric.switches.items() if switch.profile in fabric.switch_profiles]


def _access(fabric: Fabric, hosts: HostBuilder, checks: Checks) -> dict[str, Access]:
    result: dict[str, Access] = {}
    owner: dict[Access, str] = {}
    devices = [(n, d, ("switches", n)) for n, d in fabric.switches.items()]
    devices += [(n, d, hosts.paths[n]) for n, d in hosts.intents.items()]
    for name, device, path in devices:
        access = Access(device.address or name, device.port or 22)
        other = owner.setdefault(access, name)
        if other != name:
            text = (
                f"expected a management address of its own, found {access.address} port {access.port}, which {other}"
                " has (use another)"
            )
            checks.add((*path, "address") if device.address else path, text)
        result[name] = access
    return result


def _nic_numbers(hosts: dict[str, Host]) -> dict[str, dict[str, NicNumbers]]:
    found: dict[str, dict[str, NicNumbers]] = {}
    for name, host in hosts.items():
        policy = host.roce
        of_host = {}
        for nic in host.nics:
            if nic.speed is not None and nic.cable_length is not None:
                of_host[nic.name] = nic_numbers(
                    nic.speed,
                    min(nic.cable_length, LONGEST),
                    mtu=nic.mtu,
                    priorities=(policy.priority,),
                    cnp_dscp=policy.cnp_dscp[0],
                    cnp_priority=policy.cnp_priority,
                )
        found[name] = of_host
    return found


def _panel(profile: SwitchProfile) -> int | None:
    """Links that the profile has; None when it does not list its ports."""
    try:
        return panel(profile).ports
    except ValueError:
        return None
