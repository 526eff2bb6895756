#!/usr/bin/env python3
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands for ip, networkctl, netplan, systemctl, systemd-run, udevadm and sysctl of a host under one folder.

The folder has ``root`` (files), ``kernel.json`` (what the kernel has), ``calls`` (every command) and ``broken``
(commands that fail). networkctl is a small networkd of its own: it reads the files and changes the kernel.
"""

from __future__ import annotations

import fnmatch
import json
import os
import subprocess
import sys
from pathlib import Path

NETWORKD = ("etc/systemd/network", "run/systemd/network")
CONF = {"arp_ignore": "0", "arp_announce": "0", "rp_filter": "0", "ignore_routes_with_linkdown": "0"}
HERE = ROOT = Path()


def execute(here, name, words):
    """Run one tool for the host in the folder; SystemExit if it fails."""
    global HERE, ROOT
    HERE, ROOT = here, here / "root"
    with (HERE / "calls").open("a") as file:
        file.write(" ".join([name, *words]) + "\n")
    broken = HERE / "broken"
    if broken.exists() and any(" ".join([name, *words]).startswith(line) for line in broken.read_text().splitlines()):
        sys.exit(f"{name}: told to fail")
    kernel = json.loads((HERE / "kernel.json").read_text())
    globals()[f"do_{name.replace('-', '_')}"](kernel, words)
    if words[:1] in (["monitor"], ["-json"], ["is-active"]):
        return  # only asked; others may be writing
    (HERE / "kernel.json").write_text(json.dumps(kernel, indent=1))
    show_in_sysfs(kernel)


def show_in_sysfs(kernel):
    """What /sys and /proc tell of the interfaces."""
    net, conf = ROOT / "sys/class/net", ROOT / "proc/sys/net/ipv4/conf"
    for folder in (net, conf):
        folder.mkdir(parents=True, exist_ok=True)
        for gone in {entry.name for entry in folder.iterdir()} - set(kernel["links"]):
            remove(folder / gone)
    for number, (name, link) in enumerate(sorted(kernel["links"].items()), 1):
        (net / name).mkdir(exist_ok=True)
        (net / name / "ifindex").write_text(f"{number}\n")
        (net / name / "address").write_text(link.get("mac", "02:00:00:00:00:01") + "\n")
        (conf / name).mkdir(exist_ok=True)
        for key, value in CONF.items():
            if not (conf / name / key).exists():
                (conf / name / key).write_text(value + "\n")
        if link.get("pci"):
            device = ROOT / "sys/bus/pci/devices" / link["pci"]
            device.mkdir(parents=True, exist_ok=True)
            remove(device / "net")
            (device / "net" / name).mkdir(parents=True)
            remove(net / name / "device")
            (net / name / "device").symlink_to(device)


def remove(place):
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.is_dir():
        for entry in place.iterdir():
            remove(entry)
        place.rmdir()


# -- ip -------------------------------------------------------------------------------------------------------------
def do_ip(kernel, words):
    words = [word for word in words if word not in ("-4", "-N", "-details")]
    if words[0] == "monitor":
        return
    if words[0] == "-json":
        print(json.dumps({"address": say_links, "route": say_routes, "rule": say_rules}[words[1]](kernel)))
        return
    kind, verb, rest = words[0], words[1], words[2:]
    {"link": ip_link, "address": ip_address, "route": ip_route, "rule": ip_rule}[kind](kernel, verb, rest)


def say_links(kernel):
    found = []
    for name, link in kernel["links"].items():
        entry = {"ifname": name, "mtu": link["mtu"], "flags": ["BROADCAST"] + ["UP"] * link["up"]}
        entry.update({key: link[key] for key in ("master", "link") if link.get(key)})
        if link.get("kind"):
            entry["linkinfo"] = {"info_kind": link["kind"], "info_data": link.get("data", {})}
        entry["addr_info"] = [
            {"family": "inet", "local": a.split("/")[0], "prefixlen": int(a.split("/")[1]), "scope": "global"}
            for a in link["addresses"]
        ]
        found.append(entry)
    return found


def say_routes(kernel):
    found = []
    for route in kernel["routes"]:
        entry = {"dst": "default" if route["to"] == "0.0.0.0/0" else route["to"], "dev": route["dev"], "flags": []}
        entry.update({"protocol": route.get("protocol", "4")})
        for key, name in (("via", "gateway"), ("src", "prefsrc")):
            entry.update({name: route[key]} if route.get(key) else {})
        entry.update({"metric": route["metric"]} if route["metric"] else {})
        entry.update({"table": str(route["table"])} if route["table"] != 254 else {})
        found.append(entry)
    return found


def say_rules(kernel):
    return [{"priority": r["priority"], "src": r["from"], "table": str(r["table"])} for r in kernel["rules"]]


def ip_link(kernel, verb, rest):
    name, words = rest[0], rest[1:]
    if name not in kernel["links"]:
        sys.exit(f'Cannot find device "{name}"')
    if verb == "del":
        delete(kernel, name)
        return
    link = kernel["links"][name]
    if words[0] in ("up", "down"):
        link["up"] = words[0] == "up"
    elif words[0] == "mtu":
        link["mtu"] = int(words[1])
    elif words[0] == "nomaster":
        link["master"] = None
    elif words[0] == "master":
        link["master"] = words[1]
    elif words[0] == "name":
        if link["up"]:
            sys.exit("RTNETLINK answers: Device or resource busy")
        kernel["links"][words[1]] = kernel["links"].pop(name)
        for route in kernel["routes"]:
            route["dev"] = words[1] if route["dev"] == name else route["dev"]


def delete(kernel, name):
    del kernel["links"][name]
    for other in [n for n, link in kernel["links"].items() if link.get("link") == name]:
        delete(kernel, other)
    for link in kernel["links"].values():
        link["master"] = None if link.get("master") == name else link.get("master")
    kernel["routes"] = [route for route in kernel["routes"] if route["dev"] != name]


def ip_address(kernel, verb, rest):
    values = pairs(rest if verb == "flush" else rest[1:])
    addresses = kernel["links"][values["dev"]]["addresses"]
    gone = {"flush": list(addresses), "del": rest[:1], "replace": []}[verb]
    for address in gone:
        addresses.remove(address)
        source = address.split("/")[0]
        kernel["routes"] = [route for route in kernel["routes"] if route.get("src") != source]
    if verb == "replace" and rest[0] not in addresses:
        addresses.append(rest[0])


def pairs(words):
    return dict(zip(words[::2], words[1::2], strict=True))


def ip_route(kernel, verb, rest):
    if verb == "flush":
        table = int(pairs(rest)["table"])
        kernel["routes"] = [route for route in kernel["routes"] if route["table"] != table]
        return
    values = pairs(rest[1:])
    route = {"to": rest[0], "via": values.get("via"), "dev": values["dev"], "metric": int(values["metric"])}
    route["table"] = int(values["table"])
    kernel["routes"] = [r for r in kernel["routes"] if any(r[key] != route[key] for key in route)]
    if verb == "replace":
        kernel["routes"].append({**route, "src": values.get("src")})


def ip_rule(kernel, verb, rest):
    values = pairs(rest)
    same = [
        rule
        for rule in kernel["rules"]
        if rule["priority"] == int(values["priority"]) and values.get("from") in (None, rule["from"])
    ]
    if verb == "add":
        rule = {"priority": int(values["priority"]), "from": values["from"], "table": int(values["table"])}
        kernel["rules"].append(rule)
        return
    if not same:
        sys.exit("RTNETLINK answers: No such file or directory")
    kernel["rules"].remove(same[0])


# -- networkd -------------------------------------------------------------------------------------------------------
def do_networkctl(kernel, words):
    if words[0] == "reload":
        now, before = read_files(), kernel.get("loaded", {})
        kernel["loaded"] = now
        make_netdevs(kernel, now)
        for name in list(kernel["links"]):
            if matching(now, name, kernel) != matching(before, name, kernel):
                configure(kernel, name)
    else:
        for name in words[1:]:
            if name not in kernel["links"]:
                sys.exit(f"Failed to find {name}")
            configure(kernel, name)


def read_files():
    found = {}
    for folder in reversed(NETWORKD):
        place = ROOT / folder
        for file in sorted(place.iterdir()) if place.is_dir() else ():
            if file.suffix in (".network", ".netdev"):
                found[file.name] = parse(file.read_text())
    return dict(sorted(found.items()))


def parse(text):
    found = []
    for line in text.splitlines():
        if line.startswith("["):
            found.append([line[1:-1], []])
        elif "=" in line and not line.startswith("#"):
            found[-1][1].append(line.split("=", 1))
    return found


def value(sections, section, key, default=None):
    for name, entries in sections:
        for found, text in entries:
            if (name, found) == (section, key):
                return text
    return default


def values(sections, section, key):
    return [text for name, entries in sections for found, text in entries if (name, found) == (section, key)]


def matching(files, name, kernel):
    for file, sections in files.items():
        if file.endswith(".network"):
            path, pattern = value(sections, "Match", "Path"), value(sections, "Match", "Name")
            if path and path == f"pci-{kernel['links'][name].get('pci')}":
                return sections
            if pattern and any(fnmatch.fnmatch(name, word) for word in pattern.split()):
                return sections
    return None


def make_netdevs(kernel, files, parent=None):
    for file, sections in files.items():
        name = value(sections, "NetDev", "Name")
        if not file.endswith(".netdev") or name in kernel["links"]:
            continue
        kind = value(sections, "NetDev", "Kind")
        link = {"mtu": 1500, "up": False, "addresses": [], "kind": kind}
        if kind == "vlan":
            if parent is None or name not in values(matching(files, parent, kernel) or [], "Network", "VLAN"):
                continue
            link.update(link=parent, data={"protocol": "802.1Q", "id": int(value(sections, "VLAN", "Id"))})
        else:
            words = {"Mode": "mode", "TransmitHashPolicy": "xmit_hash_policy", "LACPTransmitRate": "ad_lacp_rate"}
            link["data"] = {theirs: value(sections, "Bond", ours) for ours, theirs in words.items()}
            link["data"]["miimon"] = int(value(sections, "Bond", "MIIMonitorSec").removesuffix("ms"))
            link["data"]["min_links"] = int(value(sections, "Bond", "MinLinks"))
        kernel["links"][name] = link
        configure(kernel, name)


def configure(kernel, name):
    files, link = kernel["loaded"], kernel["links"][name]
    sections = matching(files, name, kernel)
    if sections is None:
        return
    link["up"], link["mtu"] = True, int(value(sections, "Link", "MTUBytes", link["mtu"]))
    link["master"] = value(sections, "Network", "Bond")
    link["addresses"] = values(sections, "Network", "Address")
    sources = {rule["from"] for rule in kernel["rules"]}
    kernel["routes"] = [r for r in kernel["routes"] if r["dev"] != name or r.get("protocol") == "2"]
    for section, entries in sections:
        entry = dict(entries)
        if section == "Route":
            route = {"to": entry["Destination"], "via": entry.get("Gateway"), "dev": name}
            route.update(metric=int(entry["Metric"]), table=int(entry.get("Table", 254)), src=entry["PreferredSource"])
            kernel["routes"].append(route)
        if section == "RoutingPolicyRule" and entry["From"].removesuffix("/32") not in sources:
            rule = {"priority": int(entry["Priority"]), "from": entry["From"].removesuffix("/32")}
            kernel["rules"].append({**rule, "table": int(entry["Table"])})
    make_netdevs(kernel, files, parent=name)


# -- others ---------------------------------------------------------------------------------------------------------
def do_netplan(kernel, words):
    done = subprocess.run(["/usr/sbin/netplan", *words, "--root-dir", str(ROOT)], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def do_systemctl(kernel, words):
    if words[0] == "is-active":
        active = kernel.get("active", ["systemd-networkd.service"])
        sys.exit(0 if words[-1] in active else 3)
    if words[:1] == ["stop"]:
        (HERE / "timer.json").unlink(missing_ok=True)


def do_systemd_run(kernel, words):
    command = [word for word in words if not word.startswith("--")]
    timer = {"options": words[: len(words) - len(command)], "command": command}
    (HERE / "timer.json").write_text(json.dumps(timer))


def do_udevadm(kernel, words):
    pass


def do_sysctl(kernel, words):
    key, _, text = words[-1].partition("=")
    (ROOT / "proc/sys" / key).write_text(text + "\n")


if __name__ == "__main__":
    os.umask(0o022)
    # absolute, not resolved: the tools are links to this file
    execute(Path(__file__).absolute().parent.parent, Path(sys.argv[0]).name, sys.argv[1:])
