//! Lists the devices and, if one exists, compiles and runs a small kernel on it.
use rushlight_hip::{Device, Hip, LaunchConfig, Result, rtc};

const SOURCE: &str = r#"
extern "C" __global__ void square(const float *x, float *y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}"#;

fn main() {
    if let Err(e) = list() {
        eprintln!("{e}");
        std::process::exit(1);
    }
}

fn list() -> Result<()> {
    let hip = Hip::get()?;
    println!("HIP {}", hip.runtime_version());
    for warning in hip.warnings() {
        println!("warning: {warning}");
    }
    let count = hip.device_count()?;
    for ordinal in 0..count {
        let device = Device::new(ordinal)?;
        let (props, (free, total)) = (device.props(), device.mem_info()?);
        println!(
            "{ordinal}: {} ({}), {} compute units, wave {}, {} of {} MiB free, PCI {:04x}:{:02x}:{:02x}",
            props.name,
            props.arch,
            props.multiprocessors,
            props.warp_size,
            free >> 20,
            total >> 20,
            props.pci_domain,
            props.pci_bus,
            props.pci_device
        );
    }
    for (library, path) in hip.library_paths() {
        println!("{library}: {}", path.display());
    }
    let device = Device::new(0)?;
    println!("square of 1..=5 on device 0: {:?}", square(&device, &[1.0, 2.0, 3.0, 4.0, 5.0])?);
    Ok(())
}

/// Squares numbers on the device.
fn square(device: &Device, numbers: &[f32]) -> Result<Vec<f32>> {
    let arch = format!("--offload-arch={}", device.arch());
    let compiled = rtc::compile(SOURCE, "square.hip", &[], &[arch])?;
    let kernel = device.load_module(&compiled.code)?.function("square")?;
    let stream = device.stream()?;

    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let mut n = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    let mut x = device.alloc(bytes.len() as u64)?;
    let mut y = device.alloc(bytes.len() as u64)?;
    device.memcpy_htod(x, &bytes, &stream)?;
    let mut args = [(&raw mut x).cast(), (&raw mut y).cast(), (&raw mut n).cast()];
    // SAFETY: the kernel takes two pointers to n floats on the device, and n.
    unsafe { kernel.launch(LaunchConfig::cover(n, 256), &stream, &mut args)? };
    let mut out = vec![0; bytes.len()];
    device.memcpy_dtoh(&mut out, y, &stream)?;
    device.free(x)?;
    device.free(y)?;
    Ok(out.chunks_exact(4).map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect())
}
