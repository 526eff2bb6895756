# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The object model of NVUE as far as the emulator checks it, one line per leaf. :mod:`lab.nvue.schema` reads it.

``[first-last] path kind``. The bounds are minor releases of Cumulus Linux 5 and may be left out. In a path,
``<name>`` is the key of a collection; its kind is in schema.KEYS. Kinds of values:

    a|b|c      words                     3-7, 3-     integers
    @text @text:255 @mac @port ...           see schema.LEAVES
    {}         nothing below: the member of a set, or an empty object
    *          anything below, kept as it is
    TOGGLE     'on' or 'off' up to 5.14, 'enabled' or 'disabled' from 5.15
    SWITCH     path.enable with 'on' or 'off' up to 5.14, path.state with 'enabled' or 'disabled' from 5.15

Sources: NVIDIA's "NVUE Command Reference" and the release tables "CL 5.14 and earlier | CL 5.15 and later" of its user
guide. tests/oracle/test_lab_nvue_schema.py compares the strict branches with models made from NVIDIA's OpenAPI files.
"""

from __future__ import annotations

QOS = """
        qos.mapping.<profile>.trust                                 l2|l3|port|both
        qos.mapping.<profile>.port-default-sp                       0-7
        qos.mapping.<profile>.dscp.<dscp>.switch-priority           0-7
        qos.mapping.<profile>.pcp.<pcp>.switch-priority             0-7
        qos.remark.<profile>.rewrite                                l2|l3|both
        qos.remark.<profile>.switch-priority.<sp>.dscp              0-63
        qos.remark.<profile>.switch-priority.<sp>.pcp               0-7
        qos.pfc.<profile>.switch-priority.<sp>                      {}
        qos.pfc.<profile>.tx                                        enable|disable
        qos.pfc.<profile>.rx                                        enable|disable
        qos.pfc.<profile>.cable-length                              1-100000
        qos.pfc.<profile>.xoff-threshold                            1-
        qos.pfc.<profile>.xon-threshold                             1-
        qos.pfc.<profile>.port-buffer                               1-
[17-]   qos.pfc.<profile>.small-packet-probability                  0-100
        qos.link-pause.<profile>.tx                                 enable|disable
        qos.link-pause.<profile>.rx                                 enable|disable
        qos.link-pause.<profile>.cable-length                       1-100000
        qos.link-pause.<profile>.xoff-threshold                     1-
        qos.link-pause.<profile>.xon-threshold                      1-
        qos.link-pause.<profile>.port-buffer                        1-
        qos.congestion-control.<profile>.traffic-class.<tc>.min-threshold   1-
        qos.congestion-control.<profile>.traffic-class.<tc>.max-threshold   1-
        qos.congestion-control.<profile>.traffic-class.<tc>.probability     0-100
        qos.congestion-control.<profile>.traffic-class.<tc>.ecn             enable|disable
        qos.congestion-control.<profile>.traffic-class.<tc>.red             enable|disable
[17-]   qos.congestion-control.<profile>.traffic-class.<tc>.mode            absolute|relative
[17-]   qos.congestion-control.<profile>.traffic-class.<tc>.min-threshold-percent   0-100
[17-]   qos.congestion-control.<profile>.traffic-class.<tc>.max-threshold-percent   0-100
        qos.egress-queue-mapping.<profile>.switch-priority.<sp>.traffic-class       0-7
        qos.egress-scheduler.<profile>.traffic-class.<tc>.mode              dwrr|strict
        qos.egress-scheduler.<profile>.traffic-class.<tc>.bw-percent        0-100
[16-]   qos.egress-shaper.<profile>.mode                            kbps|pps
        qos.egress-shaper.<profile>.port-max-rate                   0-2147483647
        qos.egress-shaper.<profile>.traffic-class.<tc>.min-rate     0-2147483647
        qos.egress-shaper.<profile>.traffic-class.<tc>.max-rate     0-2147483647
        qos.traffic-pool.<profile>.memory-percent                   1-100
        qos.traffic-pool.<profile>.switch-priority.<sp>             {}
        qos.pfc-watchdog.polling-interval                           100-5000
        qos.pfc-watchdog.robustness                                 1-1000
        qos.roce                                                    SWITCH
