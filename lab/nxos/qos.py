# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of quality of service: class maps, policy maps, the system policies, priority flow control."""

from __future__ import annotations

import re

from lab.nxos import order, tree
from lab.nxos.grammar import Match, Reject
from lab.nxos.interfaces import PORTS
from lab.nxos.shell import GRAMMAR, NxosShell, setting

# Classes that the switch brings along: 8 queues, and the 4-queue names of older line cards.
NETWORK_CLASSES = {f"c-8q-nq{n}" for n in range(1, 8)} | {"c-8q-nq-default"}
OUT_CLASSES = {f"c-out-8q-q{n}" for n in range(1, 8)} | {"c-out-8q-q-default"}
IN_CLASSES = {f"c-in-q{n}" for n in range(1, 8)} | {"c-in-q-default"}
FOUR_QUEUES = {f"{stem}{n}" for stem in ("c-nq", "c-out-q") for n in (1, 2, 3)} | {"c-nq-default", "c-out-q-default"}
BUILT_IN = NETWORK_CLASSES | OUT_CLASSES | IN_CLASSES | FOUR_QUEUES | {"class-default"}
DEFAULT_POLICIES = {
    "network-qos": {"default-8q-nq-policy", "default-nq-policy"},
    "queuing": {"default-8q-out-policy", "default-8q-in-policy", "default-out-policy", "default-in-policy"},
    "qos": set(),
}
# kind: (mode of the policy, mode of its classes), named as in the prompts
POLICY_MODES = {
    "qos": ("config-pmap-qos", "config-pmap-c-qos"),
    "network-qos": ("config-pmap-nqos", "config-pmap-nqos-c"),
    "queuing": ("config-pmap-que", "config-pmap-c-que"),
}
CLASS_MODES = {"qos": "config-cmap-qos", "network-qos": "config-cmap-nqos"}


# -- class maps ------------------------------------------------------------------------------------------------
@GRAMMAR.command(
    "config",
    "class-map [type qos] [match-any|match-all] <name:name>",
    "class-map type network-qos [match-any|match-all] <name:name>",
    "class-map type queuing [match-any|match-all] <name:name>",
)
def class_map(shell: NxosShell, match: Match) -> None:
    name = match["name"]
    kind = match.words[2] if match.words[1] == "type" else "qos"
    if name in BUILT_IN:
        raise Reject(f"ERROR: Class-map {name} is system defined and can not be created or modified")
    if kind == "queuing":
        raise Reject("ERROR: User defined class-maps of type queuing are not supported on this platform")
    header = f"class-map type {kind} {'match-any' if 'match-any' in match else 'match-all'} {name}"
    found = shell.device.config.sections(header)
    if not found:
        shell.device.insert_top(header)
    elif ("match-any" in match or "match-all" in match) and found[0].text != header:
        found[0].raw = header
    shell.enter(CLASS_MODES[kind], (header,))


@GRAMMAR.command(
    "config",
    "no class-map [type qos] [match-any|match-all] <name:name>",
    "no class-map type network-qos [match-any|match-all] <name:name>",
)
def no_class_map(shell: NxosShell, match: Match) -> None:
    name = match["name"]
    kind = "network-qos" if "network-qos" in match.words[:4] else "qos"
    found = shell.device.config.sections(f"class-map type {kind} match-all {name}")
    if not found:
        raise Reject(f"ERROR: Class-map {name} of type {kind} does not exist")
    users = [p for p in _policies(shell, kind) if name in shell.device.policy(kind, p)]
    if users:
        raise Reject(f"ERROR: Class-map {name} is used by policy-map {users[0]} and can not be deleted")
    tree.remove(shell.device.config, found[0])


_MATCHES = (
    "match [not] dscp <values:dscp>",
    "match [not] cos <values:list/0-7>",
    "match [not] precedence <values:list/0-7>",
)


@GRAMMAR.command(
    "config-cmap-qos",
    *_MATCHES,
    *(f"no {m}" for m in _MATCHES),
    "match access-group name <acl:name>",
    "no match access-group name <acl:name>",
)
def match_line(shell: NxosShell, match: Match) -> None:
    _put_or_drop(shell, match)


