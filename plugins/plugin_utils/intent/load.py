# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""File -> validated intent that still knows its lines."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ValidationError

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.document import Document
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import IntentError, dotted, explain


@dataclass(frozen=True)
class Intent:
    """A validated fabric and the document it came from."""

    fabric: Fabric
    document: Document


def load(path: str) -> Intent:
    """Read and validate one intent file. IntentError holds every problem that the file alone shows."""
    return validate(Document.read(path))


def validate(document: Document) -> Intent:
    """Validate a document against the schema."""
    problems = list(document.problems)
    reported = {p.path for p in problems}
    try:
        fabric = Fabric.model_validate(document.data)
    except ValidationError as error:
        for item in error.errors(include_url=False):
            path, text = explain(item, Fabric, document.data)
            if dotted(path) not in reported:  # what YAML already explained is not wrong twice
                problems.append(document.problem(path, text))
    if problems:
        raise IntentError(problems)
    return Intent(fabric, document)
