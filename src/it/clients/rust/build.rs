//! Tells the programs which versions of the libraries they were built with: Cargo does so only for itself.

fn main() {
    println!("cargo:rerun-if-changed=Cargo.toml");
    let manifest = std::fs::read_to_string("Cargo.toml").expect("Cargo.toml");
    for library in ["lapin", "amqprs"] {
        let start = format!("{library} = ");
        let line = manifest.lines().find(|line| line.starts_with(&start)).expect(library);
        let version = line.split('"').nth(1).expect("a version").trim_start_matches('=');
        println!("cargo:rustc-env={}_VERSION={version}", library.to_uppercase());
    }
}