@GRAMMAR.command("config-cmap-nqos", "match qos-group <values:list/0-7>", "no match qos-group <values:list/0-7>")
def match_group(shell: NxosShell, match: Match) -> None:
    _put_or_drop(shell, match)


def _put_or_drop(shell: NxosShell, match: Match) -> None:
    if not match.negated:
        shell.put(match.line)
    elif not shell.drop(match.line.removeprefix("no "), exact=True):
        raise Reject("ERROR: The match criterion does not exist in this class-map")


for _mode in (*CLASS_MODES.values(), *(modes[0] for modes in POLICY_MODES.values())):
    setting(_mode, "description <text:line>", "description")


# -- policy maps -----------------------------------------------------------------------------------------------
@GRAMMAR.command("config", "policy-map [type {qos|network-qos|queuing}] <name:name>")
def policy_map(shell: NxosShell, match: Match) -> None:
    kind = match.words[2] if match.words[1] == "type" else "qos"
    name = match["name"]
    if name in DEFAULT_POLICIES[kind]:
        raise Reject(f"ERROR: Policy-map {name} is system defined and can not be created or modified")
    header = f"policy-map type {kind} {name}"
    if not shell.device.config.sections(header):
        shell.device.insert_top(header)
    shell.enter(POLICY_MODES[kind][0], (header,))


@GRAMMAR.command("config", "no policy-map [type {qos|network-qos|queuing}] <name:name>")
def no_policy_map(shell: NxosShell, match: Match) -> None:
    kind = match.words[3] if match.words[2] == "type" else "qos"
    name = match["name"]
    device = shell.device
    found = device.config.sections(f"policy-map type {kind} {name}")
    if not found:
        raise Reject(f"ERROR: Policy-map {name} of type {kind} does not exist")
    for node in device.config.children:
        pattern = rf"service-policy type {kind} (?:input |output )?{re.escape(name)}( no-stats)?$"
        if any(re.match(pattern, line) for line in node.lines()):
            raise Reject(f"ERROR: Policy-map {name} is attached to {node.text} and can not be deleted")
    for node in found:
        tree.remove(device.config, node)


def _policies(shell: NxosShell, kind: str) -> list[str]:
    headers = (tree.canonical(line).split() for line in shell.device.config.lines() if line.startswith("policy-map "))
    return [words[2] for words in headers if words[1] == kind]


def _enter_class(shell: NxosShell, kind: str, name: str, header: str) -> None:
    path = (*shell.ctx.targets[0], header)
    policy = shell.node(path[:1], create=True)
    if shell.node(path) is None:
        tree.insert(policy, header, order.rank_of(POLICY_MODES[kind][0], path[0], shell.device.major))
    shell.enter(POLICY_MODES[kind][1], path)


@GRAMMAR.command("config-pmap-qos", "class [type qos] <name:name>", "no class [type qos] <name:name>")
def qos_class(shell: NxosShell, match: Match) -> None:
    name = match["name"]
    if match.negated:
        _drop_class(shell, name)
        return
    known = name == "class-default" or shell.device.config.sections(f"class-map type qos match-all {name}")
    if not known:
        raise Reject(f"ERROR: Class-map {name} of type qos does not exist")
    _enter_class(shell, "qos", name, f"class {name}")


@GRAMMAR.command("config-pmap-nqos", "class type network-qos <name:name>", "no class type network-qos <name:name>")
def network_class(shell: NxosShell, match: Match) -> None:
    name = match["name"]
    if match.negated:
        _drop_class(shell, name)
        return
    own = shell.device.config.sections(f"class-map type network-qos match-all {name}")
    if name not in NETWORK_CLASSES and name != "class-default" and not own:
        raise Reject(f"ERROR: Class-map {name} of type network-qos does not exist")
    _enter_class(shell, "network-qos", name, f"class type network-qos {name}")


