#!/bin/sh
# Builds the virtual GPU's libraries in target/vgpu/hip{5,6,7}/lib and target/vgpu/cuda/lib, or only those that the arguments
# name (5, 6, 7, cuda). The last line that it prints is the folder for RUSHLIGHT_ROCM_PATH; RUSHLIGHT_VGPU_HIP selects it (7).
set -eu
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
chosen=${RUSHLIGHT_VGPU_HIP:-7}
file=librushlight_vgpu.so
case $chosen in 5|6|7) ;; *) echo "RUSHLIGHT_VGPU_HIP=$chosen: expected 5, 6 or 7" >&2; exit 2 ;; esac
for major in ${*:-5 6 7 cuda}; do
    feature=hip$major
    # The names that programs open; hiprtc is a separate library since HIP 6.
    case $major in
        5) names="libamdhip64.so libamdhip64.so.5 librocblas.so librocblas.so.3 libMIOpen.so libMIOpen.so.1 librocfft.so librocfft.so.0 librocsolver.so librocsolver.so.0" ;;
        6) names="libamdhip64.so libamdhip64.so.6 libhiprtc.so libhiprtc.so.6 librocblas.so librocblas.so.4 libMIOpen.so libMIOpen.so.1 librocfft.so librocfft.so.0 librocsolver.so librocsolver.so.0" ;;
        7) names="libamdhip64.so libamdhip64.so.7 libhiprtc.so libhiprtc.so.7 librocblas.so librocblas.so.5 libMIOpen.so libMIOpen.so.1 librocfft.so librocfft.so.0 librocsolver.so librocsolver.so.0" ;;
        cuda) names="libcuda.so libcuda.so.1 libnvrtc.so libnvrtc.so.12 libcublas.so libcublas.so.12 libcudnn.so libcudnn.so.9 libcufft.so libcufft.so.11 libcusolver.so libcusolver.so.11" feature=cuda ;;
        *) echo "got version $major: expected 5, 6, 7 or cuda" >&2; exit 2 ;;
    esac
    cargo build --release --quiet --locked -p rushlight-vgpu-abi --no-default-features --features "$feature"
    lib=$target/vgpu/$feature/lib
    mkdir -p "$lib"
    if [ "$feature" != cuda ]; then
        # Programs check for this file before they call rocBLAS.
        mkdir -p "$lib/rocblas/library"
        echo "The virtual GPU needs no kernel files." > "$lib/rocblas/library/TensileLibrary.dat"
    fi
    # Replaced, not overwritten, because a process may have it open. Links, not copies, because two copies are two runtimes.
    cp "$target/release/librushlight_vgpu_abi.so" "$lib/.new"
    mv -f "$lib/.new" "$lib/$file"
    for name in $names; do ln -sf "$file" "$lib/$name"; done
done
echo "$target/vgpu/hip$chosen"
