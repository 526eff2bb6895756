# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A package mirror with stand-ins for the vendors' packages: their names, versions and dependencies, no contents."""
