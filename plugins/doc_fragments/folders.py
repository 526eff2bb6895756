# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that modules for hosts have in common."""

from __future__ import annotations


class ModuleDocFragment:
    """``root`` and ``path``: a folder in place of the host, as images and tests have it."""

    DOCUMENTATION = r"""
options:
  root:
    description: Folder that stands for C(/); for tests and images.
    type: path
    default: /
  path:
    description: Folders in which commands are looked up. The default is the system's.
    type: list
    elements: path
    default: []
"""
