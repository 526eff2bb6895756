# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many switches and cables a fabric needs. Pure arithmetic: no names, no addresses, no intent.

``choose(Request(...))`` gives the topology, ``compare`` all that fit, ``Blocked`` says which tier does not.
"""
