# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The package mirror of the machines: HTTP over standard input and output, for QEMU's ``guestfwd``.

relay.py FOLDER...   serves the first of the folders that exists; started once for every connection.
"""

from __future__ import annotations

import sys
from http.server import SimpleHTTPRequestHandler
from pathlib import Path


class Relay(SimpleHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"

    def __init__(self, folder: str, reader, writer) -> None:
        self.reader, self.writer = reader, writer
        super().__init__(None, ("machine", 0), None, directory=folder)

    def setup(self) -> None:
        self.rfile, self.wfile = self.reader, self.writer

    def finish(self) -> None:
        self.wfile.flush()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Without closing the connection, as a request for what is not there is nothing unusual for apt."""
        self.send_response(code, message)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Standard error is QEMU's log; requests are not news."""


def main() -> None:
    folder = next((name for name in sys.argv[1:] if Path(name).is_dir()), sys.argv[-1])
    Relay(folder, sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
