//! Compiles a file with hiprtc: `hiprtc FILE.hip OUT.co [HEADER ..] -- --offload-arch=gfx90a [OPTION ..]`. The
//! program includes headers by the names given here. No GPU is needed.
use rushlight_hip::rtc;
use std::error::Error;

fn main() {
    if let Err(e) = compile() {
        eprintln!("{e}");
        std::process::exit(1);
    }
}

fn compile() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let split = args.iter().position(|a| a == "--").unwrap_or(args.len());
    let (files, options) = args.split_at(split);
    let [file, out, names @ ..] = files else {
        return Err("hiprtc FILE.hip OUT.co [HEADER ..] -- --offload-arch=gfx90a [OPTION ..]".into());
    };
    let read = |name: &String| std::fs::read_to_string(name).map_err(|e| format!("{name}: {e}"));
    let texts = names.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let headers: Vec<(&str, &str)> =
        names.iter().zip(&texts).map(|(n, t)| (n.as_str(), t.as_str())).collect();
    let made = rtc::compile(&read(file)?, file, &headers, options.get(1..).unwrap_or_default());
    let made = made.map_err(|e| format!("{e}\n{}", e.log().unwrap_or_default()))?;
    eprint!("{}", made.log);
    Ok(std::fs::write(out, made.code)?)
}
