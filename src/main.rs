//! The program `fiesta`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Each job is watched over by another process of this program.
    fiesta::runner::wrapper::take_over();
    fiesta::runner::raise_open_files();
    // Without a handler the signal ends the program, and with it the write says so.
    let _ = fiesta::runner::signal::survive_file_limit();
    cli::main()
}
