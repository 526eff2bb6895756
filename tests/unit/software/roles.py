# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles' own defaults and settings, and a host on which a plan was carried out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jinja2.nativetypes import NativeEnvironment

from ansible_collections.lossless.fabric.plugins.module_utils.host.machine import Machine
from ansible_collections.lossless.fabric.plugins.module_utils.software.facts import gather
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.decision import BUILDERS, Decision, decide
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.plan import LOCKS
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.stack import EARLY, VARIABLES
from tests.unit.software.keys import KEYS
from tests.unit.software.machines import Host

ROLES = Path(__file__).parents[3] / "roles"
# What a site has to give: GDRCopy has no repository of its vendor.
SITE = {
    "gpudirect_repository_url": "http://mirror/gdrcopy/{platform}/",
    "gpudirect_repository_key_url": "http://mirror/key",
    "gpudirect_repository_key_fingerprints": [KEYS["rsa"].fingerprint],
    **{
        f"{name}_key_fingerprints": [KEYS["rsa"].fingerprint]
        for name in (
            *("rdma_stack_doca", "rdma_stack_mlnx_ofed", "nvidia_driver_apt", "nvidia_driver_dnf"),
            *("cuda_apt", "cuda_dnf"),
        )
    },
}


@cache
def _read(role: str, file: str) -> Any:
    return yaml.safe_load((ROLES / role / file).read_text())


def variables(**changed: Any) -> dict[str, Any]:
    """Variables of all four roles."""
    values: dict[str, Any] = {}
    for role in BUILDERS:
        values |= _read(role, "defaults/main.yml")
    return {**values, **SITE, **changed}


def settings(role: str, values: dict[str, Any]) -> dict[str, Any]:
    """As the role gives them."""
    environment = NativeEnvironment()
    environment.filters["bool"] = bool
    task = _read(role, "tasks/main.yml")[0]

    def render(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: render(item) for key, item in value.items()}
        name = value.strip("{} ").split(" ")[0]
        return values[name] if value == f"{{{{ {name} }}}}" else environment.from_string(value).render(**values)

    return render(task["vars"]["software_settings"])


class Site:
    """A host and what a site wants of it."""

    def __init__(self, folder: Path, host: Host, **changed: Any) -> None:
        self.folder = folder
        self.host = host
        self.values = variables(**changed)
        self._reads = 0

    def facts(self) -> dict[str, Any]:
        """Read the host as it is now."""
        self._reads += 1
        return gather(Machine(self.host.build(self.folder / str(self._reads))))

    def decide(self, role: str, rows: Any = ()) -> Decision:
        """What the role would do."""
        parts = {part: self.values.get(name) for part, name in (VARIABLES | EARLY).items()}
        return decide(role, settings(role, self.values), parts, self.facts(), rows)

    def apply(self, role: str) -> Decision:
        """Carry out the plan as package manager, kernel and systemd would, and decide again."""
        decision = self.decide(role)
        plan = decision.plan
        host = replace(self.host, headers=True)
        host.keys = {**host.keys, **{key["path"]: KEYS["rsa"].data for key in plan.keys}}
        host.files = {**host.files, **{file["path"]: file["content"] for file in plan.files}}
        for stream in plan.streams:
            name, _, value = stream.partition(":")
            text = f"name={name}\nstream={value}\nstate=enabled\n"
            host.files[f"/etc/dnf/modules.d/{name}.module"] = text
        host.packages = {**host.packages, **dict.fromkeys(plan.tools, "0:4.3.0-1")}
        for package in plan.packages:
            name, version = package["name"], decision.wanted.packages.get(package["name"], "1")
            plain = (version or "1.0").replace(".*", ".0")
            host.packages = {**host.packages, name: plain if "-" in plain else f"{plain}-1"}
        host.held = host.held | set(plan.holds)
        host.dkms = {**host.dkms, **{f"{name}/1": "installed" for name in decision.wanted.dkms}}
        host.modules = {**host.modules, **dict.fromkeys(plan.modules, ("1", "1"))}
        host.services = {**host.services, **dict.fromkeys(plan.services, "active")}
        self.host = host
        assert LOCKS not in host.files or not host.apt
        return self.decide(role)
