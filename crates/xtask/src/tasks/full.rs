//! `test-full`: all of `test`, and the checks that take hours.
use super::{devices, no_arguments, pipeline, tools};
use crate::Outcome;
use crate::process::{run as start, task};

/// Elementary functions of every f32 number, every kernel for every target of AMD and NVIDIA, kernels under sanitizers, and wrong kernels drawn at random (hours;
/// `cargo xtask mutants --drawn --resume` goes on with a run that was stopped).
pub fn run(args: &[String]) -> Outcome {
    const CANDLE: [&str; 3] = ["candle-tests", "--device", "rocm-gfx1100,rocm-gfx90a"];
    const NN: [&str; 3] = ["candle-ecosystem", "--device", "cpu,rocm-gfx1100,rocm-gfx90a"];
    const STEPS: [(&str, &[&str]); 10] = [
        ("simd calls", &["simd-calls"]),
        ("roofline", &["roofline", "--compare"]),
        ("kernels", &["kernels"]),
        ("cuda kernels", &["kernels", "--cuda"]),
        ("wrong kernels", &["mutants"]),
        ("candle on machine code", &["candle-isa"]),
        ("new op", &["test-new-op"]),
        ("sanitize", &["sanitize"]),
        ("drawn wrong kernels", &["mutants", "--drawn"]),
        ("python, whole and to convergence", &["python-full"]),
    ];
    no_arguments(args)?;
    pipeline::test(&[])?;
    pipeline::timed("unit tests of rushlight", || start(&mut pipeline::every_unit_test()))?;
    pipeline::timed("the whole suite on the CPU", || start(&mut devices::cargo_test(&["parity"], &[])))?;
    pipeline::timed("rocm tests, whole", || devices::rocm(&[]))?;
    pipeline::timed("machine code, whole", || devices::isa(&[]))?;
    pipeline::timed("candle tests", || pipeline::on_rocm(&CANDLE))?;
    pipeline::timed("candle ecosystem", || pipeline::on_rocm(&NN))?;
    const NUMBERS: [&str; 3] = ["--", "--ignored", "for_every_number"];
    pipeline::timed("every f32 number", || start(&mut devices::cargo_test(&["cpu"], &NUMBERS)))?;
    tools::kernels()?;
    for (name, args) in STEPS {
        pipeline::timed(name, || pipeline::task_in_release(task(args)))?;
    }
    println!("make test-full: all steps passed");
    Ok(())
}
