//! A cluster of Slurm on loopback: munge, a controller, and two nodes with two simulated GPUs each.
//! All its files are in a temporary directory, and it ends with the test.

use crate::support::{skipped, until, within};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::{
    fmt::Write as _,
    fs::{self, File, Permissions},
    net::TcpListener,
    os::unix::{
        fs::{PermissionsExt, symlink},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};
use tempfile::TempDir;

pub(crate) const NODES: usize = 2;
const GPUS: usize = 2;

/// Process of a daemon that the test started.
struct Daemon {
    name: &'static str,
    child: Child,
}

impl Daemon {
    fn kill(&mut self) {
        // What it started in other groups is found by the directory in its command line.
        if let Some(group) = Pid::from_raw(self.child.id().cast_signed()) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// A cluster of Slurm that runs on this machine, with its daemons.
pub(crate) struct Cluster {
    directory: TempDir,
    ports: Vec<u16>,
    munge: Option<Daemon>,
    controller: Option<Daemon>,
    nodes: Vec<Option<Daemon>>,
    /// Variables of each node's daemon, in addition to those of the test.
    faked: Vec<Vec<(String, String)>>,
    /// Further lines of the cluster's configuration.
    lines: String,
}

impl Cluster {
    /// Starts a cluster whose nodes are idle. `None`, with a message, if Slurm is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::with_clocks(&[None, None])
    }

    /// Starts a cluster whose nodes' clocks are off by `clocks` (as libfaketime writes it).
    pub(crate) fn with_clocks(clocks: &[Option<&str>; NODES]) -> Option<Self> {
        Self::with(clocks, "")
    }

    /// Starts a cluster with further lines in its configuration.
    pub(crate) fn with_lines(lines: &str) -> Option<Self> {
        Self::with(&[None, None], lines)
    }

    fn with(clocks: &[Option<&str>; NODES], lines: &str) -> Option<Self> {
        for program in ["munged", "slurmctld", "slurmd", "sbatch"] {
            let found = Command::new("sh")
                .arg("-c")
                .arg(format!("PATH=$PATH:/usr/sbin command -v {program}"))
                .output();
            if !found.is_ok_and(|found| found.status.success()) {
                skipped(format!("{program} is missing"));
                return None;
            }
        }
        let mut faked = vec![Vec::new(); NODES];
        for (faked, clock) in faked.iter_mut().zip(clocks) {
            if let Some(clock) = clock {
                let Some(library) = faketime() else {
                    skipped("libfaketime is missing");
                    return None;
                };
                *faked = vec![
                    ("LD_PRELOAD".to_owned(), library),
                    ("FAKETIME".to_owned(), (*clock).to_owned()),
                    ("FAKETIME_DONT_FAKE_MONOTONIC".to_owned(), "1".to_owned()),
                ];
            }
        }
        let mut cluster = Self {
            directory: tempfile::Builder::new().prefix("slurm-").tempdir().unwrap(),
            ports: (0..=NODES).map(|_| free_port()).collect(),
            munge: None,
            controller: None,
            nodes: (0..NODES).map(|_| None).collect(),
            faked,
            lines: lines.to_owned(),
        };
        cluster.write();
        cluster.munge = Some(cluster.munged());
        let socket = cluster.path("munge.sock");
        until("munge listens", || socket.exists());
        cluster.start_controller();
        for node in 0..NODES {
            cluster.start_node(node);
        }
        cluster.until_idle(NODES);
        Some(cluster)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns the environment variables that Slurm's commands need to find the cluster.
    pub(crate) fn variables(&self) -> [(&'static str, PathBuf); 1] {
        [("SLURM_CONF", self.path("slurm.conf"))]
    }

    fn write(&self) {
        let base = self.directory.path().display();
        fs::set_permissions(self.directory.path(), Permissions::from_mode(0o755)).unwrap();
        let key: Vec<u8> = (0..1024_u32).map(|n| (n * 97 % 251) as u8).collect();
        let key_file = self.path("munge.key");
        fs::write(&key_file, key).unwrap();
        fs::set_permissions(&key_file, Permissions::from_mode(0o600)).unwrap();
        for gpu in 0..GPUS {
            symlink("/dev/null", self.path(&format!("gpu{gpu}"))).unwrap();
        }
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        let host = host.trim().split('.').next().unwrap();
        let user = String::from_utf8(Command::new("id").arg("-un").output().unwrap().stdout);
        let user = user.unwrap();
        let user = user.trim();
        let mut text = format!(
            "ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={base}/munge.sock
StateSaveLocation={base}/state
SlurmdSpoolDir={base}/spool.%n
SlurmctldPidFile={base}/slurmctld.pid
SlurmdPidFile={base}/slurmd.%n.pid
SlurmctldLogFile={base}/slurmctld.log
SlurmdLogFile={base}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
GresTypes=gpu
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=20000,sched_interval=2,bf_interval=1,batch_sched_delay=0,default_queue_depth=2000
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MaxJobCount=20000
MaxArraySize=1001
KillWait=3
SlurmctldTimeout=10
SlurmdTimeout=10
InactiveLimit=0
ReturnToService=2
MessageTimeout=10
JobRequeue=1
OverTimeLimit=0
",
            self.ports[0]
        );
        text += &self.lines;
        for node in 1..=NODES {
            writeln!(
                text,
                "NodeName=n{node} NodeHostname={host} NodeAddr=127.0.0.1 Port={} CPUs=4 RealMemory=4000 Gres=gpu:{GPUS} State=UNKNOWN",
                self.ports[node]
            )
            .unwrap();
        }
        text +=
            "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=60 State=UP\n";
        fs::write(self.path("slurm.conf"), text).unwrap();
        let gres = format!(
            "NodeName=n[1-{NODES}] Name=gpu File={base}/gpu[0-{}] Flags=nvidia_gpu_env\nAutoDetect=off\n",
            GPUS - 1
        );
        fs::write(self.path("gres.conf"), gres).unwrap();
        fs::write(
            self.path("cgroup.conf"),
            "ConstrainCores=no\nConstrainDevices=no\nConstrainRAMSpace=no\n",
        )
        .unwrap();
        for place in ["state", "spool.n1", "spool.n2"] {
            fs::create_dir(self.path(place)).unwrap();
        }
    }

    fn daemon(&self, name: &'static str, arguments: &[&str]) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("env");
        let output = File::options()
            .create(true)
            .append(true)
            .open(self.path("daemons.log"))
            .unwrap();
        command
            .arg(name)
            .args(arguments)
            .env("PATH", format!("{path}:/usr/sbin:/sbin"))
            .envs(self.variables())
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .process_group(0);
        command
    }

    fn munged(&self) -> Daemon {
        let option = |name: &str, file: &str| format!("--{name}={}", self.path(file).display());
        let arguments = [
            "--foreground".to_owned(),
            "--force".to_owned(),
            "--num-threads=2".to_owned(),
            option("key-file", "munge.key"),
            option("socket", "munge.sock"),
            option("pid-file", "munged.pid"),
            option("log-file", "munged.log"),
            option("seed-file", "munge.seed"),
        ];
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let child = self.daemon("munged", &arguments).spawn().unwrap();
        Daemon {
            name: "munged",
            child,
        }
    }

    pub(crate) fn start_controller(&mut self) {
        let child = self.daemon("slurmctld", &["-D", "-i"]).spawn().unwrap();
        let name = "slurmctld";
        self.controller = Some(Daemon { name, child });
    }

    /// Kills the controller of the cluster.
    pub(crate) fn kill_controller(&mut self) {
        self.controller.take().expect("it runs").kill();
    }

    /// Removes the saved state of the cluster's controller, which must not run meanwhile.
    pub(crate) fn forget_all(&self) {
        fs::remove_dir_all(self.path("state")).unwrap();
        fs::create_dir(self.path("state")).unwrap();
    }

    pub(crate) fn start_node(&mut self, node: usize) {
        let name = format!("n{}", node + 1);
        let mut daemon = self.daemon("slurmd", &["-D", "-N", &name]);
        let child = daemon.envs(self.faked[node].clone()).spawn().unwrap();
        let name = "slurmd";
        self.nodes[node] = Some(Daemon { name, child });
    }

    /// Kills a node's daemon; its jobs go on.
    pub(crate) fn kill_daemon_of(&mut self, node: usize) {
        self.nodes[node].take().expect("it runs").kill();
    }

    /// Kills the daemon of a node, and all processes that it had started.
    pub(crate) fn kill_node(&mut self, node: usize) {
        self.kill_daemon_of(node);
        // Each process of a job has the node's name in its environment.
        let name = format!("SLURMD_NODENAME=n{}", node + 1);
        let conf = format!("SLURM_CONF={}", self.path("slurm.conf").display());
        for pid in pids() {
            let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else {
                continue;
            };
            let mut variables = environment.split(|&byte| byte == 0);
            let has = |text: &str| {
                let mut all = variables.clone();
                all.any(|variable| variable == text.as_bytes())
            };
            let step = command_of(pid);
            let is_step = step.starts_with("slurmstepd") && step.contains(&name[16..]);
            if has(&name) && has(&conf) || is_step && variables.any(|v| v == conf.as_bytes()) {
                let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
            }
        }
    }

    /// Calls a command of Slurm, and returns its output.
    pub(crate) fn call(&self, program: &str, arguments: &[&str]) -> String {
        let output = Command::new("timeout")
            .args(["20", program])
            .args(arguments)
            .envs(self.variables())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Returns the tasks in these states, as `job_task`.
    pub(crate) fn tasks(&self, states: &str) -> Vec<String> {
        let listed = self.call("squeue", &["-h", "-r", "-t", states, "-o", "%F_%K"]);
        listed.lines().map(ToOwned::to_owned).collect()
    }

    /// Waits until at least `nodes` nodes accept jobs.
    pub(crate) fn until_idle(&self, nodes: usize) {
        let ready = || {
            let listed = self.call(
                "sinfo",
                &["-h", "-N", "-t", "idle,mixed,allocated", "-o", "%N"],
            );
            listed.lines().count() >= nodes
        };
        let log = || fs::read_to_string(self.path("daemons.log")).unwrap_or_default();
        assert!(within(Duration::from_mins(1), ready), "{}", log());
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let daemons = self.nodes.iter_mut().flatten();
        let daemons = daemons
            .chain(self.controller.as_mut())
            .chain(self.munge.as_mut());
        for daemon in daemons {
            if thread::panicking() {
                eprintln!("ends {}", daemon.name);
            }
            daemon.kill();
        }
        // Step daemons and their jobs.
        let conf = format!("SLURM_CONF={}", self.path("slurm.conf").display());
        for pid in pids() {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            if environment
                .split(|&byte| byte == 0)
                .any(|v| v == conf.as_bytes())
                && pid != std::process::id().cast_signed()
            {
                let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
            }
        }
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn faketime() -> Option<String> {
    let places = [
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib",
    ];
    let libraries = places.map(|place| Path::new(place).join("faketime/libfaketime.so.1"));
    let found = libraries.into_iter().find(|path| path.exists())?;
    Some(found.to_string_lossy().into_owned())
}

fn pids() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn command_of(pid: i32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}