[-11]   qos.roce.mode           lossy|lossless
[12-13] qos.roce.mode           lossy|lossless|lossless-single-ipool
[14-17] qos.roce.mode           lossy|lossless|lossless-single-ipool|lossy-multi-tc
[18-]   qos.roce.mode           lossy|lossless|lossless-single-ipool|lossy-multi-tc|dci-1|dci-custom
[17-]   qos.advance-buffer-config.<profile>.shared-headroom.oversubscription-ratio      1-256
[17-]   qos.advance-buffer-config.<profile>.shared-headroom.exclusive-headroom-per-pg   19456-2621440
[17-]   qos.advance-buffer-config.<profile>.shared-headroom.required-headroom-per-pg    19456-2621440
        interface.<port>.qos.mapping.profile                        @text
        interface.<port>.qos.remark.profile                         @text
        interface.<port>.qos.pfc.profile                            @text
        interface.<port>.qos.link-pause.profile                     @text
        interface.<port>.qos.congestion-control.profile             @text
        interface.<port>.qos.egress-scheduler.profile               @text
        interface.<port>.qos.egress-shaper.profile                  @text
        interface.<port>.qos.pfc-watchdog.state                     enable|disable
[16-]   interface.<port>.qos.headroom.lossy.extra-threshold         192-1236480
[17-]   interface.<port>.qos.shared-headroom-pool                   enabled|disabled
"""

# Regions of qos.advance-buffer-config: bounds, path below the profile, leaves. 5.11 renamed the pools.
_FRACTIONS = [f"alpha_1_{n}" for n in (128, 64, 32, 16, 8, 4, 2)]
_MULTIPLES = [f"alpha_{n}" for n in (1, 2, 4, 8, 16, 32, 64)]
ALPHA = "|".join(["alpha_0", *_FRACTIONS, *_MULTIPLES, "alpha_infinity"])
_BYTES = "0-4294967295"
_LEAVES = {
    "reserved": _BYTES,
    "headroom": _BYTES,
    "shared-bytes": _BYTES,
    "shared-alpha": ALPHA,
    "service-pool": "0-",
    "name": "@text",
    "infinite": "true|false",
    "memory-percent": "1-100",
    "mode": "static|dynamic",
}
_POOL = "infinite memory-percent mode reserved shared-alpha shared-bytes"
_BUFFERS = (
    ("", "ingress-lossless-buffer", "service-pool shared-alpha shared-bytes"),
    ("", "ingress-lossy-buffer.priority-group.<pg>", "name reserved service-pool shared-alpha shared-bytes"),
    ("[10-]", "ingress-lossy-buffer.priority-group.<pg>", "headroom"),
    ("[10-]", "ingress-mgmt-buffer", "headroom reserved service-pool shared-alpha shared-bytes"),
    ("[10-]", "egress-mgmt-buffer", "reserved service-pool shared-alpha shared-bytes"),
    ("", "egress-lossless-buffer", "reserved service-pool shared-alpha shared-bytes"),
    ("", "egress-lossy-buffer.multicast-port", "reserved shared-bytes"),
    ("", "egress-lossy-buffer.multicast-switch-priority.<sp>", "reserved service-pool shared-alpha shared-bytes"),
    ("", "egress-lossy-buffer.traffic-class.<tc16>", "reserved service-pool shared-alpha shared-bytes"),
    ("[-10]", "ingress-pool.<pool>", _POOL),
    ("[-10]", "egress-pool.<pool>", _POOL),
    ("[11-]", "ingress-service-pool.<pool>", _POOL),
    ("[11-]", "egress-service-pool.<pool>", _POOL),
)
BUFFERS = "\n".join(
    [
        f"{bounds or ' '} qos.advance-buffer-config.<profile>.{path}.{leaf} {_LEAVES[leaf]}"
        for bounds, path, leaves in _BUFFERS
        for leaf in leaves.split()
    ]
    + ["qos.advance-buffer-config.<profile>.ingress-lossy-buffer.priority-group.<pg>.switch-priority.<sp> {}"]
)

INTERFACE = """
        interface.<port>.type       swp|eth|bond|loopback|svi|sub|peerlink|tunnel|bridge|vrf
        interface.<port>.description                @text:255
        interface.<port>.vlan                       1-4094
        interface.<port>.base-interface             none|@port
        interface.<port>.link.mtu                   552-9216
        interface.<port>.link.speed         auto|10M|100M|1G|10G|25G|40G|50G|100G|200G|400G|800G
        interface.<port>.link.duplex                half|full
        interface.<port>.link.fec                   auto|baser|off|rs|driver-auto
        interface.<port>.link.auto-negotiate        TOGGLE
        interface.<port>.link.fast-linkup           TOGGLE
        interface.<port>.link.flap-protection       SWITCH
        interface.<port>.link.state.up              {}
        interface.<port>.link.state.down            {}
        interface.<port>.link.breakout.<breakout>.lanes-per-port    '1'|'2'|'4'|'8'
