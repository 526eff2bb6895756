# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signatures of kernel modules."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class ModuleSignature(Check):
    """With Secure Boot every module of the stack is signed with a key that the kernel holds."""

    name = "module_signature"
    reads = "Secure Boot, kernel lockdown, signer of every installed module of the stack, keys of the kernel"
    why = "the kernel refuses the module (Key was rejected by service): no RDMA, or no GPU, after the next boot"
    remedy = (
        "sign it with a machine owner key, enrol that (mokutil --import, confirm at the console), use modules that"
        " the distribution signs, or disable Secure Boot"
    )

    def examine(self, view: View) -> Iterator[Outcome]:
        boot = view.facts["secure_boot"]
        # What the kernel does counts: under Secure Boot some are not locked down, or were told not to be (mokutil
        # --disable-validation), and sig_enforce works without it.
        refuses = boot["signatures_enforced"] or boot["lockdown"] not in (None, "none")
        if not refuses and (boot["lockdown"] == "none" or boot["enabled"] is False):
            yield self.skip("the kernel takes unsigned modules")
            return
        if not refuses and boot["enabled"] is None:
            yield self.answer("Secure Boot", "a known state", "efivars not readable", None)
            return
        modules = {n: m for n, m in view.facts["modules"].items() if m["file"] and not m["builtin"]}
        if not modules:
            yield self.skip("no module of the stack is installed yet")
        for name, module in modules.items():
            expected = "a signature with an enrolled key"
            if not module["signed"]:
                yield self.answer(name, expected, "unsigned", False)
            elif boot["keys"] is None or module["signer"] is None:
                yield self.answer(
                    name, expected, f"signed by {module['signer'] or 'an unnamed key'}, keys unknown", None
                )
            else:
                known = any(module["signer"] in key or key in module["signer"] for key in boot["keys"])
                actual = f"signed by {module['signer']}" + ("" if known else ", which is not enrolled")
                yield self.answer(name, expected, actual, known)
