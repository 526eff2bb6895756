# Entry points. Everything is set up in .venv from a clean clone; nothing else on the machine is changed, except that
# root gets Debian's python3-venv and what tests/setup/machine.sh lists where they are missing.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.ONESHELL:

PYTHON ?= python3
VENV := .venv
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export PYTHONDONTWRITEBYTECODE := 1
export ANSIBLE_CONFIG := $(CURDIR)/ansible.cfg
export MOLECULE_GLOB := molecule/*/molecule.yml

.PHONY: help
help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

# -- set-up ---------------------------------------------------------------------------------------------------------
$(VENV)/.ready: $(wildcard requirements/*.txt)
	tests/setup/venv.sh "$(PYTHON)" $(VENV) test
	touch $@

.cache/oracle/.ready: requirements/oracle.txt
	tests/setup/venv.sh "$(PYTHON)" .cache/oracle oracle
	touch $@

.PHONY: venv
venv: $(VENV)/.ready ## set up the Python environment in .venv

# -- for people -----------------------------------------------------------------------------------------------------
.PHONY: demo
demo: venv ## the whole story on emulated switches: converge, break, detect, correct
	tests/demo.sh

.PHONY: demo-hosts
demo-hosts: venv ## the same for GPU hosts as virtual machines (root; long without KVM)
	tests/demo-hosts.sh

.PHONY: lab-up
lab-up: venv ## start the emulated switches of inventories/lab
	python -m lab up

.PHONY: lab-down
lab-down: venv ## stop them
	python -m lab down

# -- for developers -------------------------------------------------------------------------------------------------
.PHONY: test
test: lint unit oracle integration molecule newest ## everything that has to pass before a change lands

.PHONY: test-all
test-all: test machines ## also what takes too long for every change

.PHONY: lint
lint: venv ## ruff, yamllint, ansible-lint (production), validate-modules
	ruff check .
	ruff format --check .
	yamllint --strict .
	ansible-lint --offline
	tests/setup/validate-modules.sh

.PHONY: debian
debian: ## Debian packages that tests need (root installs what is missing)
	tests/setup/machine.sh

.PHONY: unit
unit: venv debian ## planner, parsers, templates, emulators; no playbooks
	python -m pytest tests/unit tests/golden -n 2

.PHONY: oracle
oracle: .cache/oracle/.ready ## our output through pyavd and nvueschema
	.cache/oracle/bin/python -m pytest tests/oracle

.PHONY: integration
integration: venv debian ## playbooks against emulated switches over real SSH, lab machines, real apt and dnf
	python -m pytest tests/integration -n 2 -m "not machine"

# Scenarios of molecule that fit the time of every change, also where there is no KVM.
QUICK := default hosts-preflight hosts-network

.PHONY: machines
machines: venv debian ## hosts as virtual machines: faults, NICs, software, a whole site (root; hours without KVM)
	python -m pytest tests/integration -m machine
	molecule test --all $(QUICK:%=--exclude %)

.PHONY: molecule
molecule: venv debian ## the quick molecule scenarios: switches, preflight, host network
	molecule test $(QUICK:%=--scenario-name %)

.PHONY: newest
newest: ## a quick run on the newest ansible-core that another Python here takes
	tests/newest.sh

.PHONY: bench
bench: venv ## wall time, CPU and memory against peers, as ratios
	tests/bench/run.sh

.PHONY: clean
clean: ## remove everything that make made
	rm -rf $(VENV) .cache .lab .ansible reports
