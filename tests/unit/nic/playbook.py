# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run modules the way users do: ansible-playbook, local connection, results as data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import yaml

REPOSITORY = Path(__file__).parents[3]


def play(folder, steps, variables=None):
    """Results of the steps by name. A step is (name, task); tasks may fail, their result tells."""
    tasks = []
    for name, task in steps:
        extra = {} if "ansible.builtin.include_role" in task else {"register": name, "ignore_errors": True}
        tasks.append({"name": f"Step {name}", **task, **extra})
    names = [name for name, task in steps if "register" not in task]
    results = "{{ {" + ", ".join(f"'{n}': {n} | default({{}})" for n in names) + "} | to_json }}"
    answer = folder / "results.json"
    tasks.append({"name": "Results", "ansible.builtin.copy": {"content": results, "dest": str(answer), "mode": "0600"}})
    tasks[-1]["check_mode"] = False
    book = folder / "play.yml"
    book.write_text(
        yaml.safe_dump(
            [{"name": "Play", "hosts": "localhost", "gather_facts": False, "vars": variables or {}, "tasks": tasks}]
        )
    )
    environment = {
        **os.environ,
        "ANSIBLE_CONFIG": str(REPOSITORY / "ansible.cfg"),
        "ANSIBLE_LOCAL_TEMP": str(folder / "local"),
        "ANSIBLE_REMOTE_TEMP": str(folder / "remote"),
        "ANSIBLE_NOCOLOR": "1",
    }
    command = [
        *(sys.executable, "-m", "ansible", "playbook", "-i", "localhost,", "-c", "local", "-D"),
        *("-e", f"ansible_python_interpreter={sys.executable}", str(book)),
    ]
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert answer.exists(), done.stdout + done.stderr
    return json.loads(answer.read_text()), done.stdout