[10-]   interface.<port>.link.mac-address           @mac
[16-]   interface.<port>.link.tx-squelch            auto|enabled|disabled
[17-]   interface.<port>.link.debounce.up           0-5000
[17-]   interface.<port>.link.debounce.down         0-5000
[18-]   interface.<port>.link.apsu-mode             auto|enabled|disabled
[18-]   interface.<port>.link.module-precoding      auto|enabled|disabled
        interface.<port>.bridge.domain.<domain>.access          auto|1-4094
        interface.<port>.bridge.domain.<domain>.untagged        auto|none|1-4094
        interface.<port>.bridge.domain.<domain>.vlan.<vlan>     {}
        interface.<port>.bridge.domain.<domain>.learning        TOGGLE
        interface.<port>.bridge.domain.<domain>.stp             *
[-14]   interface.<port>.ip.address.<prefix>        {}
[-14]   interface.<port>.ip.gateway.<ip>            {}
[-14]   interface.<port>.ip.vrf                     @vrf
[-14]   interface.<port>.ip.ipv4.forward            on|off
[-14]   interface.<port>.ip.ipv6.enable             on|off
[-14]   interface.<port>.ip.ipv6.forward            on|off
[-14]   interface.<port>.ip.igmp                    *
[-14]   interface.<port>.ip.neighbor-discovery      *
[-14]   interface.<port>.ip.vrr                     SWITCH
[-14]   interface.<port>.ip.vrr.address.<net>       {}
[-14]   interface.<port>.ip.vrr.mac-address         auto|@mac
[-14]   interface.<port>.ip.vrr.mac-id              none|1-255
[-14]   interface.<port>.ip.vrr.state.up            {}
[-14]   interface.<port>.ip.vrr.state.down          {}
[-14]   interface.<port>.ip.vrrp                    *
[15-]   interface.<port>.vrf                        @vrf
[15-]   interface.<port>.ipv4.address.<ipv4net>     {}
[15-]   interface.<port>.ipv4.gateway.<ipv4>        {}
[15-]   interface.<port>.ipv4.dhcp-client.state         enabled|disabled
[15-]   interface.<port>.ipv4.dhcp-client.set-hostname  enabled|disabled
[15-]   interface.<port>.ipv4.forward               enabled|disabled
[15-]   interface.<port>.ipv4.arp-timeout           60-28800
[15-]   interface.<port>.ipv4.igmp                  *
[15-]   interface.<port>.ipv4.vrr                   SWITCH
[15-]   interface.<port>.ipv4.vrr.address.<ipv4net> {}
[15-]   interface.<port>.ipv4.vrr.mac-address       auto|@mac
[15-]   interface.<port>.ipv4.vrr.mac-id            none|1-255
[15-]   interface.<port>.ipv4.vrr.vrr-state.up      {}
[15-]   interface.<port>.ipv4.vrr.vrr-state.down    {}
[15-]   interface.<port>.ipv4.vrrp                  *
[15-]   interface.<port>.ipv6.address.<ipv6net>     {}
[15-]   interface.<port>.ipv6.gateway.<ipv6>        {}
[15-]   interface.<port>.ipv6.dhcp-client.state         enabled|disabled
[15-]   interface.<port>.ipv6.dhcp-client.set-hostname  enabled|disabled
[15-]   interface.<port>.ipv6.autoconf              enabled|disabled
[15-]   interface.<port>.ipv6.state                 enabled|disabled
[15-]   interface.<port>.ipv6.forward               enabled|disabled
[15-]   interface.<port>.ipv6.neighbor-discovery    *
[15-]   interface.<port>.ipv6.vrr                   *
[15-]   interface.<port>.ipv6.vrrp                  *
        interface.<port>.router.adaptive-routing    SWITCH
        interface.<port>.router.adaptive-routing.link-utilization-threshold     1-100
        interface.<port>.router.ospf                *
        interface.<port>.router.ospf6               *
        interface.<port>.router.pbr                 *
        interface.<port>.router.pim                 *
        interface.<port>.lldp.dcbx-pfc-tlv          TOGGLE
        interface.<port>.lldp.dcbx-ets-config-tlv   TOGGLE
        interface.<port>.lldp.dcbx-ets-recomm-tlv   TOGGLE
        interface.<port>.lldp.application-tlv.udp-port.<l4port>     {}
        interface.<port>.lldp.application-tlv.tcp-port.<l4port>     {}
        interface.<port>.lldp.application-tlv.app.<word>            {}
