//! A disk that may lose its power: what of a directory is on it for certain, and what is under way.
//!
//! The disk promises what POSIX does and no more. The content and the length of a file are there
//! once the file was synced, a name once its directory was. Of what came after, each write, each
//! new length and each change of a name may be there or not, in any order, and a write in parts.

use super::record::Call;
use std::{
    collections::{BTreeMap, HashMap},
    fmt, fs, io, mem,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// Number of a file or a directory of a [`Disk`].
type Node = usize;

/// Change of a file that is not known to be on the disk.
#[derive(Debug, Clone)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Cut { length: usize },
}

/// Names that one call changed together, each with what it names afterwards.
type Names = Vec<(String, Option<Node>)>;

#[derive(Debug, Clone)]
enum Kind {
    File {
        synced: Vec<u8>,
        under_way: Vec<Change>,
    },
    Directory {
        synced: BTreeMap<String, Node>,
        under_way: Vec<Names>,
    },
}

/// Which syncs a disk obeys. A disk that ignores some is worse than the one that programs are
/// promised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obeys {
    /// The disk obeys every sync.
    All,
    /// The disk ignores the syncs of directories.
    Files,
    /// The disk ignores every sync.
    Nothing,
}

/// A directory on a disk that may lose its power.
#[derive(Debug, Clone)]
pub struct Disk {
    nodes: Vec<Kind>,
    by_inode: HashMap<u64, Node>,
    obeys: Obeys,
}

/// Something that is under way, and may be on the disk or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    node: Node,
    what: What,
    /// Path of the file, or of the directory whose names change.
    pub path: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    /// The change of this number.
    Change(usize),
    /// The length that all changes of the file lead to.
    Length,
}

/// What becomes of an [`Item`] when the power is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fate {
    /// Nothing of the item is on the disk.
    Lost,
    /// The whole item is on the disk.
    Kept,
    /// Of a write, some sectors are on the disk: those whose bits are set, and again after 64.
    Torn {
        /// Size of a sector, in bytes.
        sector: usize,
        /// A bit for each sector.
        kept: u64,
    },
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.what {
            What::Change(number) => write!(f, "{path} #{number}"),
            What::Length => write!(f, "{path} length"),
        }
    }
}

/// Files of a directory, with their contents, by path. A directory has no content.
pub type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

