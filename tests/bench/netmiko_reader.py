# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The peer: a threaded netmiko program that logs in to every switch and reads its running configuration.

Written as a netmiko user writes it: the device type of the platform, host keys checked, a pool of threads.
Switches as JSON on standard input; the sum of the lengths of what was read on standard output.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from netmiko import ConnectHandler

READ = {
    "arista_eos": "show running-config",
    "cisco_nxos": "show running-config",
    "linux": "nv config show -o json",
}


def read(login: dict[str, Any]) -> int:
    """Log in to one switch, read its configuration, log out."""
    with ConnectHandler(ssh_strict=True, alt_host_keys=True, conn_timeout=30, **login) as connection:
        return len(connection.send_command(READ[login["device_type"]], read_timeout=120))


def main() -> None:
    work = json.load(sys.stdin)
    with ThreadPoolExecutor(work["workers"]) as pool:
        sizes = list(pool.map(read, work["switches"]))
    json.dump({"switches": len(sizes), "smallest": min(sizes), "bytes": sum(sizes)}, sys.stdout)


if __name__ == "__main__":
    main()
