//! Tells the program which version of lapin it was built with: Cargo does so only for itself.

fn main() {
    println!("cargo:rerun-if-changed=Cargo.toml");
    let manifest = std::fs::read_to_string("Cargo.toml").expect("Cargo.toml");
    let line = manifest.lines().find(|line| line.starts_with("lapin = ")).expect("lapin");
    let version = line.split('"').nth(1).expect("a version");
    println!("cargo:rustc-env=LAPIN_VERSION={}", version.trim_start_matches('='));
}