[11-]   interface.<port>.lldp.state                 enabled|disabled
[17-]   interface.<port>.lldp.tlv                   *
        interface.<port>.bond.member.<port>         {}
        interface.<port>.bond.mode                  lacp|static
        interface.<port>.bond.lacp-rate             fast|slow
        interface.<port>.bond.lacp-bypass           TOGGLE
        interface.<port>.bond.up-delay              0-65535
        interface.<port>.bond.down-delay            0-65535
        interface.<port>.bond.mlag                  SWITCH
        interface.<port>.bond.mlag.id               auto|1-65535
        interface.<port>.acl                        *
        interface.<port>.dot1x                      *
        interface.<port>.evpn                       *
        interface.<port>.neighbor                   *
        interface.<port>.port-security              *
        interface.<port>.ptp                        *
        interface.<port>.storm-control              *
        interface.<port>.synce                      *
        interface.<port>.telemetry                  *
        interface.<port>.tunnel                     *
[11-]   interface.<port>.sflow                      *
[14-]   interface.<port>.packet-trim.egress-eligibility.traffic-class.<tc>  {}
[15-]   interface.<port>.latency-measurement        *
[18-]   interface.<port>.link-tracking              *
[18-]   interface.<port>.security                   *
"""

BRIDGE = """
        bridge.domain.<domain>.type                 vlan-aware
        bridge.domain.<domain>.untagged             none|1-4094
        bridge.domain.<domain>.encap                802.1Q
        bridge.domain.<domain>.ageing               0-65535
        bridge.domain.<domain>.mac-address          auto|@mac
        bridge.domain.<domain>.vlan-vni-offset      0-16773120
        bridge.domain.<domain>.vlan.<vlan>.vni.<vni>    *
        bridge.domain.<domain>.vlan.<vlan>.multicast    *
        bridge.domain.<domain>.vlan.<vlan>.ptp          SWITCH
        bridge.domain.<domain>.svi-force-up         SWITCH
        bridge.domain.<domain>.stp                  *
        bridge.domain.<domain>.multicast            *
[11-]   bridge.domain.<domain>.dhcp-snoop           *
[11-]   bridge.domain.<domain>.dhcp-snoop6          *
[18-]   bridge.domain.<domain>.arp-inspection       *
[18-]   bridge.default-vlan                         1-4094
"""

SYSTEM = """
        system.hostname                             @hostname
[-9]    system.config.auto-save.enable              on|off
[10-]   system.config.auto-save.state               enabled|disabled
        system.config.apply.overwrite               all|controlled
        system.config.apply.ignore.<word>           {}
        system.config.snippet                       *
[18-]   system.config.backup.state                  enabled|disabled
        system.forwarding.ecmp-hash.<hash>          TOGGLE
        system.forwarding.lag-hash.<laghash>        TOGGLE
        system.forwarding.hash-seed                 0-4294967295
        system.forwarding.profile                   *
        system.forwarding.host-route-preference     route|neighbor|route-and-neighbor
        system.forwarding.ecmp-weight-normalisation *
        system.forwarding.programming               *
[15-]   system.forwarding.resource-mode             full|half
[14-]   system.forwarding.packet-trim.profile       packet-trim-default
[14-]   system.forwarding.packet-trim.state         enabled|disabled
[14-]   system.forwarding.packet-trim.size          256-1024
[14-]   system.forwarding.packet-trim.switch-priority   0-7
[14-]   system.forwarding.packet-trim.remark.dscp   port-level|0-63
[14-]   system.forwarding.packet-trim.service-port  @port
[-14]   system.timezone                             @timezone
[15-]   system.date-time.timezone                   @timezone
[15-]   system.lldp.state                           enabled|disabled
[11-14] service.lldp.state                          enabled|disabled
        LLDP.tx-interval                            5-32768
        LLDP.tx-hold-multiplier                     1-8192
        LLDP.mode           default|force-send-cdpv1|force-send-cdpv2|force-send-lldp
        LLDP.dot1-tlv                               TOGGLE
        LLDP.lldp-med-inventory-tlv                 TOGGLE
        LLDP.application-tlv.udp-port.<l4port>.priority     0-7
        LLDP.application-tlv.tcp-port.<l4port>.priority     0-7
        LLDP.application-tlv.app.<word>.priority            0-7
