# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Published reference designs, found in public: what they say, what we count, and why a count differs."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.choose import choose
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.request import (
    NodeKind,
    Request,
    SwitchKind,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.topology import Topology

NODE = NodeKind()
R32, R64, R128 = SwitchKind("R32", 32), SwitchKind("R64", 64), SwitchKind("R128", 128)


@dataclass(frozen=True)
class Design:
    """A published design. ``published``: leaf, spine, core; None where it does not say."""

    name: str
    source: str
    request: Request
    published: tuple[int | None, int | None, int | None]
    ours: tuple[int, int, int] | None = None  # where it differs
    why: str = ""


DESIGNS = [
    Design(
        "NVIDIA DGX SuperPOD H100, 4 SU, 127 nodes",
        "docs.nvidia.com/dgx-superpod, scalable infrastructure H100",
        Request(NODE, 127, R64),
        (32, 16, 0),
    ),
    Design(
        "Juniper JVD, stripe of QFX5220, 16 servers",
        "juniper.net, jvd-ai-dc-apstra-nvidia-weka, calculating leaf and spine nodes",
        Request(NODE, 16, R32, layout="rail-optimised"),
        (8, None, 0),
    ),
    Design(
        "Juniper JVD, stripe of QFX5230, 32 servers",
        "the same, available ports / 2 servers per stripe, 8 leafs",
        Request(NODE, 32, R64, layout="rail-optimised"),
        (8, None, 0),
    ),
    Design(
        "Juniper JVD, stripe of QFX5240 (128 x 400G), 64 servers",
        "the same",
        Request(NODE, 64, R128, layout="rail-optimised"),
        (8, None, 0),
    ),
    Design(
        "Asterfusion CX864E-N, 64 nodes of 4 GPUs",
        "cloudswit.ch, AI compute backend fabric configuration guide: 4 leafs, 2 spines",
        Request(NodeKind(gpus=4, nics=4), 64, SwitchKind("CX864E-N", 64, 800000, 2), layout="rail-optimised"),
        (4, 2, 0),
    ),
    Design(
        "IP Infusion, 256 GPUs, rail-only",
        "ipinfusion.com/ai-fabric-topologies: 8 leafs, 32 GPUs each, no spine",
        Request(NODE, 32, R64, layout="rail-only"),
        (8, 0, 0),
    ),
    Design(
        "IP Infusion, 1,024 GPUs, leafs TH4, spines TH5",
        "the same: 32 leafs, 8 spines",
        Request(NODE, 128, R64, R128, layout="rail-optimised"),
        (32, 8, 0),
    ),
    Design(
        "IP Infusion, 4,096 GPUs, superspines TH5",
        "the same: 128 leafs, 64 spines, 16 superspines, called non-blocking",
        Request(NODE, 512, R64, R128, R128, layout="three-tier"),
        (128, 64, 16),
        (128, 64, 32),
        "4,096 uplinks of spines need 32 x 128 ports; 16 superspines have 2,048, which is 2:1",
    ),
    Design(
        "Cluster sizing guide, 1,024 GPUs at 2:1",
        "losslessnetwork.com, cluster sizing and cabling: 32 leafs of 32 down and 16 up, 8 spines",
        Request(NODE, 128, R64, layout="rail-optimised", down=32, up=16),
        (32, 8, 0),
    ),
    Design(
        "Alibaba HPN pod, 15,360 GPUs, 2 x 200G in two planes",
        "SIGCOMM 2024; template of aliyun/SimAI: 240 ToRs, 120 aggregation switches (120 of 128 ports down)",
        Request(
            NodeKind(speed=400000, planes=2), 1920, SwitchKind("51.2T", 128, 400000, 2), layout="rail-optimised",
            stripe=128, down=128, up=60, spine_down=120, uplink_speed=400000,
        ),
        (240, 120, None),
    ),
    Design(
        "Template of SimAI, Spectrum-X, 4,096 GPUs",
        "aliyun/SimAI: 64 leafs of 64 NICs, 64 spines",
        Request(NODE, 512, R128, layout="rail-optimised"),
        (64, 64, 0),
        (64, 32, 0),
        "one link from each leaf to each spine uses half of the ports of a spine; with two links half of the spines do",
    ),
    Design(
        "Meta, 24,576 GPUs: racks of two nodes, 1,536 ToRs",
        "Llama 3 herd of models, 2024: a ToR per rack of 16 GPUs, 8 pods of 3,072 GPUs",
        Request(
            NODE, 3072, R64, SwitchKind("modular", 576), SwitchKind("modular", 576), layout="three-tier", stripe=2,
            up=16, down=16, spine_down=192, spine_oversubscription=7,
        ),
        (1536, None, None),
    ),
]  # fmt: skip


def counts(found: Topology) -> tuple[int, int, int]:
    return found.leaf, found.spine, found.core


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.name)
def test_published(design: Design):
    found = counts(choose(design.request))
    wanted = design.ours or tuple(
        ours if said is None else said for said, ours in zip(design.published, found, strict=True)
    )
    assert found == wanted
    assert bool(design.ours) == bool(design.why)


def test_table(capsys: pytest.CaptureFixture):
    """The table as a reader wants it."""
    lines = [f"{'design':58} {'published':>16} {'ours':>16}"]
    for design in DESIGNS:
        said = "/".join("-" if n is None else str(n) for n in design.published)
        ours = "/".join(map(str, counts(choose(design.request))))
        lines.append(f"{design.name:58} {said:>16} {ours:>16}  {design.why}")
    with capsys.disabled():
        print("\n" + "\n".join(lines))
    assert len(lines) == len(DESIGNS) + 1
