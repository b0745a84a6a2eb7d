//! A program that is only a supervisor, for programs that cannot supervise runs themselves: a
//! library in another language, a test.

fn main() {
    fiesta_runner::on_a_full_stack(fiesta_runner::supervisor::take_over);
    eprintln!(
        "fiesta-supervisor is started by fiesta: `fiesta-supervisor {} DIRECTORY` carries out one run",
        fiesta_runner::supervisor::ARGUMENT
    );
    std::process::exit(2);
}