[17-]   system.lldp.tlv                             *
[17-]   system.lldp.unreachable-prefix              *
[15-]   system.ntp.state                            enabled|disabled
[15-]   system.ntp.dhcp                             enabled|disabled
[15-]   system.ntp.vrf                              @vrf
[15-]   system.ntp.listen.<port>                    {}
[15-]   system.ntp.server.<host>.iburst             enabled|disabled
[15-]   system.ntp.server.<host>.state              enabled|disabled
[15-]   system.ntp.server.<host>.association-type   server|pool
[15-]   system.ntp.server.<host>.key                0-
[15-]   system.ntp.server.<host>.trusted            'yes'|'no'
[15-]   system.ntp.server.<host>.version            '3'|'4'
[15-]   system.ntp.authentication                   enabled|disabled
[15-]   system.ntp.key                              *
[-14]   service.ntp.<vrf>.listen                    @port
[-14]   service.ntp.<vrf>.server.<host>.iburst      on|off
[-14]   service.ntp.<vrf>.pool.<host>.iburst        on|off
[13-]   system.gnmi-server.state                    enabled|disabled
[13-]   system.gnmi-server.port                     1024-65535
[13-]   system.gnmi-server.listening-address.<ip>   {}
[13-]   system.gnmi-server.certificate              @text
[13-]   system.gnmi-server.mtls                     *
[13-]   system.grpc-tunnel                          *
[-10]   service.snmp-server                         *
[11-]   system.snmp-server                          *
[-14]   service.dns                                 *
[11-]   system.dns                                  *
[-12]   service.syslog                              *
[13-]   system.syslog                               *
        system.aaa                                  *
        system.acl                                  *
        system.api                                  *
        system.cli                                  *
        system.control-plane                        *
        system.counter                              *
        system.dot1x                                *
        system.global                               *
        system.link                                 *
        system.message                              *
        system.nat                                  *
        system.port-mirror                          *
        system.reboot                               *
        system.security                             *
        system.ssh-server                           *
        system.synce                                *
        system.wjh                                  *
[10-]   system.telemetry                            *
[11-]   system.sflow                                *
[12-]   system.log                                  *
[12-]   system.packages                             *
[15-]   system.contact                              @text
[15-]   system.location                             @text
[15-]   system.docker                               *
[15-]   system.events                               *
[15-]   system.serial-console                       *
[16-]   system.tech-support                         *
[18-]   system.do-spx                               *
[18-]   system.link-tracking                        *
        service.dhcp-relay                          *
        service.dhcp-relay6                         *
[-14]   service.dhcp-server                         *
[-14]   service.dhcp-server6                        *
        service.ptp.<instance>                      SWITCH
        service.ptp.<instance>.domain               0-127
        service.ptp.<instance>.priority1            0-255
        service.ptp.<instance>.priority2            0-255
        service.ptp.<instance>.ip-dscp              0-63
        service.ptp.<instance>.two-step             TOGGLE
        service.ptp.<instance>.*                    *
[-9]    service.telemetry                           *
[11-]   service.control                             *
"""

# Leaves that neighbours and peer groups share; "P." stands for their place.
_PEER = """
        P.description                       none|@text
        P.enforce-first-as                  TOGGLE
        P.multihop-ttl                      auto|1-255
        P.nexthop-connected-check           TOGGLE
        P.passive-mode                      TOGGLE
        P.password                          none|@text
        P.shutdown                          TOGGLE
        P.update-source                     @ip|@port
        P.local-as                          SWITCH
        P.local-as.asn                      1-4294967295
        P.local-as.prepend                  TOGGLE
        P.local-as.replace                  TOGGLE
        P.ttl-security                      SWITCH
        P.ttl-security.hops                 1-254
        P.timers.connection-retry           auto|1-65535
        P.timers.hold                       auto|none|3-65535
        P.timers.keepalive                  auto|none|0-65535
        P.timers.route-advertisement        auto|none|1-600
