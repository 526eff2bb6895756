# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m lab``: start, stop, look at and disturb the lab.

python -m lab up --inventory inventories/lab/fabric.yml
python -m lab status
python -m lab ssh gpu01 rdma link
python -m lab run leaf01 show running-config
python -m lab break
python -m lab set leaf01 port Ethernet1/1 link=false 3.ecn_marked=12
python -m lab down
"""

from __future__ import annotations

import argparse
import os
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from lab import fabric, process
from lab.client import Lab, LabError
from lab.hosts import command as host_commands
from lab.hosts import fleet, needs
from lab.hosts.needs import HostsError
from lab.hosts.spec import machines
from lab.wire import command as wire_commands
from lab.wire import launch as wire

DEFAULT_INVENTORY = fabric.REPOSITORY / "inventories" / "lab" / "fabric.yml"


def main(argv: list[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    try:
        return arguments.action(arguments)
    except (LabError, HostsError, fabric.InventoryError) as exc:
        print(f"lab: {exc}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lab", description="Emulated switches behind real SSH, and virtual machines as GPU hosts."
    )
    parser.add_argument(
        "--run-dir",
        type=Path,
        default=Path(os.environ.get("LAB_RUN_DIR", fabric.REPOSITORY / ".lab")),
        help="where the running lab keeps its socket, host keys, known_hosts and log (default: .lab)",
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")

    def action(name: str, function, text: str) -> argparse.ArgumentParser:
        sub = actions.add_parser(name, help=text, description=text)
        sub.set_defaults(action=function)
        return sub

    up_ = action("up", up, "start the switches and machines of an inventory (nothing to do when they run)")
    up_.add_argument("--inventory", "-i", type=Path, default=DEFAULT_INVENTORY)
    up_.add_argument("--no-hosts", action="store_true", help="the switches alone")
    action("down", down, "stop the lab")
    action("status", status, "machines; sessions, faults and leftovers of every switch")
    action("break", break_, "change several things by hand, as a hurried operator would")
    run_ = action("run", run, "type one command on a switch")
    run_.add_argument("name")
    run_.add_argument("command", nargs=argparse.REMAINDER)
    set_ = action("set", set_port, "change the operational state of a port")
    set_.add_argument("name")
    set_.add_argument("port_word", choices=["port"], metavar="port")
    set_.add_argument("port")
    set_.add_argument("values", nargs="+", metavar="field=value")
    wire_commands.add(action)
    host_commands.add(action)
    return parser


# -- up and down -----------------------------------------------------------------------------------------------
def up(arguments: argparse.Namespace) -> int:
    run_dir: Path = arguments.run_dir
    hostvars = fabric.read_inventory(arguments.inventory)
    specs = [] if arguments.no_hosts else machines(hostvars)
    if specs:
        needs.check()
    run_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    run_dir.chmod(0o700)
    fresh = _up_switches(run_dir, fabric.as_json(fabric.switches(hostvars)))
    _print_switches(run_dir)
    if specs and (fresh or not wire.running(run_dir)):
        wire.start(run_dir, hostvars)
    fleet.up(specs, run_dir)
    return 0


def _up_switches(run_dir: Path, text: str) -> bool:
    """Start the switches unless these very ones run; say whether they were started."""
    digest = sha256(text.encode()).hexdigest()
    if _pid(run_dir) is not None:
        if (run_dir / "inventory.sha256").read_text() == digest:
            return False
        print("lab: the inventory has changed, starting anew")
        _stop(run_dir)
    _start(run_dir, text)
    (run_dir / "inventory.sha256").write_text(digest)
    return True


def _start(run_dir: Path, text: str) -> None:
    """Start the server process and wait until every switch listens. Credentials go through a pipe, never to disk."""
    log_path = run_dir / "lab.log"
    log_path.touch(mode=0o600)
    said = process.start("lab.daemon", run_dir, log_path, text)
    if said != "ready":
        raise LabError(f"could not start: {said or 'the server ended, see ' + str(log_path)}")


def down(arguments: argparse.Namespace) -> int:
    ran = fleet.down(arguments.run_dir)
    wire.stop(arguments.run_dir)
    if _pid(arguments.run_dir) is not None:
        _stop(arguments.run_dir)
        ran = True
    print("lab: stopped" if ran else "lab: not running")
    return 0


def _pid(run_dir: Path) -> int | None:
    """The process id of the running server; None if there is none (a left-over pid file does not count)."""
    try:
        Lab(run_dir).status()
        return int((run_dir / "pid").read_text())
    except (LabError, OSError, ValueError):
        return None


def _stop(run_dir: Path) -> None:
    pid = _pid(run_dir)
    assert pid is not None
    if not process.end(pid, 30, Lab(run_dir).stop):
        raise LabError(f"the server (process {pid}) did not end within 30 s")


def _print_switches(run_dir: Path) -> None:
    for s in Lab(run_dir).status():
        print(_line(s))


def _line(s: dict[str, Any]) -> str:
    return f"{s['name']:<16} {s['platform']:<5} {s['release']:<10} {s['address']}:{s['port']}"


# -- looking and disturbing ------------------------------------------------------------------------------------
def status(arguments: argparse.Namespace) -> int:
    for s in Lab(arguments.run_dir).status():
        print(f"{_line(s)}  sessions {s['sessions']}")
        for title in ("faults", "leftovers"):
            for item in s[title]:
                print(f"    {title[:-1]}: {item}")
    fleet.status(arguments.run_dir)
    return 0


def run(arguments: argparse.Namespace) -> int:
    if not arguments.command:
        raise LabError("run NAME COMMAND: the command is missing")
    (output,) = Lab(arguments.run_dir).execute(arguments.name, " ".join(arguments.command))
    print(output.rstrip("\n"))
    return 0


def break_(arguments: argparse.Namespace) -> int:
    """Type the changes of breaks.yml: each names a platform, which switch of it, a port of the model and the lines."""
    lab = Lab(arguments.run_dir)
    plan = yaml.safe_load((Path(__file__).parent / "breaks.yml").read_text())
    by_platform: dict[str, list[dict[str, Any]]] = {}
    for s in lab.status():
        by_platform.setdefault(s["platform"], []).append(s)
    for platform, breaks in plan.items():
        for item in breaks:
            switches = by_platform.get(platform, [])
            if not switches:
                continue
            name = switches[item.get("switch", 0) % len(switches)]["name"]
            port = _port_of(lab, name, item.get("port"))
            lines = [line.replace("@PORT@", port or "") for line in item["lines"]]
            for line, output in zip(lines, lab.execute(name, *lines), strict=False):
                if _is_error(output):
                    raise LabError(f"{name}: {line!r} was refused: {output.strip()}")
            print(f"{name:<16} {item['what'].replace('@PORT@', port or '')}")
    return 0


def _is_error(output: str) -> bool:
    return any(line.startswith(("%", "Error", "ERROR", "Invalid")) for line in output.splitlines())


def _port_of(lab: Lab, name: str, wanted: str | None) -> str | None:
    """A fabric port of the switch: the ``first-host``, ``first-switch``, ``last-host`` or ``last-switch`` one."""
    if wanted is None:
        return None
    which, kind = wanted.split("-")
    ports = lab.call("cabled_ports", name=name, kind=kind)
    if not ports:
        raise LabError(f"{name} has no port towards a {kind}")
    return ports[0] if which == "first" else ports[-1]


def set_port(arguments: argparse.Namespace) -> int:
    values = {}
    for pair in arguments.values:
        key, eq, value = pair.partition("=")
        if not eq:
            raise LabError(f"{pair!r}: expected field=value, for example link=false or 3.ecn_marked=10")
        values[key] = yaml.safe_load(value)
    Lab(arguments.run_dir).set_port(arguments.name, arguments.port, **values)
    return 0


if __name__ == "__main__":
    sys.exit(main())
