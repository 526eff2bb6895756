# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nic_qos on a machine with the real dcb of iproute2 and stand-in NICs: predicted, set, read back, kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.integration.machine import NICS, Guest, guest

pytestmark = pytest.mark.machine

MODULE = "lossless.fabric.nic_qos"
ROCE = {"profile": "ROCE", "trust": "dscp", "priority": 3, "dscp": [26], "cnp_priority": 6, "cnp_dscp": [48]}
CABLE = 3
ONLY_3 = [priority == 3 for priority in range(8)]


def policy(host: Guest, **more: Any) -> dict[str, Any]:
    nics = [
        {"name": name, "device": address, "cable_length": CABLE} for name, address in zip(NICS, host.nics, strict=True)
    ]
    drivers = ["mlx5_core", "e1000e"]
    return {"roce": ROCE, "nics": nics, "drivers": drivers, "allow_link_flap": True, "firmware": False} | more


def settings(host: Guest) -> list[dict[str, Any]]:
    """What dcb and ethtool say of both NICs."""
    script = """
        for nic in {nics}; do
          device=$(ls /sys/bus/pci/devices/$nic/net)
          for object in dcbx pfc ets app; do dcb -j $object show dev $device; echo; done
          ethtool -a $device | awk '/^(RX|TX):/ {{ printf "%s", $2 }}'; echo
        done
    """
    lines = [line for line in host.sh(script.format(nics=" ".join(host.nics))).splitlines() if line]
    assert len(lines) == 10, lines
    names = ("dcbx", "pfc", "ets", "app")
    return [
        {name: json.loads(line) for name, line in zip(names, lines[at : at + 4], strict=True)}
        | {"pause": lines[at + 4]}
        for at in (0, 5)
    ]


def pause_counters(host: Guest) -> list[str]:
    """Counters of received PAUSE frames: a NIC has them for priorities with PFC."""
    script = (
        "for nic in {nics}; do ethtool -S $(ls /sys/bus/pci/devices/$nic/net); done | grep -o 'rx_prio[0-7]_pause:'"
    )
    return host.sh(script.format(nics=" ".join(host.nics))).replace(":", "").split()


def test_set_and_kept(tmp_path: Path):
    with guest(tmp_path, acs=False) as host:
        before = settings(host)
        assert [nic["pfc"]["delay"] for nic in before] == [7, 7], "as mlx5 starts"
        predicted = host.module(MODULE, "--check", "--diff", **policy(host))
        assert predicted["changed"], predicted
        assert settings(host) == before

        done = host.module(MODULE, "--diff", **policy(host))
        assert done["changed"] and not done.get("failed"), done
        assert not [finding for finding in done["findings"] if finding["severity"] == "error"]
        assert done["unsupported"] == []
        # RDMA-CM values cannot be read before rdma_cm is loaded, which check mode does not do.
        for name in NICS:
            for key, entry in done["nics"][name]["settings"].items():
                if not key.startswith("rdma_cm"):
                    assert predicted["nics"][name]["settings"][key] == entry, (name, key)
        assert predicted["files"] == done["files"]
        lossless = settings(host)
        for nic in lossless:
            assert nic["pfc"]["prio_pfc"] == ONLY_3
            assert nic["pfc"]["delay"] == CABLE
            assert {"26:3", "48:6"} <= {f"{dscp}:{priority}" for dscp, priority in nic["app"]["dscp_prio"]}
            assert [priority for dscp, priority in nic["app"]["dscp_prio"] if dscp not in (26, 48)] == [0] * 62
            assert nic["ets"]["tc_tsa"][3] == nic["ets"]["tc_tsa"][0] == "ets"
            assert nic["ets"]["tc_tsa"][6] == "strict"
            assert (nic["ets"]["tc_bw"][3], nic["ets"]["tc_bw"][0]) == (50, 50)
            assert nic["pause"] == "offoff"
        assert pause_counters(host) == ["rx_prio3_pause", "rx_prio3_pause"]
        again = host.module(MODULE, **policy(host))
        assert not again["changed"], again

        reload(host)
        assert settings(host) == lossless
        after = host.module(MODULE, "--check", **policy(host))
        assert not after["changed"], after

        unknown = host.module(MODULE, **policy(host, nics=[{"name": "mgmt0"}], persist=False))
        (finding,) = unknown["findings"]
        assert unknown["failed"] and finding["severity"] == "error" and finding["actual"].startswith("virtio_net:")
        half = policy(host, nics=[{"name": "mgmt0"}], drivers=["virtio_net"], persist=False)
        told = host.module(MODULE, **half)
        assert told["failed"] and not told["changed"]
        assert {f["nic"] for f in told["findings"]} == {"mgmt0"}
        errors = [f for f in told["findings"] if f["severity"] == "error"]
        assert {"pfc", "trust", "dscp_to_priority"} <= {f["key"] for f in errors}
        assert all(f["actual"].startswith("not possible: ") and f["remedy"] for f in errors), errors


def reload(host: Guest) -> None:
    """Unbind and bind the driver, and wait until the unit that udev starts has done its work."""
    script = """
        cd /sys/bus/pci/drivers/e1000e
        for nic in {nics}; do echo $nic > unbind; done
        for nic in {nics}; do ! systemctl is-active "lossless-nic-qos@net-$nic.service"; done
        for nic in {nics}; do echo $nic > bind; done
        for nic in {nics}; do
          unit="lossless-nic-qos@net-$nic.service"
          timeout 120 sh -c "until systemctl is-active -q '$unit'; do sleep 0.2; done"
          systemctl status --no-pager "$unit" || true
        done
    """
    host.sh(script.format(nics=" ".join(host.nics)))
