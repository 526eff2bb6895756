# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The error of a line that is understood and not allowed."""

from __future__ import annotations


class RejectedError(Exception):
    """The line is understood and not allowed; the text is what EOS prints."""
