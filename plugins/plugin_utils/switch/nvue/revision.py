# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The transaction on a Cumulus switch: one pending revision, applied under a timer, confirmed over a new session.

    nv config attach applied -y          a pending revision of our own
    nv config patch FILE                 what goes away; then the same with what is set
    nv config diff applied REV -o json   must be the planned change and nothing else
    nv config apply REV --confirm ..s    in force; undone by the switch unless confirmed in time
    nv config apply REV --confirm-yes    on a new session

The patch travels in a file that mktemp makes (mode 0600) under our name; its first line names the revision. So whatever
an interrupted run leaves can be told from what belongs to somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import (
    Busy,
    Mismatch,
    Refused,
    SwitchError,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.ownership import Ownership
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.tree import (
    Flat,
    Path,
    flatten,
    natural_path,
    nest,
    normal,
    parents,
    read_json,
    to_flow,
    without,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import Session

if TYPE_CHECKING:
    from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.driver import NvueChange

OURS = "lossless-"  # the names of transactions start with it
SLOW = 300.0  # seconds; an apply writes every file of the switch and reloads switchd
_REVISION = re.compile(r"\[rev_id: *([^\]\s]+) *\]")
_BUSY = re.compile(r"lock|in progress|busy|already pending|another user|maximum|too many|no room|limit", re.I)
_FILE = re.compile(rf"/tmp/{OURS}[\w-]+\.\w+")
_MARK = re.compile(r"^# revision (\S+)$", re.M)
_UNDER_WAY = re.compile(r"^(apply|applying|ays|check\w*|ready\w*|verify\w*|reload\w*|sav(e|ing)|trans\w*|roll\w*ing)$")
_WIDTH = 400  # characters in a line of a patch; the terminal has 511
_POLLS = 60  # looks at a revision that is still being applied; each takes about a second
_KEPT = ("applied", "applied_and_saved", "saved")


class Revisions:
    """What this driver knows of its revisions; the rest is on the switch."""

    def __init__(self) -> None:
        self._mine: dict[str, str] = {}  # transaction name -> revision

    # -- forward ------------------------------------------------------------------------------------------------
    def apply(self, session: Session, change: NvueChange, name: str, timer: int, ownership: Ownership) -> None:
        """Patch, prove, apply under the timer. Whoever calls rolls back when this raises."""
        file = self._file(session, name)
        attached = _send(session, "nv config attach applied -y")
        found = _REVISION.search(attached)
        if not found:
            raise Refused(
                f"{session.target.where}: expected a new revision ('attached [rev_id: N]') from 'nv config attach "
                f"applied -y', found {attached.strip()[:120]!r}",
                "nv config attach applied -y",
                attached,
            )
        rev = self._mine[name] = found[1]
        # An object is removed by null, and is made by {}.
        for verb, flat, empty in (("unset", dict.fromkeys(change.unset), "null"), ("set", dict(change.set), "{}")):
            if flat:
                body = to_flow(nest(flat), empty=empty, width=_WIDTH, indent="    ")
                _upload(session, file, f"# revision {rev}\n- {verb}:\n{body}")
                _send(session, f"nv config patch {file}", timeout=SLOW)
        self._prove(session, rev, change, ownership)
        _send(session, f"nv config apply {rev} --confirm {timer}s -y -m {name}", timeout=SLOW)
        state = self._settled(session, rev)
        if state != "confirm":
            raise Refused(
                f"{session.target.where}: revision {rev} was not applied: expected state confirm, found {state}",
                f"nv config apply {rev}",
                state,
            )
        session.send(f"rm -f {file}")

    def _file(self, session: Session, name: str) -> str:
        answer = session.send(f"mktemp /tmp/{name}.XXXXXXXX")
        found = _FILE.search(answer)
        if not found:
            raise Refused(
                f"{session.target.where}: mktemp made no file under /tmp: {answer.strip()[:120]!r}; is it full?",
                "mktemp",
                answer,
            )
        return found[0]

    def _prove(self, session: Session, rev: str, change: NvueChange, ownership: Ownership) -> None:
        """The pending revision differs from what is applied by the planned change alone."""
        report = _json(session, f"nv config diff applied {rev} -o json")
        result = apply_report(report, change.running, ownership)
        planned = _comparable(change.expected, change.unset, ownership)
        actual = _comparable(result, change.unset, ownership)
        if planned == actual:
            return
        lacks = [path for path in planned if planned[path] != actual.get(path, ...)]
        extra = [path for path in actual if path not in planned]
        raise Mismatch(
            f"{session.target.where}: the pending revision {rev} is not the planned change: expected "
            f"{_some(lacks, ownership) or 'nothing more'}, found in addition {_some(extra, ownership) or 'nothing'}. "
            "Somebody may have changed the switch since it was read; nothing was applied, run again"
        )

    def confirm(self, session: Session, name: str) -> None:
        """Stop the timer."""
        rev = self._mine.get(name, "")
        state = _state(_records(session).get(rev))
        if state != "confirm":
            raise Mismatch(
                f"{session.target.where}: expected revision {rev} to wait for its confirm, found state {state}: the "
                "timer has run out and the switch has undone the change"
            )
        _send(session, f"nv config apply {rev} --confirm-yes", timeout=SLOW)
        state = self._settled(session, rev)
        if state not in _KEPT:
            raise Refused(
                f"{session.target.where}: revision {rev} was confirmed: expected state applied, found {state}",
                f"nv config apply {rev} --confirm-yes",
                state,
            )

    # -- backward -----------------------------------------------------------------------------------------------
    def roll_back(self, session: Session, name: str) -> None:
        """Undo the transaction and remove what it needed; a confirmed one stays."""
        self._sweep(session, name)

    def clean(self, session: Session) -> list[str]:
        """Remove our leftovers; refuse to work beside somebody else's unfinished change."""
        removed, records = self._sweep(session, OURS)
        for rev, record in records.items():
            if _state(record) == "confirm":
                raise Busy(
                    f"{session.target.where}: revision {rev} of another user waits for its confirm. Confirm it "
                    f"(nv config apply {rev} --confirm-yes) or give it up (--confirm-no), then run again"
                )
            if _state(record) == "pending" and _differs(session, rev):
                raise Busy(
                    f"{session.target.where}: revision {rev} of another user is pending. Apply it "
                    f"(nv config apply {rev}) or delete it (nv config delete {rev}), then run again"
                )
        return removed

    def _sweep(self, session: Session, prefix: str) -> tuple[list[str], dict[str, Any]]:
        """Remove what belongs to transactions whose name starts with ``prefix``: what was removed, what is left."""
        listing = session.send("ls -1 /tmp").split()
        files = [f"/tmp/{name}" for name in listing if name.startswith(prefix) and _FILE.fullmatch(f"/tmp/{name}")]
        marks = {file: _MARK.search(session.send(f"cat {file}", check=False)) for file in files}
        records = _records(session)
        ours = {found[1] for found in marks.values() if found}
        ours |= {rev for name, rev in self._mine.items() if name.startswith(prefix)}
        # The message of an apply that waits for its confirm is the name of the transaction.
        ours |= {rev for rev, record in records.items() if _state(record) == "confirm" and prefix in str(record)}
        if None in marks.values():
            # Cut off between making the revision and writing its number down: ours is one without any change.
            ours |= {r for r, record in records.items() if _state(record) == "pending" and not _differs(session, r)}
        removed = []
        for rev in sorted(ours & records.keys()):
            state = self._settled(session, rev)
            if state == "confirm":
                _send(session, f"nv config apply {rev} --confirm-no", timeout=SLOW)
                self._settled(session, rev)
                removed.append(f"revision {rev}, which waited for its confirm: rolled back")
            elif state not in (*_KEPT, "gone"):
                self._delete(session, rev)
                removed.append(f"pending revision {rev}")
        for file in files:
            session.send(f"rm -f {file}")
            removed.append(f"file {file}")
        return removed, _records(session) if removed else records

    def _delete(self, session: Session, rev: str) -> None:
        session.send("nv config detach", check=False)
        answer = session.send(f"nv config delete {rev}", check=False)
        if _state(_records(session).get(rev)) != "gone":
            raise Refused(
                f"{session.target.where}: revision {rev} of an unfinished change could not be deleted: "
                f"{answer.strip()[:120]!r}. Nothing of it is in force; delete it by hand: nv config delete {rev}",
                f"nv config delete {rev}",
                answer,
            )

    # -- looking ------------------------------------------------------------------------------------------------
    def _settled(self, session: Session, rev: str) -> str:
        """State of a revision once the switch is done with it."""
        state = ""
        for _ in range(_POLLS):
            state = _state(_records(session).get(rev))
            if not _UNDER_WAY.match(state):
                return state
        raise SwitchError(f"{session.target.where}: revision {rev} stays in state {state!r}; look at nv config history")


def apply_report(report: Any, running: Mapping[Path, str | None], ownership: Ownership) -> Flat:
    """The configuration that ``nv config diff -o json`` describes, given what is running."""
    parts = report if isinstance(report, list) else [report]
    gone: set[Path] = set()
    new: Flat = {}
    for part in parts:
        gone |= {path for path, _ in flatten(normal(part.get("unset") or {}))}
        new |= dict(flatten(normal(part.get("set") or {})))
    result = without(running, gone)
    for path, value in new.items():
        result = without(result, ownership.rivals(path, result))
        result[path] = value
    return result


def _comparable(flat: Mapping[Path, str | None], unset: Iterable[Path], ownership: Ownership) -> Flat:
    """Without what means nothing: defaults, objects that others imply, objects that a removal may leave empty."""
    hollow = parents(flat) | parents(unset)
    return {
        path: value
        for path, value in flat.items()
        if not (value is None and path in hollow)
        and not ownership.is_default(path, value)
        and ownership.implied.get(path, ...) != value
    }


def _some(paths: list[Path], ownership: Ownership) -> str:
    """The first few of many, for a message. Of what is not ours only the subject: names below may be secrets."""
    shown = dict.fromkeys(
        " ".join(path if ownership.pattern(path) else path[:2]) for path in sorted(paths, key=natural_path)
    )
    return ", ".join([*shown][:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "")


def _send(session: Session, command: str, timeout: float | None = None) -> str:
    """Like session.send, with Busy told from Refused."""
    try:
        return session.send(command, timeout=timeout)
    except Refused as error:
        if _BUSY.search(error.answer):
            raise Busy(f"{error}. Another change is going on or the switch has no room; run again later") from error
        raise


def _upload(session: Session, file: str, text: str) -> None:
    """Write a file through a here-document; the echo of the text is not looked at for errors."""
    session.send(f"cat > {file} <<'END-OF-PATCH'\n{text}END-OF-PATCH", timeout=SLOW, check=False)


def _json(session: Session, command: str) -> Any:
    return read_json(session.send(command), f"{session.target.where}: {command}")


def _records(session: Session) -> dict[str, Any]:
    """Revision -> what the switch says about it. The named ones (applied, startup, empty) are not among them."""
    value = _json(session, "nv config revision -o json")
    return {str(rev): record for rev, record in value.items() if str(rev).isdigit() or "/" in str(rev)}


def _state(record: Any) -> str:
    return str(record.get("state", "")) if isinstance(record, Mapping) else "gone"


def _differs(session: Session, rev: str) -> bool:
    report = _json(session, f"nv config diff applied {rev} -o json")
    parts = report if isinstance(report, list) else [report]
    return any(part.get("set") or part.get("unset") for part in parts)
