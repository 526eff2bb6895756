# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real dcb of iproute2, on an interface whose driver has no DCB (lo).

The kernel answers "Operation not supported", so what is proved here is: the words that are read before the kernel is
asked, the objects that this release has, and that such a NIC becomes a clear finding. Values are tested with the
stand-in, whose grammar is checked against the help texts of the real one.
"""

from __future__ import annotations

import shutil
import subprocess

import pytest

from ansible_collections.lossless.fabric.plugins.module_utils.nic.dcb import OBJECTS, Dcb
from ansible_collections.lossless.fabric.plugins.module_utils.nic.device import Nic
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import System, Unsupported

DCB = shutil.which("dcb", path="/usr/sbin:/sbin:/usr/bin:/bin")

if DCB is None:  # a machine without iproute2 cannot say anything about it
    pytest.fail("expected dcb of iproute2 (Debian package iproute2), found none; install it", pytrace=False)


def dcb(*words):
    done = subprocess.run([DCB, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def source():
    return Dcb(System("/"), Nic("lo", "lo", driver="loopback"))


def test_an_interface_without_dcb_is_a_finding():
    values = source().read()
    assert all(isinstance(value, Unsupported) for value in values.values())
    assert values["pfc"].reason == "driver loopback has no DCB pfc on lo"


def test_the_objects_that_are_used_exist_in_this_release():
    for name in OBJECTS:
        assert dcb(name, "help")[1].startswith("Usage: dcb"), name
    assert "unknown" in dcb("nonsense", "show", "dev", "lo")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("app", "add", "dev", "lo", "dscp-prio", "26:3", "48:6"), "Operation not supported"),
        (("app", "add", "dev", "lo", "dscp-prio", "26:9"), "PRIO is expected to be 0..7"),
        (("app", "del", "dev", "lo", "dscp-prio", "26:3"), "Operation not supported"),
        (("app", "flush", "dev", "lo", "dscp-prio"), "Operation not supported"),
        (("dcbx", "set", "dev", "lo", "host", "ieee"), "not supported"),
        (("dcbx", "set", "dev", "lo", "nonsense"), "What is"),
        (("pfc", "set", "dev", "lo", "prio-pfc", "all:off", "3:on"), "Operation not supported"),
        (("ets", "set", "dev", "lo", "tc-tsa", "0:ets"), "Operation not supported"),
        (("buffer", "set", "dev", "lo", "prio-buffer", "3:1"), "Operation not supported"),
    ],
)
def test_words_of_our_commands(words, said):
    rc, text = dcb(*words)
    assert rc != 0 and said in text, text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pfc", ("prio-pfc PFC-MAP", "delay INTEGER")),
        ("ets", ("tc-tsa", "tc-bw", "prio-tc", "{ strict | cbs | ets | vendor }")),
        ("buffer", ("prio-buffer PRIO-MAP", "buffer-size SIZE-MAP")),
        ("app", ("{ add | del | replace }", "dscp-prio INTEGER:PRIO", "flush")),
        ("dcbx", ("host | lld-managed", "cee | ieee")),
    ],
)
def test_the_help_texts_know_our_words(name, words):
    text = dcb(name, "help")[1]
    for word in words:
        assert word in text, f"{word} is not in the help of dcb {name}"