@GRAMMAR.command("config-pmap-que", "class type queuing <name:name>", "no class type queuing <name:name>")
def queuing_class(shell: NxosShell, match: Match) -> None:
    name = match["name"]
    if match.negated:
        _drop_class(shell, name)
        return
    if name not in OUT_CLASSES | IN_CLASSES:
        raise Reject(f"ERROR: Class-map {name} of type queuing does not exist")
    inside = shell.device.policy("queuing", shell.ctx.name)
    if inside and (name in IN_CLASSES) != (next(iter(inside)) in IN_CLASSES):
        raise Reject("ERROR: A queuing policy-map can not have input and output classes")
    _enter_class(shell, "queuing", name, f"class type queuing {name}")


def _drop_class(shell: NxosShell, name: str) -> None:
    path = (*shell.ctx.targets[0], f"class {name}")
    for policy in shell.device.config.sections(path[0]):
        for node in policy.sections(path[1]):
            tree.remove(policy, node)
            return
    raise Reject(f"ERROR: Class {name} does not exist in this policy-map")


# -- classes of type qos ---------------------------------------------------------------------------------------
setting("config-pmap-c-qos", "set qos-group <group:0-7>", "set qos-group")
setting("config-pmap-c-qos", "set dscp <value:dscp>", "set dscp")
setting("config-pmap-c-qos", "set cos <value:0-7>", "set cos")
setting("config-pmap-c-qos", "set precedence <value:0-7>", "set precedence")
setting(
    "config-pmap-c-qos",
    "police cir <rate:1-100000000> {bps|kbps|mbps|gbps} [bc <burst:1-536870912> {bytes|kbytes|mbytes|ms|us}]"
    " [conform transmit] [violate drop]",
    "police",
)


# -- classes of type network-qos -------------------------------------------------------------------------------
setting("config-pmap-nqos-c", "mtu <bytes:1500-9216>", "mtu", "mtu 1500")


def _check_pause(shell: NxosShell, match: Match) -> None:
    policy, own = shell.ctx.targets[0][0].split()[-1], shell.ctx.name
    if own in ("c-8q-nq-default", "class-default"):
        raise Reject(f"ERROR: pause is not supported in class {own}")
    for name, lines in shell.device.policy("network-qos", policy).items():
        used = [line for line in lines if re.search(rf"pfc-cos (\S*,)?{match['cos']}(,|$| )", line)]
        if used and name != own:
            raise Reject(f"ERROR: pfc-cos {match['cos']} is already used by class {name}")


setting("config-pmap-nqos-c", "pause pfc-cos <cos:0-7> [receive]", "pause", check=_check_pause)
setting(
    "config-pmap-nqos-c",
    "pause buffer-size <size:1-4194304> pause-threshold <xoff:1-4194304> resume-threshold <xon:1-4194304>"
    " pfc-cos <cos:0-7>",
    "pause",
    check=_check_pause,
)


# -- classes of type queuing -----------------------------------------------------------------------------------
def _out_class(device, ctx) -> bool:
    return ctx.name in OUT_CLASSES


def _in_class(device, ctx) -> bool:
    return ctx.name in IN_CLASSES


def _check_share(shell: NxosShell, match: Match) -> None:
    """Shares of one policy add up to at most 100, and a class is either weighted or strict."""
    own = shell.ctx.name
    kind = "bandwidth remaining percent" if "remaining" in match else "bandwidth percent"
    if any(line.startswith("priority") for line in shell.lines()):
        raise Reject("ERROR: bandwidth and priority can not be configured in the same class")
    if any(line.startswith("pause ") for line in shell.lines()):
        raise Reject("ERROR: bandwidth can not be configured in a class with pause buffer-size")
    total = match["share"]
    for name, lines in shell.device.policy("queuing", shell.ctx.targets[0][0].split()[-1]).items():
        for line in lines:
            if name != own and line.startswith("bandwidth "):
                if not line.startswith(kind):
                    raise Reject(
                        "ERROR: bandwidth percent and bandwidth remaining percent can not be mixed in a policy-map"
                    )
                total += int(line.split()[-1])
    if total > 100:
        raise Reject(f"ERROR: Sum of bandwidth of all classes is {total} percent, it can not exceed 100 percent")


