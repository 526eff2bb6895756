# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program that systemd starts when a NIC appears: the same code as the Ansible module, the wanted state from JSON.

nic-qos apply     write what differs            exit 0: all as wanted, 1: something is not
nic-qos verify    compare only                  exit 0: all as wanted, 1: something is not
nic-qos show      print wanted and found as JSON
"""

from __future__ import annotations

import argparse
import fcntl
import json
import sys

from ansible_collections.lossless.fabric.plugins.module_utils.nic import settings
from ansible_collections.lossless.fabric.plugins.module_utils.nic.converge import Options, converge
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import System

STATE = "/etc/lossless-fabric/nic-qos.json"
LOCK = "/run/lossless-nic-qos.lock"


def main(argv=None):
    """Command line; the answer is the exit status."""
    parser = argparse.ArgumentParser(prog="nic-qos", description="RoCE QoS of the NICs of this host")
    parser.add_argument("action", choices=("apply", "verify", "show"))
    parser.add_argument("--event", help="net-PCI or rdma-PCI: what appeared; only that NIC, and its link may drop")
    parser.add_argument("--nic", help="only this NIC: its name, interface or PCI address")
    parser.add_argument("--state", default=STATE, help="wanted state (JSON)")
    parser.add_argument("--allow-link-flap", action="store_true", help="apply changes that drop the link for a moment")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--root", default="/", help="folder that stands for /")
    parser.add_argument("--path", help="folders of the commands, separated by colons")
    arguments = parser.parse_args(argv)
    system = System(arguments.root, tuple(arguments.path.split(":")) if arguments.path else ())
    text = system.read(arguments.state)
    if text is None:
        print(
            f"expected the wanted state in {arguments.state}, found no such file (run the nic_qos role)",
            file=sys.stderr,
        )
        return 2
    with _lock(system):
        return _run(system, json.loads(text), arguments)


def _lock(system):
    """One at a time: a NIC's interface and its RDMA device appear within the same second."""
    place = system.at(LOCK)
    place.parent.mkdir(parents=True, exist_ok=True)
    handle = place.open("w")
    fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def _run(system, state, arguments):
    pci = arguments.event.split("-", 1)[1] if arguments.event else None
    chosen = [
        n for n in state["nics"] if pci in (None, n["device"]) and arguments.nic in (None, n["name"], n["device"])
    ]
    if not chosen and arguments.nic:
        print(
            f"expected a NIC of {', '.join(n['name'] for n in state['nics'])}, found {arguments.nic}", file=sys.stderr
        )
        return 2
    options = Options(
        check=arguments.action != "apply",
        backend=state["backend"],
        drivers=state["drivers"],
        required=state["required"],
        # At boot and after a driver reload nobody uses the NIC yet.
        allow_link_flap=arguments.action != "apply" or bool(arguments.event) or arguments.allow_link_flap,
        # What the firmware keeps is still there after a boot; asking it takes seconds per NIC.
        firmware=False,
    )
    outcomes = [converge(system, nic["name"], nic["device"], nic["settings"], options) for nic in chosen]
    if arguments.json or arguments.action == "show":
        report = {o.name: {**o.facts(), "findings": o.findings} for o in outcomes}
        print(json.dumps(report, indent=2, sort_keys=True))
    else:
        for outcome in outcomes:
            _tell(outcome, arguments.action)
    wrong = any(o.errors for o in outcomes) or (arguments.action != "apply" and any(o.changed for o in outcomes))
    return int(wrong)


def _tell(outcome, action):
    where = f"{outcome.name} ({outcome.nic.interface or outcome.nic.given})"
    if outcome.skipped:
        print(f"{where}: skipped, {outcome.skipped}")
    for key in settings.ordered(outcome.settings):
        entry = outcome.settings[key]
        if entry["changed"] and action == "apply":
            print(f"{where}: {key} was {entry['before']}, now {entry['after']}")
        elif entry["changed"]:
            print(f"{where}: {key}: expected {entry['after']}, found {entry['before']}")
    for lack in outcome.unsupported:
        print(f"{where}: {lack['key']}: not possible, {lack['reason']} ({lack['remedy']})")
    for finding in outcome.findings:
        print(
            f"{where}: {finding['severity']}: {finding['key']}: expected {finding['expected']},"
            f" found {finding['actual']}"
            f" ({finding['remedy']})"
        )
    if not outcome.changed and not outcome.errors and not outcome.skipped:
        print(f"{where}: as wanted, {len(outcome.settings)} settings")
