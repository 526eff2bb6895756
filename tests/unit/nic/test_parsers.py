# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tools print, in the forms that are known, as data.

The texts are written after: att/netarbiter nvmf/OUTPUTSAMPLE.setup-nic-lossless-layer3.sh.md (old mlnx_qos),
Mellanox/mlnx-tools python/mlnx_qos (lines of newer ones and its complaints), iproute2 dcb (JSON), mstflint
mlxconfig/mlxcfg_ui.cpp and the listings of sriov-network-operator pull request 358 and dpservice issue 26.
"""

from __future__ import annotations

import json

import pytest

from ansible_collections.lossless.fabric.plugins.module_utils.nic import dcb, mlnx_qos, mlxconfig

MAP = "".join(
    f"        prio:{p} dscp:" + "".join(f"{d:02d}," for d in range(p * 8 + 7, p * 8 - 1, -1)) + "\n" for p in range(8)
)
TCS = "".join(
    f"tc: {tc} ratelimit: unlimited, tsa: vendor\n         priority:  {p}\n"
    for tc, p in enumerate((1, 0, 2, 3, 4, 5, 6, 7))
)
OLD = f"""DCBX mode: OS controlled
Priority trust state: dscp
dscp2prio mapping:
{MAP}Cable len: 7
PFC configuration:
        priority    0   1   2   3   4   5   6   7
        enabled     0   0   0   1   0   0   0   0
{TCS}"""
NEW = """DCBX mode: Firmware controlled
Priority trust state: dscp
dscp2prio mapping:
\tprio:0 dscp:00,01,02,03,04,05,06,07,
\tprio:0 dscp:08,09,10,11,12,13,14,15,
\tprio:3 dscp:26,
\tprio:6 dscp:48,
Receive buffer size (bytes): 20480,242816,0,0,0,0,0,0,max_buffer_size=1048448
Cable len: 5
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0
\tbuffer      0   0   0   1   0   0   0   0
tc: 0 ratelimit: unlimited, tsa: ets, bw: 50%
\t priority:  0
\t priority:  1
\t priority:  2
\t priority:  4
\t priority:  5
\t priority:  7
tc: 1 ratelimit: unlimited, tsa: strict
tc: 3 ratelimit: 25.0 Gbps, tsa: ets, bw: 50%
\t priority:  3
tc: 6 ratelimit: unlimited, tsa: strict
\t priority:  6
"""
PCP = """****** WARNING: lldpad service is running and may overwrite your settings ******

DCBX mode: OS controlled
Priority trust state: pcp
Cable len: 7
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   0   0   0   0   0
tc: 0 ratelimit: unlimited, tsa: vendor
\t priority:  0
"""
LACKING = """Priority trust state is not supported on your system
Buffers commands are not supported on your system
Rate limit is not supported on your system!
DCBX mode: OS controlled
Priority trust state: none
Cable len: 7
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   0   0   0   0   0
"""


def test_mlnx_qos_of_old_releases():
    found = mlnx_qos.parse(OLD)
    assert (found["dcbx"], found["trust"], found["cable_length"], found["pfc"]) == ("os", "dscp", 7, [3])
    assert found["dscp_to_priority"] == [dscp >> 3 for dscp in range(64)]
    assert found["ets"]["priority_to_tc"] == [1, 0, 2, 3, 4, 5, 6, 7]
    assert found["ets"]["tsa"] == ["vendor"] * 8
    assert "buffer_size" not in found and "priority_to_buffer" not in found


def test_mlnx_qos_of_newer_releases():
    found = mlnx_qos.parse(NEW)
    assert found["dcbx"] == "firmware"
    assert found["buffer_size"] == [20480, 242816, 0, 0, 0, 0, 0, 0] and found["total_size"] == 1048448
    assert found["priority_to_buffer"] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert found["dscp_to_priority"][26] == 3 and found["dscp_to_priority"][15] == 0
    assert found["dscp_to_priority"][63] is None
    assert found["ets"]["tsa"] == ["ets", "strict", None, "ets", None, None, "strict", None]
    assert found["ets"]["bandwidth"] == [50, 0, 0, 50, 0, 0, 0, 0]
    assert found["ets"]["priority_to_tc"] == [0, 0, 0, 3, 0, 0, 6, 0]


def test_mlnx_qos_with_lldpad_and_pcp():
    found = mlnx_qos.parse(PCP)
    assert found["warnings"] == ["WARNING: lldpad service is running and may overwrite your settings"]
    assert found["trust"] == "pcp" and "dscp_to_priority" not in found and found["pfc"] == []


def test_mlnx_qos_tells_what_the_driver_lacks():
    found = mlnx_qos.parse(LACKING)
    assert found["trust"] == "none" and len(found["complaints"]) == 3
    assert "ets" not in found and "buffer_size" not in found


def test_dcb_json():
    assert dcb.parse("pfc", json.loads('{"pfc_cap":8,"delay":7,"prio_pfc":[false,false,false,true,false,false]}')) == {
        "pfc": [3],
        "cable_length": 7,
    }
    # 6.1 prints a third element that is a blank.
    found = dcb.parse("app", json.loads('{"dscp_prio":[[26,3," "],[48,6," "]]}'))
    assert found["trust"] == "dscp" and found["dscp_to_priority"][26] == 3 and found["dscp_to_priority"][0] is None
    assert dcb.parse("app", {})["trust"] == "pcp"
    assert dcb.parse("dcbx", {"cee": True, "ieee": True}) == {"dcbx": "firmware"}
    assert dcb.parse("dcbx", {"host": True, "ieee": True}) == {"dcbx": "os"}


FULL = """
Device #1:
----------