impl Disk {
    /// Returns a disk with what is in a directory now, all of it synced.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn of(place: &Path) -> io::Result<Self> {
        let mut disk = Self {
            nodes: Vec::new(),
            by_inode: HashMap::new(),
            obeys: Obeys::All,
        };
        disk.add(place)?;
        Ok(disk)
    }

    /// Returns the same disk, which obeys these syncs from now on.
    pub fn obeying(self, obeys: Obeys) -> Self {
        Self { obeys, ..self }
    }

    fn add(&mut self, path: &Path) -> io::Result<Node> {
        let found = fs::symlink_metadata(path)?;
        let node = self.make(found.ino(), found.is_dir());
        if found.is_dir() {
            let mut names = BTreeMap::new();
            for entry in fs::read_dir(path)? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                names.insert(name, self.add(&entry.path())?);
            }
            self.nodes[node] = Kind::Directory {
                synced: names,
                under_way: Vec::new(),
            };
        } else {
            self.nodes[node] = Kind::File {
                synced: fs::read(path)?,
                under_way: Vec::new(),
            };
        }
        Ok(node)
    }

    /// Makes a file or directory without content. A later one may have the inode of an earlier one.
    fn make(&mut self, inode: u64, is_directory: bool) -> Node {
        self.nodes.push(if is_directory {
            Kind::Directory {
                synced: BTreeMap::new(),
                under_way: Vec::new(),
            }
        } else {
            Kind::File {
                synced: Vec::new(),
                under_way: Vec::new(),
            }
        });
        self.by_inode.insert(inode, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// Makes a recorded change.
    ///
    /// # Panics
    /// If it is a change of something that nobody made.
    pub fn take(&mut self, call: &Call) {
        match call {
            Call::Made {
                directory,
                name,
                inode,
                is_directory,
            } => {
                let made = self.make(*inode, *is_directory);
                self.rename(*directory, vec![(name.clone(), Some(made))]);
            }
            Call::Linked {
                directory,
                name,
                inode,
            } => {
                let file = self.by_inode[inode];
                self.rename(*directory, vec![(name.clone(), Some(file))]);
            }
            Call::Removed { directory, name } => {
                self.rename(*directory, vec![(name.clone(), None)]);
            }
            Call::Renamed {
                directory,
                from,
                to,
            } => {
                let moved = self.now(self.by_inode[directory])[from];
                let names = vec![(from.clone(), None), (to.clone(), Some(moved))];
                self.rename(*directory, names);
            }
            Call::Written { inode, at, bytes } => {
                let (at, bytes) = (*at, bytes.clone());
                self.change(*inode, Change::Write { at, bytes });
            }
            Call::Cut { inode, length } => self.change(*inode, Change::Cut { length: *length }),
            Call::Synced { inode } => self.sync(self.by_inode[inode]),
            Call::Said(_) => {}
        }
    }

    fn rename(&mut self, directory: u64, names: Names) {
        match &mut self.nodes[self.by_inode[&directory]] {
            Kind::Directory { under_way, .. } => under_way.push(names),
            Kind::File { .. } => unreachable!("names are in directories"),
        }
    }

    fn change(&mut self, inode: u64, change: Change) {
        match &mut self.nodes[self.by_inode[&inode]] {
            Kind::File { under_way, .. } => under_way.push(change),
            Kind::Directory { .. } => unreachable!("bytes are in files"),
        }
    }

    fn sync(&mut self, node: Node) {
        match &mut self.nodes[node] {
            Kind::File { synced, under_way } if self.obeys != Obeys::Nothing => {
                for change in mem::take(under_way) {
                    make(synced, &change, Fate::Kept);
                }
            }
            Kind::Directory { synced, under_way } if self.obeys == Obeys::All => {
                for names in mem::take(under_way) {
                    name(synced, &names);
                }
            }
            _ => {}
        }
    }

    /// Returns the names of a directory as a program sees them.
    fn now(&self, directory: Node) -> BTreeMap<String, Node> {
        match &self.nodes[directory] {
            Kind::Directory { synced, under_way } => {
                let mut names = synced.clone();
                for changed in under_way {
                    name(&mut names, changed);
                }
                names
            }
            Kind::File { .. } => BTreeMap::new(),
        }
    }

    /// Returns what is under way: of names, of contents, and of lengths.
    pub fn under_way(&self) -> Vec<Item> {
        let mut items = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        let mut left = vec![(0, PathBuf::new())];
        while let Some((node, path)) = left.pop() {
            if mem::replace(&mut seen[node], true) {
                continue;
            }
            let item = |what| Item {
                node,
                what,
                path: path.clone(),
            };
            match &self.nodes[node] {
                Kind::File { under_way, .. } => {
                    items.extend((0..under_way.len()).map(|number| item(What::Change(number))));
                    if !under_way.is_empty() {
                        items.push(item(What::Length));
                    }
                }
                Kind::Directory { synced, under_way } => {
                    items.extend((0..under_way.len()).map(|number| item(What::Change(number))));
                    let changed = under_way.iter().flatten();
                    let changed = changed.filter_map(|(name, node)| Some((name, (*node)?)));
                    let every = synced.iter().map(|(name, node)| (name, *node));
                    left.extend(
                        every
                            .chain(changed)
                            .map(|(name, node)| (node, path.join(name))),
                    );
                }
            }
        }
        items
    }

    /// Returns the length of the write that an item is. `None` for other items.
    pub fn write_length(&self, item: &Item) -> Option<usize> {
        match (&self.nodes[item.node], item.what) {
            (Kind::File { under_way, .. }, What::Change(number)) => match &under_way[number] {
                Change::Write { bytes, .. } => Some(bytes.len()),
                Change::Cut { .. } => None,
            },
            _ => None,
        }
    }

    /// Returns what is on the disk after a power cut in which the items had these fates. Others are
    /// lost.
    pub fn after<'a>(&self, fates: impl IntoIterator<Item = (&'a Item, Fate)>) -> Tree {
        let fates = fates
            .into_iter()
            .map(|(item, fate)| ((item.node, item.what), fate));
        let fates: HashMap<_, _> = fates.collect();
        let fate = |node, what| fates.get(&(node, what)).copied().unwrap_or(Fate::Lost);
        let mut tree = Tree::new();
        let mut left = vec![(0, PathBuf::new())];
        while let Some((node, path)) = left.pop() {
            match &self.nodes[node] {
                Kind::Directory { synced, under_way } => {
                    let mut names = synced.clone();
                    for (number, changed) in under_way.iter().enumerate() {
                        if fate(node, What::Change(number)) != Fate::Lost {
                            name(&mut names, changed);
                        }
                    }
                    left.extend(names.iter().map(|(name, node)| (*node, path.join(name))));
                    tree.insert(path, None);
                }
                Kind::File { synced, under_way } => {
                    let mut content = synced.clone();
                    let mut length = content.len();
                    for (number, change) in under_way.iter().enumerate() {
                        make(&mut content, change, fate(node, What::Change(number)));
                        length = match change {
                            Change::Cut { length } => *length,
                            Change::Write { at, bytes } => length.max(at + bytes.len()),
                        };
                    }
                    if fate(node, What::Length) != Fate::Lost {
                        content.resize(length, 0);
                    }
                    tree.insert(path, Some(content));
                }
            }
        }
        tree
    }

    /// Returns what a program sees: everything that was written.
    pub fn whole(&self) -> Tree {
        let items = self.under_way();
        self.after(items.iter().map(|item| (item, Fate::Kept)))
    }
}

