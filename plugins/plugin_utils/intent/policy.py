# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the whole fabric agrees on, and the values that may be overridden nearer to the device."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.values import (
    DscpList,
    Fec,
    Mtu,
    ObjectName,
    Percent,
    Priority,
    Speed,
    Strict,
)

EcnProfile = Literal["vendor-default", "nvidia", "shallow", "hpcc", "pfc-only"]
HashField = Literal["source-ip", "destination-ip", "protocol", "source-port", "destination-port"]


class EcnValues(Strict):
    """When a queue starts to mark packets. A profile, or all of min, max and probability."""

    profile: EcnProfile | None = Field(
        None,
        description=(
            "Named curve. vendor-default: what is published for the platform and chip. nvidia: 150000 to 1500000 bytes,"
            " 100 percent (the RoCE defaults of Cumulus Linux 5.10)."
            " shallow: 6 microseconds of the fastest port to twice that, 5 percent. hpcc: 4 to 16 kB per Gb/s of the"
            " fastest port, 20 percent (the thresholds of the HPCC paper's artefact). pfc-only: no marking. Default"
            " nvidia"
        ),
    )
    min: Annotated[int, Field(ge=1)] | None = Field(None, description="Bytes of queue below which nothing is marked")
    max: Annotated[int, Field(ge=1)] | None = Field(None, description="Bytes of queue above which everything is marked")
    probability: Percent | None = Field(None, description="Percent of packets marked at max")

    @model_validator(mode="after")
    def _one_form(self) -> EcnValues:
        explicit = [n for n in ("min", "max", "probability") if getattr(self, n) is not None]
        if self.profile is not None and explicit:
            raise ValueError(
                f"expected a profile or explicit bytes, found profile and {', '.join(explicit)} (remove one of the two)"
            )
        if self.profile is None and len(explicit) != 3:
            raise ValueError(
                f"expected min, max and probability together, found {', '.join(explicit) or 'none of them'} (add what"
                " is missing)"
            )
        if self.min is not None and self.max is not None and self.min >= self.max:
            raise ValueError(
                f"expected min below max, found min {self.min} and max {self.max} (bytes; marking starts at min)"
            )
        return self


class Weights(Strict):
    """Shares of the bandwidth that the strict CNP queue leaves. Percent, together 100."""

    default: Annotated[int, Field(ge=1, le=99)] = Field(
        description="Share of everything that is neither RoCE nor CNP, percent"
    )
    roce: Annotated[int, Field(ge=1, le=99)] = Field(description="Share of RoCE, percent")

    @model_validator(mode="after")
    def _hundred(self) -> Weights:
        if self.default + self.roce != 100:
            raise ValueError(
                f"expected weights that add up to 100, found default {self.default} and roce {self.roce}, "
                f"together {self.default + self.roce} (change one of them)"
            )
        return self


class WatchdogValues(Strict):
    """What happens to a queue that its peer keeps paused. Partial: what is absent comes from farther away."""

    enabled: bool | None = Field(None, description="Whether stuck queues are looked for. Default true")
    action: Literal["drop", "notify"] | None = Field(
        None, description="drop: discard the packets of the stuck queue; notify: log only. Default drop"
    )
    poll_ms: Annotated[int, Field(ge=100, le=1000)] | None = Field(
        None, description="Milliseconds between two looks. Default 100 (SONiC, Junos and Cumulus)"
    )
    detect_ms: Annotated[int, Field(ge=100, le=5000)] | None = Field(
        None,
        description=(
            "Milliseconds a queue has to be stuck; a multiple of poll_ms, at least twice. Default 200 (two looks)"
        ),
    )
    restore_ms: Annotated[int, Field(ge=100, le=60000)] | None = Field(
        None,
        description="Milliseconds without pause before the queue is served again; a multiple of poll_ms. Default 1000",
    )


class LldpValues(Strict):
    """LLDP proves the cabling. Partial: what is absent comes from farther away."""

    enabled: bool | None = Field(None, description="Whether LLDP runs. Default true")
    interval: Annotated[int, Field(ge=5, le=254)] | None = Field(
        None, description="Seconds between two messages. Default 30 (IEEE 802.1AB)"
    )
    hold_multiplier: Annotated[int, Field(ge=2, le=10)] | None = Field(
        None, description="Messages that may be lost before a neighbour is forgotten. Default 4 (IEEE 802.1AB)"
    )


