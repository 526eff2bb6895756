# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m lab.hosts.mirror: build the mirror by hand."""

from __future__ import annotations

import argparse
from pathlib import Path

from lab.hosts.mirror import build


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(prog="python -m lab.hosts.mirror", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=build.CACHE)
    parser.add_argument("--headers", type=Path, help="folder with Debian's header packages of the lab kernel")
    parser.add_argument("--kernel", action="append", default=[], help="further kernel, for which no headers are here")
    parser.add_argument("--rpm", action="store_true", help="also repositories for Red Hat")
    arguments = parser.parse_args()
    print(build.get(arguments.folder, arguments.headers, arguments.kernel, arguments.rpm))


if __name__ == "__main__":
    main()
