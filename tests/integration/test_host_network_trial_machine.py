# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Role host_network takes away the address over which Ansible comes: the machine's timer gives it back.

While nobody can log in, the machine tells over its serial console which addresses come and go.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.host_network import CONFIGURE, DELIVERED, MANAGERS, host_of, role, state, told
from tests.integration.machine import Guest, guest

pytestmark = pytest.mark.machine

# Nobody is in this network, and Ansible comes to 10.0.2.15.
ELSEWHERE = host_of([{"name": "mgmt", "mtu": 1500, "address": "10.0.9.9/24"}])
VARIABLES = ELSEWHERE | {"host_network_devices": {"mgmt": "mgmt0"}, "host_network_take_over": True}
CONSENT = {"host_network_management": ["mgmt"], "host_network_revert_after": 60}
WATCH = "systemd-run --quiet --unit=watch sh -c 'exec ip -o monitor address >/dev/ttyS0'"
LOST, BACK = r"^Deleted .*mgmt0 +inet 10\.0\.2\.15/24", r"^\d+: mgmt0 +inet 10\.0\.2\.15/24"


@pytest.mark.parametrize("manager", MANAGERS)
def test_a_change_that_cuts_the_host_off_is_undone_by_the_host(tmp_path: Path, manager: str):
    with guest(tmp_path, acs=False) as host:
        host.variables = VARIABLES
        host.sh(DELIVERED + MANAGERS[manager])
        before = state(host)

        refused = host.play([role()])
        said = told(refused, CONFIGURE)[0]["msg"]
        assert refused.rc == 2 and "mgmt0 not to be touched: the way to this host leads over it" in said, said
        assert state(host) == before

        host.sh(WATCH)
        with console(host) as lines, ThreadPoolExecutor() as pool:
            run = pool.submit(host.play, [role(**CONSENT)])
            assert any(re.search(LOST, line) for line in lines)
            assert not logs_in(host), "its address is gone"
            assert any(re.search(BACK, line) for line in lines)
            cut = run.result()
        host.sh(f"until-state <<'END'\n{before}\nEND")
        (kept,) = told(cut, "Keep the change")
        assert cut.rc == 2 and "the change was undone" in kept["msg"], cut.output
        assert "Started lossless-host-network-revert.service" in host.sh("journalctl -u lossless-host-network-revert*")


@contextmanager
def console(host: Guest) -> Iterator[Iterator[str]]:
    """Lines that the machine writes on its console from now on, as they come."""
    log = host.run_dir / "hosts" / host.name / "console.log"
    follow = ["timeout", "300", "tail", "--lines=0", "--follow", str(log)]
    with subprocess.Popen(follow, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield iter(process.stdout)
        finally:
            process.terminate()


def logs_in(host: Guest) -> bool:
    try:
        host.sh("true", "-o", "ConnectTimeout=10")
    except AssertionError:
        return False
    return True
