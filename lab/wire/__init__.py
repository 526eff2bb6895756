# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data plane of the lab: a process that carries frames between the NICs of machines and emulated switches.

* :mod:`lab.wire.frames`: bytes. :mod:`lab.wire.port`, :mod:`lab.wire.switch`, :mod:`lab.wire.router`: one switch.
* :mod:`lab.wire.fabric`: all switches, their links and the paths between them.
* :mod:`lab.wire.daemon`: the process. :mod:`lab.wire.link`: how the emulated switches speak to it.
* :mod:`lab.wire.launch`: started and stopped by ``python -m lab``.
"""
