# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nic_firmware on a machine with stand-ins of mstconfig and mstfwreset: next boot, reset and reboot with consent."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.integration.machine import NICS, Guest, guest, role

pytestmark = pytest.mark.machine

MODULE = "lossless.fabric.nic_firmware"
SETTINGS = {"LINK_TYPE": "ETH", "LLDP_NB_RX_MODE": "OFF", "LLDP_NB_DCBX": False}
SHIPPED = {"LLDP_NB_RX_MODE_P1": "ALL(2)", "LLDP_NB_DCBX_P1": "True(1)"}
WANTED = {"LLDP_NB_RX_MODE_P1": "OFF(0)", "LLDP_NB_DCBX_P1": "False(0)"}
DRIVERS = ["mlx5_core", "e1000e"]


def policy(host: Guest, **more: Any) -> dict[str, Any]:
    nics = [{"name": name, "device": address} for name, address in zip(NICS, host.nics, strict=True)]
    return {"nics": nics, "settings": SETTINGS, "dcqcn_priorities": [3], "drivers": DRIVERS} | more


def values(host: Guest, *names: str) -> list[dict[str, tuple[str, str]]]:
    """Current and next value of settings of both NICs, as the tool prints them."""
    script = f"for nic in {' '.join(host.nics)}; do mstconfig -d $nic -e q {' '.join(names)}; done"
    per_nic = host.sh(script).split("Device #1:")[1:]
    assert len(per_nic) == len(NICS)
    return [{n: (c, f) for n, c, f in re.findall(r"^.{8}(\w+) +\S+ +(\S+) +(\S+) *$", said, re.M)} for said in per_nic]


def interfaces(host: Guest) -> list[list[str]]:
    """Name and number of both interfaces. An interface that went away and came back has another number."""
    nets = " ".join(f"/sys/bus/pci/devices/{nic}/net" for nic in host.nics)
    said = host.sh(f"for net in {nets}; do name=$(ls $net); echo $name $(cat $net/$name/ifindex); done")
    return [line.split() for line in said.splitlines()]


def boot(host: Guest) -> str:
    return host.sh("cat /proc/sys/kernel/random/boot_id")


def changed(result: dict[str, Any]) -> set[tuple[str, str]]:
    return {(n, key) for n, nic in result["nics"].items() for key, e in nic["parameters"].items() if e["changed"]}


def converge(host: Guest, /, **variables: Any) -> int:
    """Changes of a run of the role, which has to succeed."""
    run = host.play([role("lossless.fabric.nic_firmware", **variables)])
    assert run.rc == 0, run.output
    return run.changed.get(host.name, 0)


def test_from_factory_to_effect(tmp_path: Path):
    with guest(tmp_path, acs=False) as host:
        written_for_the_next_boot(host)
        reset_with_consent(host)
        drift(host)
        refused(host)


def written_for_the_next_boot(host: Guest) -> None:
    """Check mode predicts; a run writes what the next boot has, and nothing is reset without consent."""
    shipped = [{name: (value, value) for name, value in SHIPPED.items()}] * 2
    before = interfaces(host)
    assert values(host, *SHIPPED) == shipped
    predicted = host.module(MODULE, "--check", "--diff", **policy(host))
    assert predicted["changed"] and predicted["reset_needed"] == list(NICS), predicted
    assert values(host, *SHIPPED) == shipped

    done = host.module(MODULE, "--diff", **policy(host))
    assert done["changed"] and not done.get("failed") and done["findings"] == done["unsupported"] == [], done
    assert changed(done) == {(nic, name) for nic in NICS for name in WANTED}
    assert done["diff"] == predicted["diff"] and done["reset_needed"] == list(NICS)
    for name in NICS:
        assert done["nics"][name]["parameters"] == predicted["nics"][name]["parameters"]
        assert done["nics"][name]["tool"] == "mstconfig" and done["nics"][name]["type"] == "ConnectX7"
    waiting = [{name: (SHIPPED[name], WANTED[name]) for name in WANTED}] * 2
    assert values(host, *WANTED) == waiting

    again = host.module(MODULE, **policy(host))
    assert not again["changed"] and again["reset_needed"] == list(NICS), again
    pending = {name: {"current": SHIPPED[name], "next": WANTED[name]} for name in WANTED}
    assert [again["nics"][name]["pending"] for name in NICS] == [pending] * 2
    assert interfaces(host) == before and values(host, *WANTED) == waiting