for _when in (_out_class, _in_class):
    setting(
        "config-pmap-c-que", "bandwidth [remaining] percent <share:0-100>", "bandwidth", when=_when, check=_check_share
    )


def _check_priority(shell: NxosShell, match: Match) -> None:
    if any(line.startswith("bandwidth ") for line in shell.lines()):
        raise Reject("ERROR: bandwidth and priority can not be configured in the same class")
    if any(line.startswith("pause ") for line in shell.lines()):
        raise Reject("ERROR: priority can not be configured in a class with pause buffer-size")
    level = match.get("level", 1)
    for name, lines in shell.device.policy("queuing", shell.ctx.targets[0][0].split()[-1]).items():
        used = {int(line.split()[-1] if "level" in line else 1) for line in lines if line.startswith("priority")}
        if name != shell.ctx.name and level in used:
            raise Reject(f"ERROR: priority level {level} is already used by class {name}")


@GRAMMAR.command(
    "config-pmap-c-que", "priority [level <level:1-7>]", "no priority [level <level:1-7>]", when=_out_class
)
def priority(shell: NxosShell, match: Match) -> None:
    if match.negated:
        shell.drop("priority")
        return
    _check_priority(shell, match)
    shell.put(f"priority level {match.get('level', 1)}", "priority")


_UNIT = "{bytes|kbytes|mbytes|packets}"
_BYTES = {"bytes": 1, "kbytes": 1000, "mbytes": 1_000_000, "packets": 208}


def _check_curve(shell: NxosShell, match: Match) -> None:
    units = [word for word in match.words if word in _BYTES]
    if units and match["low"] * _BYTES[units[0]] > match["high"] * _BYTES[units[1]]:
        raise Reject("ERROR: random-detect minimum-threshold can not be greater than maximum-threshold")
    if len(units) == 2 and (units[0] == "packets") != (units[1] == "packets"):
        raise Reject("ERROR: random-detect thresholds can not mix packets and bytes")


setting(
    "config-pmap-c-que",
    f"random-detect [minimum-threshold <low:1-209715200> {_UNIT} maximum-threshold <high:1-209715200> {_UNIT}"
    " drop-probability <percent:0-100> weight <weight:0-15>] [cap-average] [ecn]",
    "random-detect",
    when=_out_class,
    check=_check_curve,
)
setting(
    "config-pmap-c-que",
    "shape min <low:0-400000000> {bps|kbps|mbps|gbps} max <high:1-400000000> {bps|kbps|mbps|gbps}",
    "shape",
    when=_out_class,
)
setting("config-pmap-c-que", "shape average <percent:1-100> percent", "shape", when=_out_class)
for _when in (_out_class, _in_class):
    setting(
        "config-pmap-c-que", "queue-limit {<bytes:1-20000000> bytes|dynamic <alpha:0-10>}", "queue-limit", when=_when
    )


def _check_headroom(shell: NxosShell, match: Match) -> None:
    if any(line.startswith(("bandwidth ", "priority")) for line in shell.lines()):
        raise Reject("ERROR: pause buffer-size can not be configured in a class with bandwidth or priority")
    if match["xoff"] > match["size"] or match["xon"] > match["xoff"]:
        raise Reject("ERROR: pause thresholds must satisfy resume-threshold <= pause-threshold <= buffer-size")


setting(
    "config-pmap-c-que",
    "pause buffer-size <size:1-4194304> pause-threshold <xoff:1-4194304> resume-threshold <xon:0-4194304>",
    "pause",
    when=_in_class,
    check=_check_headroom,
)


# -- where policies are attached -------------------------------------------------------------------------------
@GRAMMAR.command("config", "system qos")
def system_qos(shell: NxosShell, match: Match) -> None:
    shell.enter("config-sys-qos", ("system qos",))


def _require_policy(shell: NxosShell, kind: str, name: str) -> None:
    if name not in DEFAULT_POLICIES[kind] and not shell.device.config.sections(f"policy-map type {kind} {name}"):
        raise Reject(f"ERROR: Policy-map {name} of type {kind} does not exist")