[-14]   P.capabilities.extended-nexthop     auto|on|off
[15-]   P.capabilities.extended-nexthop     auto|enabled|disabled
        P.capabilities.source-address       @ip|@port
[-14]   P.bfd.enable                        on|off
[-14]   P.bfd.detect-multiplier             2-255
[-14]   P.bfd.min-rx-interval               50-60000
[-14]   P.bfd.min-tx-interval               50-60000
[15-]   P.bfd.profile                       @text
        P.address-family.ipv4-unicast       SWITCH
        P.address-family.ipv4-unicast.add-path-tx               off|all-paths|best-per-as
        P.address-family.ipv4-unicast.nexthop-setting           auto|self|force
        P.address-family.ipv4-unicast.route-reflector-client    TOGGLE
[-12]   P.address-family.ipv4-unicast.route-server-client       on|off
        P.address-family.ipv4-unicast.soft-reconfiguration      TOGGLE
        P.address-family.ipv4-unicast.weight                    0-65535
        P.address-family.ipv4-unicast.policy.inbound.aspath-list    none|@text
        P.address-family.ipv4-unicast.policy.inbound.prefix-list    none|@text
        P.address-family.ipv4-unicast.policy.inbound.route-map      none|@text
        P.address-family.ipv4-unicast.policy.outbound.aspath-list   none|@text
        P.address-family.ipv4-unicast.policy.outbound.prefix-list   none|@text
        P.address-family.ipv4-unicast.policy.outbound.route-map     none|@text
        P.address-family.ipv4-unicast.policy.outbound.unsuppress-map    none|@text
        P.address-family.ipv4-unicast.aspath                    *
        P.address-family.ipv4-unicast.attribute-mod.aspath      TOGGLE
        P.address-family.ipv4-unicast.attribute-mod.med         TOGGLE
        P.address-family.ipv4-unicast.attribute-mod.nexthop     TOGGLE
        P.address-family.ipv4-unicast.community-advertise.extended  TOGGLE
        P.address-family.ipv4-unicast.community-advertise.large     TOGGLE
        P.address-family.ipv4-unicast.community-advertise.regular   TOGGLE
        P.address-family.ipv4-unicast.conditional-advertise     *
        P.address-family.ipv4-unicast.default-route-origination SWITCH
        P.address-family.ipv4-unicast.default-route-origination.policy  none|@text
        P.address-family.ipv4-unicast.prefix-limits.inbound.maximum     none|1-4294967295
[-9]    P.address-family.ipv4-unicast.prefix-limits.inbound.reestablish-wait    1-4294967295
[10-]   P.address-family.ipv4-unicast.prefix-limits.inbound.reestablish-wait    1-65535
        P.address-family.ipv4-unicast.prefix-limits.inbound.warning-only        TOGGLE
        P.address-family.ipv4-unicast.prefix-limits.inbound.warning-threshold   1-100
        P.address-family.ipv6-unicast       SWITCH
        P.address-family.ipv6-unicast.*     *
        P.address-family.l2vpn-evpn         SWITCH
        P.address-family.l2vpn-evpn.*       *
[16-]   P.address-family.ipv4-unreachability    *
[16-]   P.address-family.ipv6-unreachability    *
"""
_BGP = "vrf.<vrf>.router.bgp"
PEERS = _PEER.replace("P.", f"{_BGP}.neighbor.<peer>.") + _PEER.replace("P.", f"{_BGP}.peer-group.<peer>.")

# SWITCH and TOGGLE inside what is otherwise kept loosely (ROUTING): there a wrong dialect must still be noticed.
ROUTING = """
        router.adaptive-routing                     SWITCH
        router.adaptive-routing.link-utilization-threshold  TOGGLE
[-13]   router.adaptive-routing.profile             profile-1|profile-2|profile-custom
[14-]   router.adaptive-routing.profile             profile-custom
        router.bgp                                  SWITCH
        router.bgp.autonomous-system                none|leaf|spine|1-4294967295
        router.bgp.router-id                        none|@ipv4
        router.bgp.graceful-shutdown                TOGGLE
        router.bgp.wait-for-install                 TOGGLE
        router.bgp.policy-update-timer              0-600
        router.bgp.convergence-wait.time                    0-3600
        router.bgp.convergence-wait.establish-wait-time     0-3600
        router.bgp.queue-limit.input                1-4294967295
        router.bgp.queue-limit.output               1-4294967295
        router.bgp.graceful-restart.mode            off|helper-only|full
        router.bgp.graceful-restart.path-selection-deferral-time    0-3600
