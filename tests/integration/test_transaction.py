# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each platform and dialect: from factory state to intent in one transaction, and then nothing more to do."""

from __future__ import annotations

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.unchanged import Unchanged
from tests.integration.support import RELEASES, bench

EVERY = [(platform, release) for platform, releases in RELEASES.items() for release in releases]


@pytest.mark.parametrize(("platform", "release"), EVERY)
def test_converges_once_and_then_rests(platform, release, tmp_path):
    with bench(platform, tmp_path, release=release) as b:
        before = b.lab.running(b.model.name)
        predicted = b.plan()
        assert predicted.change, "a switch in factory state must differ from the intent"
        assert b.lab.running(b.model.name) == before, "planning changed the switch"

        first = b.converge()
        assert first.applied
        assert first.saved
        assert first.change == predicted.change, "check mode predicted something else than was done"

        again = b.plan()
        assert not again.change, again.change.diffs
        assert b.driver().dump(again.before) == b.driver().dump(first.change.predicted)
        assert b.lab.leftovers(b.model.name) == []
        assert b.lab.startup(b.model.name) == b.lab.running(b.model.name)


@pytest.mark.parametrize(("platform", "release"), EVERY)
def test_undoing_the_change_restores_the_factory_state_byte_for_byte(platform, release, tmp_path):
    with bench(platform, tmp_path, release=release) as b:
        before = b.lab.running(b.model.name)
        first = b.converge()
        _, transaction = b.transaction()
        undone = transaction.bring_to(lambda driver: first.before, permit=lambda change: None)
        assert undone.applied
        assert b.lab.running(b.model.name) == before


@pytest.mark.parametrize("platform", RELEASES)
def test_what_is_remembered_spares_the_plan_until_something_changes(platform, tmp_path, monkeypatch):
    with bench(platform, tmp_path) as b:
        b.converge()

        def plan():
            driver, transaction = b.transaction()
            transaction.unchanged = Unchanged(tmp_path / "unchanged", driver)
            return driver, transaction.bring_to(b.intended)

        driver, outcome = plan()
        assert not outcome.change
        with monkeypatch.context() as patch:
            patch.setattr(type(driver), "parse", lambda *_: pytest.fail("it was worked out again"))
            driver, outcome = plan()
        assert not outcome.change
        assert driver.running_release
        b.lab.load(b.model.name, b.lab.running(b.model.name).replace("9216", "9000").replace("9214", "9000"))
        _, outcome = plan()
        assert outcome.change
        assert b.converge().applied, "a change is never spared"
        assert not plan()[1].change
