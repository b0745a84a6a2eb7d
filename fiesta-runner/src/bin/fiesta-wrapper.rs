//! The wrapper alone, for programs that cannot be their own: a library in another language, a test.

fn main() {
    fiesta_runner::wrapper::take_over();
    eprintln!(
        "fiesta-wrapper is started by fiesta: `fiesta-wrapper {} DIRECTORY` carries out one run",
        fiesta_runner::wrapper::ARGUMENT
    );
    std::process::exit(2);
}