[-14]   router.bgp.graceful-restart.restart-time        1-3600
[-14]   router.bgp.graceful-restart.stale-routes-time   1-3600
[15-]   router.bgp.graceful-restart.restart-time        0-4095
[15-]   router.bgp.graceful-restart.stale-routes-time   1-4095
[18-]   router.bgp.vrf.active-check                 enabled|disabled
[15-]   router.bfd.state                            enabled|disabled
[16-]   router.bfd.offload                          enabled|disabled
[15-]   router.bfd.profile.<profile>.detect-multiplier  1-255
[15-]   router.bfd.profile.<profile>.min-rx-interval    10-4294967
[15-]   router.bfd.profile.<profile>.min-tx-interval    10-4294967
[15-]   router.bfd.profile.<profile>.minimum-ttl        1-254
[15-]   router.bfd.profile.<profile>.passive-mode       enabled|disabled
[15-]   router.bfd.profile.<profile>.shutdown           enabled|disabled
        router.igmp                                 *
        router.nexthop                              *
        router.ospf                                 *
        router.ospf6                                *
        router.password-obfuscation                 *
        router.pbr                                  *
        router.pim                                  *
        router.policy.prefix-list.<word>.type       ipv4|ipv6
        router.policy.prefix-list.<word>.rule.<rule>.action     permit|deny
        router.policy.prefix-list.<word>.rule.<rule>.match.<net>.min-prefix-len     0-128
        router.policy.prefix-list.<word>.rule.<rule>.match.<net>.max-prefix-len     0-128
        router.policy.route-map.<word>.rule.<rule>.action.permit    *
        router.policy.route-map.<word>.rule.<rule>.action.deny      {}
        router.policy.route-map.<word>.rule.<rule>.description      none|@text
        router.policy.route-map.<word>.rule.<rule>.match.type       ipv4|ipv6
        router.policy.route-map.<word>.rule.<rule>.match.ip-prefix-list     @text
        router.policy.route-map.<word>.rule.<rule>.match.ip-prefix-len      0-128
        router.policy.route-map.<word>.rule.<rule>.match.source-protocol bgp|connected|kernel|ospf|ospf6|sharp|static
        router.policy.route-map.<word>.rule.<rule>.match.*          *
        router.policy.route-map.<word>.rule.<rule>.set              *
        router.policy.*                             *
[-14]   router.ptm                                  *
        router.vrr                                  SWITCH
        router.vrrp                                 *
[14-]   router.segment-routing                      *
        vrf.<vrf>.router.bgp                        SWITCH
        vrf.<vrf>.router.bgp.autonomous-system      auto|leaf|spine|1-4294967295
        vrf.<vrf>.router.bgp.router-id              auto|@ipv4
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast    SWITCH
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast.network.<ipv4net>.route-map        @text
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast.redistribute.<source4>             SWITCH
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast.redistribute.<source4>.metric      auto|0-4294967295
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast.redistribute.<source4>.route-map   none|@text
[-14]   vrf.<vrf>.router.bgp.address-family.ipv4-unicast.multipaths.ebgp    1-128
[-14]   vrf.<vrf>.router.bgp.address-family.ipv4-unicast.multipaths.ibgp    1-128
[15-]   vrf.<vrf>.router.bgp.address-family.ipv4-unicast.multipaths.ebgp    1-256
[15-]   vrf.<vrf>.router.bgp.address-family.ipv4-unicast.multipaths.ibgp    1-256
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast.multipaths.compare-cluster-length  TOGGLE
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast.admin-distance.external    1-255
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast.admin-distance.internal    1-255
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast.aggregate-route.<ipv4net>.as-set           TOGGLE
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast.aggregate-route.<ipv4net>.summary-only     TOGGLE
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast.aggregate-route.<ipv4net>.route-map        none|@text
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast.rib-filter     none|@text
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast.route-export   *
        vrf.<vrf>.router.bgp.address-family.ipv4-unicast.route-import   *
