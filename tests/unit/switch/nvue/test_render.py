# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Model -> tree, in both dialects; what NVUE cannot do is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import SwitchError
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.driver import NvueDriver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render

GOLDEN = Path(__file__).parents[3] / "golden" / "nvue"


def model(**changes: Any) -> Switch:
    return Switch.model_validate(yaml.safe_load((GOLDEN / "model.yml").read_text())["switch"] | changes, strict=False)


def roce(**changes: Any) -> dict[str, Any]:
    return yaml.safe_load((GOLDEN / "model.yml").read_text())["switch"]["roce"] | changes


@pytest.mark.parametrize(("release", "name"), [((5, 14), "5.14"), ((5, 15), "5.15"), ((5, 18), "5.15"), (None, "5.15")])
def test_golden(release: tuple[int, int] | None, name: str) -> None:
    assert "---\n" + "".join(render(model(), release).values()) == (GOLDEN / f"{name}.yml").read_text()


@pytest.mark.parametrize("release", [(5, 9), (5, 10)])
def test_lldp_state_is_not_written_where_the_release_has_none(release: tuple[int, int]) -> None:
    assert "state" not in render(model(), release)["lldp"]
    with pytest.raises(SwitchError, match=r"lldp.enabled: expected true on Cumulus Linux 5\.\d+, found false.*5\.11"):
        render(model(lldp={"enabled": False}), release)


@pytest.mark.parametrize(("release", "top"), [((5, 11), "service"), ((5, 14), "service"), ((5, 15), "system")])
def test_lldp_off(release: tuple[int, int], top: str) -> None:
    text = render(model(lldp={"enabled": False}), release)["lldp"]
    assert yaml.safe_load(text)[top]["lldp"]["state"] == "disabled"


def test_unlisted_dscps_are_in_the_class_without_dscp() -> None:
    """Without an entry the switch would put DSCP 24 to 31 into the lossless class (DSCP / 8)."""
    table = yaml.safe_load(render(model(), (5, 14))["qos"])["qos"]["mapping"]["ROCE"]
    assert table["trust"] == "l3"
    priorities = {int(dscp): entry["switch-priority"] for dscp, entry in table["dscp"].items()}
    assert priorities == {dscp: {26: 3, 48: 6}.get(dscp, 0) for dscp in range(64)}


def test_trust_cos() -> None:
    table = yaml.safe_load(render(model(roce=roce(trust="cos")), (5, 14))["qos"])["qos"]["mapping"]["ROCE"]
    assert table["trust"] == "l2"
    assert "dscp" not in table
    assert {int(k): v["switch-priority"] for k, v in table["pcp"].items()} == {
        p: p if p in (3, 6) else 0 for p in range(8)
    }


def test_the_watchdog_cannot_only_notify() -> None:
    with pytest.raises(SwitchError, match="action: expected drop on Cumulus Linux, found notify"):
        render(model(roce=roce(pfc_watchdog={"action": "notify"})), (5, 14))


def test_no_watchdog_leaves_no_trace() -> None:
    rendered = render(model(roce=roce(pfc_watchdog={"enabled": False})), (5, 14))
    assert "watchdog" not in "".join(rendered.values())


def test_a_template_cannot_write_what_is_not_owned(tmp_path: Path) -> None:
    (tmp_path / "nvue").mkdir()
    (tmp_path / "nvue" / "lldp.j2").write_text("system:\n  hostname: oops\n")
    with pytest.raises(SwitchError, match=r"template nvue/lldp.j2 renders 'system hostname' for leaf01.*does not own"):
        NvueDriver(model()).intended(render(model(), (5, 14), (str(tmp_path),)))