fn name(names: &mut BTreeMap<String, Node>, changed: &Names) {
    for (name, node) in changed {
        match node {
            Some(node) => names.insert(name.clone(), *node),
            None => names.remove(name),
        };
    }
}

/// Makes a change of a file's content, as far as its fate lets it.
fn make(content: &mut Vec<u8>, change: &Change, fate: Fate) {
    match (change, fate) {
        (_, Fate::Lost) => {}
        (Change::Cut { length }, _) => content.resize(*length, 0),
        (Change::Write { at, bytes }, fate) => {
            let is_kept = |place: usize| match fate {
                Fate::Torn { sector, kept } => kept >> (place / sector % 64) & 1 == 1,
                _ => true,
            };
            let mut begin = 0;
            while begin < bytes.len() {
                let place = at + begin;
                let sector = match fate {
                    Fate::Torn { sector, .. } => sector - place % sector,
                    _ => bytes.len(),
                };
                let end = bytes.len().min(begin + sector);
                if is_kept(place) {
                    let needed = content.len().max(at + end);
                    content.resize(needed, 0);
                    content[place..at + end].copy_from_slice(&bytes[begin..end]);
                }
                begin = end;
            }
        }
    }
}

/// Puts a tree in the place of whatever is in a directory.
///
/// # Errors
/// Errors of the system.
pub fn put(tree: &Tree, place: &Path) -> io::Result<()> {
    for entry in fs::read_dir(place)? {
        let path = entry?.path();
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        } else {
            fs::remove_file(path)?;
        }
    }
    for (path, content) in tree.iter().skip(1) {
        match content {
            None => fs::create_dir(place.join(path))?,
            Some(content) => fs::write(place.join(path), content)?,
        }
    }
    Ok(())
}

/// Reads what is in a directory.
///
/// # Errors
/// Errors of the system.
pub fn read(place: &Path) -> io::Result<Tree> {
    // As they are on a disk where all is synced.
    Ok(Disk::of(place)?.whole())
}