[11-]   vrf.<vrf>.router.bgp.address-family.ipv4-unicast.advertise-origin   *
[11-]   vrf.<vrf>.router.bgp.address-family.ipv4-unicast.nhg-per-origin     *
[16-]   vrf.<vrf>.router.bgp.address-family.ipv4-unicast.conditional-disaggregation     *
        vrf.<vrf>.router.bgp.address-family.ipv6-unicast    SWITCH
        vrf.<vrf>.router.bgp.address-family.ipv6-unicast.*  *
        vrf.<vrf>.router.bgp.address-family.l2vpn-evpn      SWITCH
        vrf.<vrf>.router.bgp.address-family.l2vpn-evpn.*    *
[16-]   vrf.<vrf>.router.bgp.address-family.ipv4-unreachability     *
[16-]   vrf.<vrf>.router.bgp.address-family.ipv6-unreachability     *
        vrf.<vrf>.router.bgp.path-selection.multipath.aspath-ignore     TOGGLE
        vrf.<vrf>.router.bgp.path-selection.multipath.generate-asset    TOGGLE
        vrf.<vrf>.router.bgp.path-selection.multipath.*                 *
        vrf.<vrf>.router.bgp.path-selection.routerid-compare            TOGGLE
        vrf.<vrf>.router.bgp.path-selection.*       *
        vrf.<vrf>.router.bgp.neighbor.<peer>                SWITCH
        vrf.<vrf>.router.bgp.neighbor.<peer>.type           numbered|unnumbered
        vrf.<vrf>.router.bgp.neighbor.<peer>.peer-group     none|@text
        vrf.<vrf>.router.bgp.neighbor.<peer>.remote-as      internal|external|auto|1-4294967295
        vrf.<vrf>.router.bgp.neighbor.<peer>.graceful-restart.mode  auto|full|helper-only|off
[10-]   vrf.<vrf>.router.bgp.neighbor.<peer>.graceful-shutdown      TOGGLE
        vrf.<vrf>.router.bgp.peer-group.<peer>.remote-as    internal|external|1-4294967295
[12-]   vrf.<vrf>.router.bgp.peer-group.<peer>.graceful-shutdown    TOGGLE
        vrf.<vrf>.router.bgp.confederation          *
        vrf.<vrf>.router.bgp.dynamic-neighbor.limit 1-5000
        vrf.<vrf>.router.bgp.dynamic-neighbor.listen-range.<net>.peer-group     @text
        vrf.<vrf>.router.bgp.rd                     *
        vrf.<vrf>.router.bgp.route-export           *
        vrf.<vrf>.router.bgp.route-import           *
        vrf.<vrf>.router.bgp.route-reflection       *
[16-]   vrf.<vrf>.router.bgp.soo-source             none|@ipv4
[17-]   vrf.<vrf>.router.bgp.advertisement-delay    *
[18-]   vrf.<vrf>.router.bgp.plane-id               1-16
        vrf.<vrf>.router.bgp.timers.conditional-advertise   none|5-240
        vrf.<vrf>.router.bgp.timers.connection-retry        1-65535
        vrf.<vrf>.router.bgp.timers.hold                    none|3-65535
        vrf.<vrf>.router.bgp.timers.keepalive               none|0-65535
        vrf.<vrf>.router.bgp.timers.route-advertisement     none|1-600
        vrf.<vrf>.router.*                          *
        vrf.<vrf>.table                             auto|0-
        vrf.<vrf>.evpn                              *
        vrf.<vrf>.loopback                          *
        vrf.<vrf>.ptp                               *
[15-]   vrf.<vrf>.dhcp-server-v4                    *
[15-]   vrf.<vrf>.dhcp-server-v6                    *
        evpn                                        SWITCH
        evpn.*                                      *
        mlag                                        SWITCH
        mlag.backup.<ip>.vrf                        @vrf
        mlag.debug                                  TOGGLE
        mlag.init-delay                             1-900
        mlag.mac-address                            auto|@mac
        mlag.peer-ip                                linklocal|@ip
        mlag.priority                               0-65535
        nve.vxlan                                   SWITCH
        nve.vxlan.*                                 *
        platform                                    *
        acl.<word>.type                             ipv4|ipv6|mac
        acl.<word>.rule.<rule>                      *
[13-]   maintenance                                 *
"""

LINES = QOS + BUFFERS + INTERFACE + BRIDGE + SYSTEM + PEERS + ROUTING
