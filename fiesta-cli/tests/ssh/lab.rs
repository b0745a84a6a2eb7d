//! Three machines that share a directory: each has a network, processes, a name and a boot of its
//! own, and an `sshd`. Nothing of them is outside their namespaces and a temporary directory, and
//! they are gone with the test.

use crate::support::{skipped, skipped_on_this_machine, until, within};
use rustix::process::{Pid, Signal, getuid, kill_process};
use std::{
    fmt::Write as _,
    fs::{self, File},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;

pub(crate) const HOSTS: usize = 3;

/// What the first process of a machine does: it takes the machine's name, boot and address, and
/// becomes `sshd`.
const MACHINE: &str = r#"
set -e
hostname "h$NUMBER"
mount --bind "$LAB/boot$NUMBER" /proc/sys/kernel/random/boot_id
# Whatever the shell of whoever tests reads as it begins is none of the test's.
mount --bind "$LAB/home" "$(getent passwd "$(id -u)" | cut -d : -f 6)"
mount -t tmpfs tmpfs /run
mkdir /run/sshd
until ip link show eth0 >/dev/null 2>&1; do sleep 0.02; done
ip link set lo up
ip address add "10.99.$NUMBER.2/24" dev eth0
ip link set eth0 up
exec "$SSHD" -D -e -f "$LAB/sshd_config" -h "$LAB/host_key$NUMBER"
"#;

/// The machines, and the network between them and whoever calls them.
pub(crate) struct Lab {
    directory: TempDir,
    /// Holds the network.
    network: Child,
    machines: Vec<Option<Child>>,
}

impl Lab {
    /// Machines that can be called; none, and that is said, where that cannot be.
    pub(crate) fn start() -> Option<Self> {
        if !getuid().is_root() {
            skipped_on_this_machine("machines in namespaces of their own need root");
            return None;
        }
        for program in [
            "sshd",
            "ssh",
            "ssh-keygen",
            "ip",
            "unshare",
            "nsenter",
            "hostname",
        ] {
            let found = Command::new("sh")
                .arg("-c")
                .arg(format!("PATH=$PATH:/usr/sbin command -v {program}"))
                .output();
            if !found.is_ok_and(|found| found.status.success()) {
                skipped(format!(
                    "{program} is missing (openssh-server, openssh-client, iproute2)"
                ));
                return None;
            }
        }
        let may = Command::new("unshare")
            .args([
                "--net",
                "--pid",
                "--fork",
                "--mount",
                "--uts",
                "--mount-proc",
                "true",
            ])
            .output();
        if !may.is_ok_and(|output| output.status.success()) {
            skipped_on_this_machine("namespaces are not allowed here");
            return None;
        }
        let network = Command::new("unshare")
            .args(["--net", "sleep", "1d"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut lab = Self {
            directory: tempfile::Builder::new().prefix("ssh-").tempdir().unwrap(),
            network,
            machines: (0..HOSTS).map(|_| None).collect(),
        };
        lab.write();
        let own = fs::read_link("/proc/self/ns/net").unwrap();
        let other = format!("/proc/{}/ns/net", lab.network.id());
        until("the network is one of its own", || {
            fs::read_link(&other).is_ok_and(|other| other != own)
        });
        lab.ip(&["link", "set", "lo", "up"]);
        for number in 1..=HOSTS {
            lab.start_machine(number);
        }
        Some(lab)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self) {
        let base = self.directory.path().display();
        self.key("key");
        self.key("strange_key");
        let mut known = String::new();
        let mut config = String::new();
        for number in 1..=HOSTS {
            self.key(&format!("host_key{number}"));
            let key = fs::read_to_string(self.path(&format!("host_key{number}.pub"))).unwrap();
            writeln!(known, "10.99.{number}.2 {}", key.trim()).unwrap();
            writeln!(config, "Host h{number}\n  HostName 10.99.{number}.2").unwrap();
        }
        // Nobody has this address.
        config += "Host h9\n  HostName 10.99.1.9\n";
        write!(
            config,
            "Host *\n  User root\n  IdentityFile {base}/key\n  IdentitiesOnly yes\n  IdentityAgent none\n  UserKnownHostsFile {base}/known_hosts\n  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n"
        )
        .unwrap();
        fs::write(self.path("known_hosts"), known).unwrap();
        fs::write(self.path("config"), config).unwrap();
        fs::copy(self.path("key.pub"), self.path("authorized_keys")).unwrap();
        fs::write(
            self.path("sshd_config"),
            format!(
                "Port 22\nAuthorizedKeysFile {base}/authorized_keys\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nPidFile none\nMaxStartups 100\nLogLevel VERBOSE\n"
            ),
        )
        .unwrap();
        fs::write(self.path("machine.sh"), MACHINE).unwrap();
        fs::create_dir(self.path("home")).unwrap();
    }

    fn key(&self, name: &str) {
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f"])
            .arg(self.path(name))
            .status();
        assert!(made.unwrap().success());
    }

    /// A command within the network.
    pub(crate) fn within(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command
            .arg(format!("--net=/proc/{}/ns/net", self.network.id()))
            .arg("--")
            .arg(program);
        command
    }

    fn ip(&self, arguments: &[&str]) {
        let output = self.within("ip").args(arguments).output().unwrap();
        assert!(output.status.success(), "ip {arguments:?}: {output:?}");
    }

    /// Starts a machine, as after a power cut: with another boot.
    pub(crate) fn start_machine(&mut self, number: usize) {
        let boot = fs::read_to_string("/proc/sys/kernel/random/uuid").unwrap();
        fs::write(self.path(&format!("boot{number}")), boot).unwrap();
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.path(&format!("h{number}.log")))
            .unwrap();
        let sshd = ["/usr/sbin/sshd", "/usr/bin/sshd", "/usr/local/sbin/sshd"];
        let sshd = sshd
            .into_iter()
            .find(|path| Path::new(path).exists())
            .unwrap();
        let machine = Command::new("unshare")
            .args([
                "--net",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount",
                "--uts",
                "--mount-proc",
            ])
            .arg("sh")
            .arg(self.path("machine.sh"))
            .env("NUMBER", number.to_string())
            .env("LAB", self.directory.path())
            .env("SSHD", sshd)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .process_group(0)
            .spawn()
            .unwrap();
        let own = fs::read_link("/proc/self/ns/net").unwrap();
        let other = format!("/proc/{}/ns/net", machine.id());
        until("the machine has a network", || {
            fs::read_link(&other).is_ok_and(|other| other != own)
        });
        let (link, pid) = (format!("v{number}"), machine.id().to_string());
        self.machines[number - 1] = Some(machine);
        let peer = ["type", "veth", "peer", "name", "eth0", "netns", &pid];
        self.ip(&[&["link", "add", &link][..], &peer].concat());
        self.ip(&[
            "address",
            "add",
            &format!("10.99.{number}.1/24"),
            "dev",
            &link,
        ]);
        self.ip(&["link", "set", &link, "up"]);
        let name = format!("h{number}");
        let answers = || {
            let mut ssh = self.within("ssh");
            ssh.arg("-F").arg(self.path("config"));
            let output = ssh.args(["-o", "ConnectTimeout=2", &name, "true"]).output();
            output.is_ok_and(|output| output.status.success())
        };
        let log = || fs::read_to_string(self.path(&format!("h{number}.log"))).unwrap_or_default();
        assert!(within(Duration::from_secs(20), answers), "{}", log());
    }

    /// Kills a machine with all that runs there.
    pub(crate) fn kill_machine(&mut self, number: usize) {
        let mut machine = self.machines[number - 1].take().expect("it runs");
        let of_it = processes(machine.id());
        machine.kill().unwrap();
        machine.wait().unwrap();
        let are_gone = || {
            of_it
                .iter()
                .all(|pid| !Path::new(&format!("/proc/{pid}")).exists())
        };
        until("the machine is gone", are_gone);
    }

    /// Kills all connections to a machine; its `sshd` takes others.
    pub(crate) fn cut(&self, number: usize) {
        let Some(machine) = &self.machines[number - 1] else {
            return;
        };
        for pid in processes(machine.id()) {
            let command = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            // The first one listens.
            if command.starts_with("sshd: ") && !command.contains("[listener]") {
                // It may just have ended.
                let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
            }
        }
    }

    /// Kills the supervisors on a machine; what they attend to goes on.
    pub(crate) fn kill_supervisors(&self, number: usize) {
        let machine = self.machines[number - 1].as_ref().expect("it runs");
        for pid in processes(machine.id()) {
            let command = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            if command.starts_with("fiesta-supervisor") {
                let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
            }
        }
    }

    /// Takes a machine's network away, or gives it back.
    pub(crate) fn link(&self, number: usize, is_up: bool) {
        let state = if is_up { "up" } else { "down" };
        self.ip(&["link", "set", &format!("v{number}"), state]);
    }

    /// What runs on the machines beside `sshd`: command lines.
    pub(crate) fn left(&self) -> Vec<String> {
        let machines = self.machines.iter().flatten();
        let pids = machines.flat_map(|machine| processes(machine.id()));
        let commands = pids.filter_map(|pid| {
            // A connection that is being closed ends by itself.
            let state = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let state = state.rsplit_once(") ")?.1.chars().next();
            let command = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
            let is_other = !command.contains("sshd") && state != Some('Z');
            is_other.then(|| command.replace('\0', " "))
        });
        commands.collect()
    }

    /// Processes of this machine that have to do with the lab, such as connections: command lines.
    pub(crate) fn callers(&self) -> Vec<String> {
        let holder = self.network.id();
        let pids = processes(holder).into_iter();
        let commands = pids.filter_map(|pid| {
            let command = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
            Some(command.replace('\0', " ")).filter(|command| !command.is_empty())
        });
        commands.collect()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        for machine in self.machines.iter_mut().flatten() {
            let _ = machine.kill();
            let _ = machine.wait();
        }
        // Those that a failed test left.
        for pid in processes(self.network.id()) {
            let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
        }
        let _ = self.network.kill();
        let _ = self.network.wait();
    }
}

/// The processes of the machine that `unshare` with this number holds.
fn processes(holder: u32) -> Vec<i32> {
    let namespace = |pid: u32| fs::read_link(format!("/proc/{pid}/ns/net")).ok();
    let own = namespace(holder);
    let all = fs::read_dir("/proc").unwrap().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let of_it = pids.filter(|&pid| pid != holder && own.is_some() && namespace(pid) == own);
    of_it.map(u32::cast_signed).collect()
}
