# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-in for dcb of iproute2 6.1: its words, its JSON, its error texts, working on the stand-in card."""

from __future__ import annotations

import json

from tests.unit.nic.standins.card import Refused

FLAGS = {"host": "host", "lld-managed": "lld_managed", "cee": "cee", "ieee": "ieee", "static": "static"}
TSA = ("strict", "cbs", "ets", "vendor")


class Usage(Exception):
    """The command line is wrong."""


def main(card, words):
    """(exit status, stdout, stderr)."""
    try:
        return 0, _command(card, list(words)), ""
    except Usage as error:
        return 255, "", f"{error}\n"
    except Refused as error:
        return 1, "", f"Attribute write: {error}\n"


def _command(card, words):
    options = set()
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option not in ("-N", "-j", "-s", "-p"):
            raise Usage(f'What is "{option}"?')
        options.add(option)
    if len(words) < 4 or words[2] != "dev":
        raise Usage('Not enough information: "dev" argument is required.')
    name, verb, _, interface, *rest = words
    if name not in ("app", "buffer", "dcbx", "ets", "maxrate", "pfc"):
        raise Usage(f'Object "{name}" is unknown, try "dcb help".')
    port = card.port(interface)
    if not port["dcb"]:
        raise Usage("Attribute read: Operation not supported")
    if verb == "show":
        shown = {"app": _app, "buffer": _buffer, "dcbx": _dcbx, "ets": _ets, "pfc": _pfc}[name](port)
        if "-j" not in options or "-N" not in options:
            raise Usage("the stand-in prints JSON with numbers only: -j -N")
        return json.dumps(shown) + "\n"
    {"app": _set_app, "buffer": _set_buffer, "dcbx": _set_dcbx, "ets": _set_ets, "pfc": _set_pfc}[name](
        card, port, verb, rest
    )
    return ""


def _pfc(port):
    return {"pfc_cap": 8, "macsec_bypass": False, "delay": port["delay"], "prio_pfc": [bool(x) for x in port["pfc"]]}


def _app(port):
    if not port["app"]:
        return {}
    return {"dscp_prio": [[int(d), p, " "] for d, p in sorted(port["app"].items(), key=lambda item: int(item[0]))]}


def _buffer(port):
    return {k: port[k] for k in ("prio_buffer", "buffer_size", "total_size")}


def _dcbx(port):
    return {FLAGS[flag]: True for flag in port["dcbx"]}


def _ets(port):
    zero, strict = [0] * 8, ["strict"] * 8
    return {
        "willing": port["willing"],
        "ets_cap": 8,
        "cbs": False,
        "tc_bw": port["bw"],
        "pg_bw": zero,
        "tc_tsa": port["tsa"],
        "prio_tc": port["prio_tc"],
        "reco_tc_bw": zero,
        "reco_tc_tsa": strict,
        "reco_prio_tc": zero,
    }


def _mapping(words, low, high, values):
    """Pairs KEY:VALUE at the beginning of words, taken off; all:VALUE first."""
    found = {}
    while words and ":" in words[0]:
        key, value = words.pop(0).split(":", 1)
        if value not in values and not (values is int and value.isdigit()):
            raise Usage(f"Invalid value {value}")
        if key == "all":
            found = dict.fromkeys(range(low, high + 1), value)
        elif key.isdigit() and low <= int(key) <= high:
            found[int(key)] = value
        else:
            raise Usage(f"Invalid key {key}")
    if not found:
        raise Usage('Command line is not complete. Try option "help"')
    return found


class _Numbers:
    def __contains__(self, value):
        return value.isdigit()


NUMBER = _Numbers()


def _set_pfc(card, port, verb, words):
    enabled, delay = list(port["pfc"]), port["delay"]
    _only(verb, "set")
    while words:
        word = words.pop(0)
        if word == "prio-pfc":
            for priority, state in _mapping(words, 0, 7, ("on", "off")).items():
                enabled[priority] = int(state == "on")
        elif word == "delay" and words and words[0].isdigit():
            delay = int(words.pop(0))
        else:
            raise Usage(f'What is "{word}"?')
    card.set_pfc(port, enabled, delay)


def _set_dcbx(card, port, verb, words):
    _only(verb, "set")
    for word in words:
        if word not in FLAGS:
            raise Usage(f'What is "{word}"?')
    if "host" not in words or "lld-managed" in words:
        raise Refused("Invalid argument")
    port["dcbx"] = words


def _set_ets(card, port, verb, words):
    _only(verb, "set")
    tsa, bandwidth, prio_tc = list(port["tsa"]), list(port["bw"]), list(port["prio_tc"])
    while words:
        word = words.pop(0)
        table, values = {"tc-tsa": (tsa, TSA), "tc-bw": (bandwidth, NUMBER), "prio-tc": (prio_tc, NUMBER)}.get(
            word, (0, 0)
        )
        if not values:
            raise Usage(f'What is "{word}"?')
        for number, value in _mapping(words, 0, 7, values).items():
            table[number] = value if word == "tc-tsa" else int(value)
    card.set_ets(port, tsa, bandwidth, prio_tc)


def _set_buffer(card, port, verb, words):
    _only(verb, "set")
    while words:
        word = words.pop(0)
        key = {"prio-buffer": "prio_buffer", "buffer-size": "buffer_size"}.get(word)
        if not key:
            raise Usage(f'What is "{word}"?')
        for number, value in _mapping(words, 0, 7, NUMBER).items():
            port[key][number] = int(value)
    if sum(port["buffer_size"]) > port["total_size"]:
        raise Refused("Invalid argument")


def _set_app(card, port, verb, words):
    if words[:1] != ["dscp-prio"]:
        raise Usage(f'What is "{words[0] if words else ""}"?')
    words = words[1:]
    if verb == "flush" and not words:
        for dscp, priority in sorted(port["app"].items()):
            card.del_app(port, int(dscp), priority)
        return
    pairs = []
    while words:
        dscp, _, priority = words.pop(0).partition(":")
        if not (dscp.isdigit() and int(dscp) < 64 and priority.isdigit() and int(priority) < 8):
            raise Usage("Invalid mapping")
        pairs.append((int(dscp), int(priority)))
    for dscp, priority in pairs:
        if verb == "add":
            card.set_app(port, dscp, priority)
        elif verb == "del":
            card.del_app(port, dscp, priority)
        else:
            raise Usage(f'What is "{verb}"?')


def _only(verb, expected):
    if verb != expected:
        raise Usage(f'What is "{verb}"?')
