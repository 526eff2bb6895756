# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that belong to the fabric alone: what has one and is not in the model can be told from what is others'.

A VLAN, a gateway and a bundle are known to a switch by number only. Without a statement nobody can say whether VLAN 150
was made by an earlier state of the model or by somebody else, and then it stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, model_validator

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.base import Strict

if TYPE_CHECKING:
    from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch

Numbers = Annotated[str, Field(pattern=r"^[1-9]\d{0,3}(-[1-9]\d{0,3})?$")]


def expand(texts: tuple[str, ...]) -> frozenset[int]:
    """("100-102", "200") -> 100, 101, 102, 200."""
    found: set[int] = set()
    for text in texts:
        first, _, last = text.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


class Reserved(Strict):
    """Ranges in which the model says all there is: what else is found there is removed."""

    vlans: tuple[Numbers, ...] = Field((), description='VLANs and the gateways in them, "100-199"; not VLAN 1 or 4094')
    bonds: tuple[Numbers, ...] = Field((), description='Bundles, "1-99"; up to 999')

    @model_validator(mode="after")
    def _in_range(self) -> Reserved:
        for name, low, high in (("vlans", 2, 4093), ("bonds", 1, 999)):
            for text in getattr(self, name):
                numbers = sorted(expand((text,)))
                if not numbers or numbers[0] < low or numbers[-1] > high:
                    raise ValueError(f"expected {name} from {low} to {high} that count up, found {text} (correct it)")
        return self


def retired_vlans(switch: Switch) -> frozenset[int]:
    """VLANs of the fabric that this switch is not to have."""
    return expand(switch.reserved.vlans) - {vlan.id for vlan in switch.vlans}


def retired_gateways(switch: Switch) -> frozenset[int]:
    """VLANs of the fabric in which this switch is not to have an address."""
    return expand(switch.reserved.vlans) - {gateway.vlan for gateway in switch.gateways}


def retired_bonds(switch: Switch) -> frozenset[int]:
    """Bundles of the fabric that this switch is not to have."""
    return expand(switch.reserved.bonds) - {bond.id for bond in switch.bonds}