Device type:        ConnectX6LX
Name:               MCX631102AN-ADA_Ax
Description:        ConnectX-6 Lx EN adapter card; 25GbE; Dual-port SFP28; PCIe 4.0 x8; No Crypto
Device:             0000:19:00.0

Configurations:                              Default         Current         Next Boot
         MEMIC_BAR_SIZE                      0               0               0
         MEMIC_SIZE_LIMIT                    _256KB(1)       _256KB(1)       _256KB(1)
*        HOST_CHAINING_MODE                  DISABLED(0)     DISABLED(0)     BASIC(1)
         HOST_CHAINING_DESCRIPTORS           Array[0..7]     Array[0..7]     Array[0..7]
*        SRIOV_EN                            False(0)        True(1)         True(1)
  RO     NUM_PF_MSIX                         63              63              63
         ROCE_CC_PRIO_MASK_P1                255             255             255
         KEEP_ETH_LINK_UP_P2                 N/A             N/A             True(1)
The '*' shows parameters with next value different from default/current value.

The 'RO' shows parameters which are for read only and cannot be changed
"""


def test_mlxconfig_with_three_columns():
    found, header = mlxconfig.parse(FULL)
    assert header["device type"] == "ConnectX6LX" and header["description"].endswith("No Crypto")
    assert found["SRIOV_EN"].facts() == {"default": "False(0)", "current": "True(1)", "next": "True(1)"}
    assert not found["SRIOV_EN"].pending, "the star also marks what only differs from the default"
    assert found["HOST_CHAINING_MODE"].pending
    assert found["HOST_CHAINING_DESCRIPTORS"].array == (0, 7)
    assert found["NUM_PF_MSIX"].read_only and not found["SRIOV_EN"].read_only
    assert found["KEEP_ETH_LINK_UP_P2"].current.number is None
    assert len(found) == 8


def test_mlxconfig_of_firmware_that_tells_next_boot_only():
    found, _ = mlxconfig.parse("Configurations:              Next Boot\n        ROCE_CC_PRIO_MASK_P1   255\n")
    parameter = found["ROCE_CC_PRIO_MASK_P1"]
    assert parameter.current is None and parameter.next.number == "255" and not parameter.pending


@pytest.mark.parametrize(
    ("text", "wants", "others"),
    [
        ("True(1)", [True, 1, "1", "true", "True", "yes"], [False, 0, "off"]),
        ("False(0)", [False, 0, "no"], [True, "1"]),
        ("ETH(2)", ["ETH", "eth", 2, "2"], ["IB", 1, True]),
        ("OFF(0)", ["OFF", 0, False], ["ALL", 2]),
        ("_4_VLs(3)", ["_4_VLs", 3], [4]),
        ("255", [255, "255", "0xff"], [8, "254"]),
        ("0", [0, False], [1]),
        ("N/A", [], [0, 1, "x"]),
    ],
)
def test_mlxconfig_values(text, wants, others):
    value = mlxconfig.Value(text)
    assert all(value.means(want) for want in wants), [want for want in wants if not value.means(want)]
    assert not any(value.means(other) for other in others), [other for other in others if value.means(other)]