@GRAMMAR.command(
    "config-sys-qos",
    "service-policy type network-qos <name:name>",
    "service-policy type queuing {input|output} <name:name>",
    "service-policy type qos input <name:name> [no-stats]",
    "no service-policy type network-qos [<name:name>]",
    "no service-policy type queuing {input|output} [<name:name>]",
    "no service-policy type qos input [<name:name>]",
)
def attach_system(shell: NxosShell, match: Match) -> None:
    _attach(shell, match)
    node = shell.node(("system qos",))
    if node is not None and not node.children:
        tree.remove(shell.device.config, node)


@GRAMMAR.command(
    "config-if",
    "service-policy [type qos] input <name:name> [no-stats]",
    "service-policy type queuing {input|output} <name:name>",
    "no service-policy [type qos] input [<name:name>] [no-stats]",
    "no service-policy type queuing {input|output} [<name:name>]",
    when=PORTS,
)
def attach_interface(shell: NxosShell, match: Match) -> None:
    _attach(shell, match)


def _attach(shell: NxosShell, match: Match) -> None:
    words = [w for w in match.words if w != "no"]
    if words[1] != "type":
        words[1:1] = ["type", "qos"]
    kind = words[2]
    slot = " ".join(words[: 3 if kind == "network-qos" else 4])
    name = match.get("name")
    if match.negated:
        current = [line.split() for line in shell.lines() if line.startswith(slot + " ")]
        if name and not any(name in line for line in current):
            raise Reject(f"ERROR: Policy-map {name} is not attached here")
        shell.drop(slot)
        return
    _require_policy(shell, kind, name)
    direction = words[3] if kind == "queuing" else ""
    classes = set(shell.device.policy(kind, name))
    if (direction == "output" and classes & IN_CLASSES) or (direction == "input" and classes & OUT_CLASSES):
        raise Reject(f"ERROR: Policy-map {name} can not be attached in direction {direction}")
    if name in DEFAULT_POLICIES[kind]:
        shell.drop(slot)
    else:
        shell.put(" ".join(words), slot)


# -- priority flow control -------------------------------------------------------------------------------------
def _no_link_pause(shell: NxosShell, match: Match) -> None:
    for port in shell.ports():
        if " on" in match.line and any(re.match(r"flowcontrol \S+ on", line) for line in port.lines):
            raise Reject(f"ERROR: {port.name}: priority-flow-control can not be enabled while flowcontrol is on")


setting(
    "config-if",
    "priority-flow-control mode {auto|on [send-tlv]|off}",
    "priority-flow-control mode",
    "priority-flow-control mode auto",
    when=PORTS,
    check=_no_link_pause,
)
_WATCHDOG = "priority-flow-control watch-dog-interval"
setting(
    "config-if",
    f"{_WATCHDOG} {{on [interface-multiplier <multiplier:1-10>] [disable-action]|off}}",
    _WATCHDOG,
    f"{_WATCHDOG} off",
    when=PORTS,
)
setting("config", f"{_WATCHDOG} {{on|off}}", _WATCHDOG, f"{_WATCHDOG} off")
for _spec, _default in (
    ("priority-flow-control watch-dog interval <milliseconds:100-1000>", "100"),
    ("priority-flow-control watch-dog shutdown-multiplier <count:1-10>", "1"),
    ("priority-flow-control watch-dog internal-interface-multiplier <count:0-10>", "2"),
    ("priority-flow-control auto-restore multiplier <count:0-100>", "10"),
    ("priority-flow-control fixed-restore multiplier <count:0-100>", "0"),
):
    _slot = _spec[: _spec.index(" <")]
    setting("config", _spec, _slot, f"{_slot} {_default}")


@GRAMMAR.command("config", "priority-flow-control override-interface mode {on|off}")
def override(shell: NxosShell, match: Match) -> None:
    shell.put(match.line, "priority-flow-control override-interface mode")


GRAMMAR.command("config", "no priority-flow-control override-interface mode [{on|off}]")(
    lambda shell, match: shell.drop("priority-flow-control override-interface mode") and None
)
