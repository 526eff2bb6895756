# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bash of the emulated Cumulus Linux."""

from __future__ import annotations

import pytest

from lab.device import Logout
from tests.unit.lab.nvue.trees import device


@pytest.fixture
def shell():
    return device().shell("cumulus")


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("", ""),
        ("   # comment", ""),
        ("hostname", "leaf01"),
        ("echo one; echo two", "one\ntwo"),
        ("false; echo rc=$?", "rc=1"),
        ("true && echo yes || echo no", "yes"),
        ("false && echo yes || echo no", "no"),
        ("echo 'a  b' \"c  d\" e\\ f", "a  b c  d e f"),
        ("echo '$HOME' \"$HOME\" $HOME", "$HOME /home/cumulus /home/cumulus"),
        ('echo "\\$HOME"', "$HOME"),
        ("X=5; echo ${X}1", "51"),
        ("export A='x y'; echo \"$A\"", "x y"),
        ("echo hi > /tmp/f && cat /tmp/f && rm /tmp/f", "hi"),
        ("echo a > /tmp/f; echo b >> /tmp/f; cat < /tmp/f", "a\nb"),
        ("cat /tmp/none", "cat: /tmp/none: No such file or directory"),
        ("cat /tmp/none 2>/dev/null; echo $?", "1"),
        ("cat /tmp/none > /tmp/o 2>&1; cat /tmp/o", "cat: /tmp/none: No such file or directory"),
        ("echo x > /nowhere/f", "-bash: /nowhere/f: No such file or directory"),
        ("echo x > /etc/f", "-bash: /etc/f: Permission denied"),
        ("rm -f /tmp/none; echo $?", "0"),
        ("rm /tmp/none", "rm: cannot remove '/tmp/none': No such file or directory"),
        ("test -e /tmp/none; echo $?", "1"),
        ("[ -e /etc/lsb-release ] && echo there", "there"),
        ("ls /etc/nvue.d", "startup.yaml"),
        ("umask 077; umask", "0077"),
        ("umask 077; echo x > /tmp/f; stat -c %a /tmp/f", "600"),
        ("F=$(mktemp); echo x > $F; cat $F; stat -c %a $F", "x\n600"),
        ("printf 'a\\nb\\n' | grep b", "b"),
        ("frobnicate", "-bash: frobnicate: command not found"),
        ("frobnicate; echo $?", "-bash: frobnicate: command not found\n127"),
        ("net add interface swp1", "-bash: net: command not found"),
        ("net show system 2>&1", "-bash: net: command not found"),
        ("sudo -n whoami", "root"),
        ("sudo frobnicate", "sudo: frobnicate: command not found"),
        ("stty cols 200", ""),
        ("cat /etc/image-release", "IMAGE_RELEASE=5.14.0\nIMAGE_DESCRIPTION=Cumulus Linux 5.14.0"),
        ("echo a |", ""),
        ("; echo x", "-bash: syntax error near unexpected token `;'"),
        ("echo x >", "-bash: syntax error near unexpected token `newline'"),
    ],
)
def test_line(shell, line, output):
    assert shell.run(line) == output


def test_lsb_release_names_the_release(shell):
    assert "DISTRIB_RELEASE=5.14.0" in shell.run("cat /etc/lsb-release").splitlines()


def test_prompt(shell):
    assert shell.prompt == "cumulus@leaf01:mgmt:~$ "
    shell.run("cd /tmp")
    assert shell.prompt == "cumulus@leaf01:mgmt:/tmp$ "


def test_here_document(shell):
    assert shell.run("cat > /tmp/a <<'EOF'; echo done") == ""
    assert shell.prompt == "> "
    for line in ("key: 'v'", "  $HOME", "", "EOFX"):
        assert shell.run(line) == ""
    assert shell.run("EOF") == "done"
    assert shell.prompt == "cumulus@leaf01:mgmt:~$ "
    assert shell.run("cat /tmp/a") == "key: 'v'\n  $HOME\n\nEOFX"
    assert shell.device.leftovers() == ["file /tmp/a"]


def test_here_document_without_quotes_expands(shell):
    for line in ("cat <<EOF", "$HOME"):
        assert shell.run(line) == ""
    assert shell.run("EOF") == "/home/cumulus"


def test_two_here_documents(shell):
    for line in ("cat > /tmp/a <<A; cat > /tmp/b <<B", "one", "A", "two"):
        assert shell.run(line) == ""
    shell.run("B")
    assert shell.run("cat /tmp/a /tmp/b") == "one\ntwo"


def test_open_quotes_ask_for_more(shell):
    assert shell.run("echo 'a") == ""
    assert shell.prompt == "> "
    assert shell.run("b'") == "a\nb"


def test_a_line_that_ends_in_a_backslash_goes_on(shell):
    shell.run("echo a \\")
    assert shell.run("b") == "a b"


def test_mktemp_makes_new_names(shell):
    first, second = shell.run("mktemp"), shell.run("mktemp /tmp/lf.XXXXXX")
    assert first != second
    assert second.startswith("/tmp/lf.")
    assert shell.device.leftovers() == [f"file {name}" for name in sorted([first, second])]


def test_a_cut_forgets_the_line_but_not_the_files(shell):
    shell.run("cat > /tmp/kept <<'EOF'")
    shell.run("EOF")
    shell.run("cat > /tmp/half <<'EOF'")
    shell.run("text")
    shell.close()
    assert shell.device.leftovers() == ["file /tmp/kept"]


@pytest.mark.parametrize("word", ["exit", "logout"])
def test_exit(shell, word):
    with pytest.raises(Logout):
        shell.run(word)


def test_exit_status_of_nv(shell):
    assert shell.run("nv set interface swp1 link mtu 1 > /tmp/o 2>/tmp/e; echo rc=$?") == "rc=1"
    assert shell.run("cat /tmp/o") == ""
    assert "Error: Invalid Command" in shell.run("cat /tmp/e")


def test_abbreviations(shell):
    assert shell.run("nv set int swp1 desc x") == "created [rev_id: 1]"
    assert shell.run("nv s i") == "Error: Ambiguous Command:\n  set interface\n  show interface"
    assert shell.run("nv set in swp1 li mt 9000") == ""
    assert "mtu: 9000" in shell.run("nv conf diff")


def test_sudo_nv_is_another_user(shell):
    shell.run("sudo nv set interface swp1 description x")
    assert shell.run("nv config diff") == ""
    assert shell.run("sudo nv config diff") != ""
