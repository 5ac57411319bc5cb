# Every target makes what it needs first: an environment for each Blender version under .venv, once.

BLENDERS := 4.5 5.0 5.2
NEWEST := $(shell python3 .ci/environment.py newest)
PYTHON := .venv/$(NEWEST)/bin/python
MATPLOTLIB := matplotlib==3.10.8
RUFF := ruff==0.17.5
MYPY := mypy==2.4.1 numpy==2.4.1
# What the timewarp is measured against, and what core needs beside it; Blender's own numpy may be too new for them.
PEERS := dtaidistance==2.5.1 librosa==0.11.0 tslearn==0.10.0 pyts==0.14.1 fastdtw==0.3.4 scipy==1.17.1 PyWavelets==1.9.0
REAL_BLENDER ?= ../shared/tools/real-blender
PLATFORM ?=
# A test that waits for ever ends here.
LIMIT := timeout --kill-after=10 1800
# Core knows no Blender, and 4.5 and 5.0 come with the same Python and numpy: it is tried once for both. With those of 5.2 the
# tests of Blender 5.2 try it on recorded takes; `make core-5.2` tries it alone.
# The longest come first, so that two at a time end together.
ALL := blender-5.2 blender-4.5 blender-5.0 core-5.0
TESTS := $(ALL) core-5.2

.PHONY: help demo docs pictures lint test test-all test-gui windows bench bench-batch build wheel release clean $(BLENDERS:%=test-%) $(TESTS)
.SECONDARY:
.SECONDEXPANSION:

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 12

demo: .venv/$(NEWEST)/pictures  ## treat a take and draw what happened
	$(PYTHON) bench/demo.py

lint: .venv/lint/ready  ## check style, format, and types of the public face of core
	.venv/lint/bin/ruff check .
	.venv/lint/bin/ruff format --check .
	.venv/lint/bin/mypy

test: test-$(NEWEST)  ## run the tests on the newest Blender that python3 takes

test-all: $(ALL)  ## run the tests on Blender 4.5, 5.0 and 5.2

test-4.5: blender-4.5
test-5.0: core-5.0 blender-5.0
test-5.2: core-5.2 blender-5.2

$(TESTS): .venv/$$(lastword $$(subst -, ,$$@))/ready
	@echo "== Tests of $(firstword $(subst -, ,$@)) on Blender $(lastword $(subst -, ,$@))"
	$(LIMIT) .venv/$(lastword $(subst -, ,$@))/bin/python -m pytest tests/$(firstword $(subst -, ,$@))

# One of the versions takes the made takes where there are recorded ones too, as a clean clone does.
blender-5.0: export MOTION_SIGNAL_TAKES = made

test-gui: $(REAL_BLENDER)  ## build the Linux zip and try it in a real Blender window
	$(MAKE) build PLATFORM=linux-x64
	$(MAKE) windows

windows: $(REAL_BLENDER)
	@echo "== Tests in a window"
	$(LIMIT) $(REAL_BLENDER) python3 -m pytest tests/gui || \
	$(LIMIT) $(REAL_BLENDER) python3 -m pytest tests/gui --last-failed --last-failed-no-failures none # a busy screen drops clicks

$(REAL_BLENDER):
	@echo "The window tests need $@, which runs a command beside a real Blender; name another with REAL_BLENDER=..."
	@exit 1

docs: .venv/$(NEWEST)/ready  ## write the tables and the schema in docs/ anew, and take the pictures where there is a window
	$(PYTHON) docs/tables.py
	@if [ -x "$(REAL_BLENDER)" ]; then $(MAKE) build PLATFORM=linux-x64 && $(REAL_BLENDER) python3 docs/pictures.py; \
	else echo "No pictures: they need $(REAL_BLENDER), which runs a command beside a real Blender"; fi

pictures: .venv/$(NEWEST)/pictures  ## make the moving pictures of every technique anew, into docs/, and the small ones of the goals
	$(PYTHON) docs/moving.py
	$(PYTHON) docs/goal_pictures.py

bench: .venv/$(NEWEST)/ready .venv/peers/ready  ## measure what the techniques cost
	$(PYTHON) bench/run.py
	$(PYTHON) bench/drag.py
	.venv/peers/bin/python bench/timewarp.py

bench-batch: .venv/$(NEWEST)/ready  ## measure 200 takes on 1 and 2 jobs, a very long one, few keys, and 2,000 random faults
	$(PYTHON) bench/batch.py
	$(PYTHON) bench/long_take.py
	$(PYTHON) bench/reduce.py
	$(PYTHON) bench/mutations.py
	$(PYTHON) bench/kills.py

build: .venv/$(NEWEST)/ready  ## pack the extension into dist/, all platforms or PLATFORM=linux-x64
	$(PYTHON) .ci/build.py $(PLATFORM)

wheel: .venv/$(NEWEST)/ready  ## pack the Python package, for which no Blender is needed, into dist/
	rm -rf build *.egg-info
	$(PYTHON) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	rm -rf build *.egg-info

release: .venv/$(NEWEST)/ready  ## make zips by platform and Python, wheel, checksums and repository in dist/release; DRAFT=--draft
	$(PYTHON) .ci/release.py $(DRAFT) $(PLATFORM)

clean:  ## remove what was built; the environments and downloaded wheels stay
	rm -rf build demo dist *.egg-info .pytest_cache .ruff_cache .mypy_cache
	find . -path ./.venv -prune -o -name __pycache__ -type d -exec rm -rf {} +

.venv/%/ready: .ci/environment.py
	python3 .ci/environment.py $*

.venv/peers/ready:
	python3 -m venv .venv/peers
	.venv/peers/bin/python -m pip install --quiet --disable-pip-version-check $(PEERS)
	touch $@

.venv/lint/ready: Makefile
	[ -x .venv/lint/bin/python ] || python3 -m venv .venv/lint
	.venv/lint/bin/python -m pip install --quiet --disable-pip-version-check $(RUFF) $(MYPY)
	touch $@

.venv/%/pictures: .venv/%/ready
	.venv/$*/bin/python -m pip install --quiet --disable-pip-version-check $(MATPLOTLIB)
	touch $@
