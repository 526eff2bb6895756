# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rails are whole: the NICs of one rail of a set of hosts end on one leaf, and no leaf mixes rails by mistake."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.site import Site
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.findings import Finding


def rails(site: Site) -> Iterator[Finding]:
    """A leaf that has one rail but for a few NICs is cabled wrongly."""
    on_leaf: dict[str, dict[int, list[tuple[str, str]]]] = {}
    for name, host in site.hosts.items():
        for nic in host.nics:
            if nic.peer is not None and nic.rail is not None:
                on_leaf.setdefault(nic.peer.switch, {}).setdefault(nic.rail, []).append((name, nic.name))
    for leaf, found in on_leaf.items():
        if len(found) < 2:
            continue
        most = max(len(nics) for nics in found.values())
        usual = [rail for rail, nics in found.items() if 2 * len(nics) > most]
        for rail, nics in found.items():
            if rail in usual:
                continue
            words = ", ".join(map(str, sorted(usual)))
            for host, nic in nics:
                text = f"expected a NIC of rail {words} on {leaf}, found one of rail {rail} (swap the cables)"
                yield Finding("rail", "error", host, nic, text)


def nodes(site: Site) -> Iterator[Finding]:
    """Hosts of a kind have all their NICs cabled."""
    for name, host in site.hosts.items():
        missing = [nic.name for nic in host.nics if nic.peer is None]
        if missing and len(missing) < len(host.nics):
            text = f"expected every NIC cabled, found {', '.join(missing)} without a switch port (add the attachment)"
            yield Finding("rail-missing", "error", name, missing[0], text)