def reset_with_consent(host: Guest) -> None:
    """The NIC is reset, its interface comes back under its name, and the values are in effect."""
    before = interfaces(host)
    predicted = host.module(MODULE, "--check", **policy(host, allow_reset=True))
    assert predicted["changed"] and interfaces(host) == before

    done = host.module(MODULE, **policy(host, allow_reset=True))
    assert done["changed"] and not done.get("failed") and done["reset_needed"] == [], done
    assert [done["nics"][name]["reset_done"] for name in NICS] == [True, True]
    assert values(host, *WANTED) == [{name: (value, value) for name, value in WANTED.items()}] * 2
    after = interfaces(host)
    assert [name for name, _ in after] == [name for name, _ in before]
    assert all(new != old for (_, new), (_, old) in zip(after, before, strict=True))

    again = host.module(MODULE, **policy(host, allow_reset=True))
    assert not again["changed"] and interfaces(host) == after, again


def drift(host: Guest) -> None:
    """What somebody set for the next boot is seen and set back; as it never was in effect, nothing has to be reset."""
    host.sh(f"mstconfig -d {host.nics[1]} -y set LLDP_NB_RX_MODE_P1=MANDATORY")
    seen = host.module(MODULE, "--check", **policy(host))
    assert changed(seen) == {("rail1", "LLDP_NB_RX_MODE_P1")} and seen["reset_needed"] == [], seen
    done = host.module(MODULE, **policy(host))
    assert changed(done) == changed(seen) and done["reset_needed"] == [], done
    assert values(host, "LLDP_NB_RX_MODE_P1")[1] == {"LLDP_NB_RX_MODE_P1": ("OFF(0)", "OFF(0)")}


def refused(host: Guest) -> None:
    """A name that is nobody's, a setting that this NIC lacks, a value too big: told, and nothing is written."""
    everything = values(host)
    assert len(everything[0]) > 50
    told = host.module(MODULE, **policy(host, settings={"SRIOV_ENN": True, "NUM_OF_VFS": 4}, allow_reset=True))
    assert told["failed"] and not told["changed"], told
    assert {(f["nic"], f["key"], f["actual"]) for f in told["findings"] if f["severity"] == "error"} == {
        (name, "SRIOV_ENN", "it does not know this one") for name in NICS
    }
    lacking = host.module(MODULE, **policy(host, settings={"INTERNAL_CPU_MODEL": 1}))
    assert not lacking.get("failed") and not lacking["changed"], lacking
    assert {(lack["nic"], lack["key"]) for lack in lacking["unsupported"]} == {(n, "INTERNAL_CPU_MODEL") for n in NICS}
    assert sum("INTERNAL_CPU_MODEL stays as it is" in warning for warning in lacking["warnings"]) == 2
    wrong = host.module(MODULE, **policy(host, settings={"CNP_DSCP": 64}))
    assert wrong["failed"] and "The value 64 is not valid" in wrong["msg"], wrong
    assert "rail0" in wrong["msg"] and "CNP_DSCP_P1=64" in wrong["msg"]
    assert values(host) == everything


def test_reboot_with_consent(tmp_path: Path):
    """The role leaves a host alone until it may reboot it; then values that an earlier run wrote are in effect."""
    with guest(tmp_path, acs=False) as host:
        nics = [{"name": name, "pci_address": address} for name, address in zip(NICS, host.nics, strict=True)]
        variables = {
            "host": {"nics": nics, "roce": {"priority": 3}},
            "nic_firmware_settings": {"MAX_ACC_OUT_READ": 128},  # hidden until another is on
            "nic_firmware_drivers": DRIVERS,
        }
        before = boot(host)
        assert converge(host, **variables) == 1 and boot(host) == before
        assert values(host, "MAX_ACC_OUT_READ") == [{"MAX_ACC_OUT_READ": ("0", "128")}] * 2

        second = converge(host, nic_firmware_allow_reboot=True, **variables)
        after = boot(host)
        assert second == 1 and after != before
        assert values(host, "MAX_ACC_OUT_READ") == [{"MAX_ACC_OUT_READ": ("128", "128")}] * 2

        assert converge(host, nic_firmware_allow_reboot=True, **variables) == 0 and boot(host) == after