class PortValues(Strict):
    """Values of ports that any level may state: policy, switch profile, switch, port. The nearest wins."""

    mtu: Mtu | None = Field(
        None,
        description=(
            "Bytes of IP packet on fabric ports, 1500 to 9216. Default 9216, lowered on EOS to its maximum of 9214 and"
            " on a routed link to what both ends support"
        ),
    )
    speed: Speed | None = Field(None, description="Speed of the port, 10G to 800G. Default: as the optic says")
    fec: Fec | None = Field(
        None,
        description="Forward error correction: rs (Reed-Solomon), fc (FireCode), none. Default: as the platform does",
    )
    cable_length: Annotated[int, Field(ge=1, le=100000)] | None = Field(
        None, description="Metres of cable; decides PFC headroom. Default 5 (in the rack)"
    )
    headroom: Annotated[int, Field(ge=1)] | None = Field(
        None,
        description=(
            "Bytes that the port must take in after it sent PAUSE, per lossless priority. Default: the vendor's table"
            " of the SKU on EOS and NX-OS; on Cumulus the switch computes it from cable_length"
        ),
    )
    lossless: bool | None = Field(None, description="Whether the port carries the RoCE policy. Default true")


class LevelValues(PortValues):
    """Values that policy, switch profile and switch may state. The nearest wins."""

    weights: Weights | None = Field(
        None, description="Shares of the weighted queues, percent. Default 50 and 50 (RoCE defaults of Cumulus Linux)"
    )
    ecn: EcnValues | None = Field(
        None,
        description="ECN marking of the RoCE queue. Taken as a whole from the nearest level. Default profile nvidia",
    )
    cnp_queue: Priority | None = Field(
        None,
        description=(
            "Egress queue of congestion notification packets. Default: the CNP priority; 7 on NX-OS, whose 8-queue"
            " template is published so"
        ),
    )
    pfc_watchdog: WatchdogValues | None = Field(
        None, description="PFC watchdog; each field on its own comes from the nearest level"
    )
    lossless_pool_percent: Annotated[int, Field(ge=1, le=99)] | None = Field(
        None,
        description=(
            "Share of the shared buffer for lossless traffic, percent. Default 50 (RoCE defaults of Cumulus Linux)"
        ),
    )
    lldp: LldpValues | None = Field(None, description="LLDP; each field on its own comes from the nearest level")
    ecmp_hash: Annotated[list[HashField], Field(min_length=1)] | None = Field(
        None,
        description=(
            "Fields that choose among equal paths. Default: addresses, protocol and ports (RoCEv2 varies the UDP source"
            " port)"
        ),
    )


class RoceClass(Strict):
    """RoCE data: the lossless class."""

    dscp: DscpList = Field(
        default_factory=lambda: [26],
        description="DSCP values of RoCE data, 0 to 63; one number or a list. Default 26 (AF31, the vendors' default)",
    )
    priority: Annotated[int, Field(ge=1, le=7)] = Field(
        3, description="802.1p and PFC priority, 1 to 7; also its queue. Default 3"
    )


class CnpClass(Strict):
    """Congestion notification packets: never lossless, served first."""

    dscp: DscpList = Field(
        default_factory=lambda: [48],
        description="DSCP values of CNP, 0 to 63; one number or a list. Default 48 (CS6, the vendors' default)",
    )
    priority: Annotated[int, Field(ge=1, le=7)] = Field(6, description="802.1p priority, 1 to 7. Default 6")


class Policy(LevelValues):
    """What the whole fabric agrees on. Everything has a default."""

    profile: ObjectName = Field("ROCE", description="Name that every object created on a switch bears. Default ROCE")
    trust: Literal["dscp", "cos"] = Field(
        "dscp", description="Field of a packet that decides its class. Default dscp (survives routing)"
    )
    roce: RoceClass = Field(default_factory=RoceClass, description="Class of RoCE data")
    cnp: CnpClass = Field(default_factory=CnpClass, description="Class of congestion notification packets")
    host_mtu: Mtu = Field(
        9000, description="Bytes of IP packet on the NICs, 1500 to 9216. Default 9000 (RDMA with 4096 bytes needs 4200)"
    )
    mtu_overhead: Annotated[int, Field(ge=0, le=200)] = Field(
        50,
        description=(
            "Bytes that a switch port must take beyond the MTU of its host. Default 50 (one VXLAN encapsulation)"
        ),
    )

    @model_validator(mode="after")
    def _distinct(self) -> Policy:
        twice = sorted(set(self.roce.dscp) & set(self.cnp.dscp))
        for name, values in (("roce", self.roce.dscp), ("cnp", self.cnp.dscp)):
            again = sorted({v for v in values if values.count(v) > 1})
            if again:
                raise ValueError(f"expected each DSCP once, found {again[0]} twice in {name}.dscp (remove one)")
        if twice:
            raise ValueError(
                f"expected each DSCP in one class, found {twice[0]} in roce.dscp and in cnp.dscp (give one of them"
                " another)"
            )
        if self.roce.priority == self.cnp.priority:
            raise ValueError(
                f"expected different priorities, found {self.roce.priority} in roce and in cnp (CNP must not wait"
                " behind RoCE)"
            )
        return self
