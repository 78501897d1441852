//! Ranks of one job: each has a directory of its own in that of the run, `rank=N`, so that no file meets that of another process with
//! the same number. (Query engines read a column `rank` out of such names.)

use crate::error::{Error, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Name of a rank's directory.
pub fn rank_directory(rank: u32) -> String {
    format!("rank={rank}")
}

/// A directory with files of processes, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub path: PathBuf,
    pub rank: Option<u32>,
}

/// The directory itself, and those of ranks in it, in their order.
pub fn places(directory: &Path) -> Result<Vec<Place>> {
    let unreadable = Error::unreadable(directory);
    let mut places = vec![Place {
        path: directory.to_owned(),
        rank: None,
    }];
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let rank = name
            .strip_prefix("rank=")
            .and_then(|rank| rank.parse().ok());
        if rank.is_some() && path.is_dir() {
            places.push(Place { path, rank });
        }
    }
    places.sort_by_key(|place| place.rank);
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_come_in_their_order_behind_the_directory_itself() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["rank=10", "rank=9", "rank=x", "other"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("rank=1"), "no directory").unwrap();
        let found = places(folder.path()).unwrap();
        let ranks: Vec<_> = found.iter().map(|place| place.rank).collect();
        assert_eq!(ranks, [None, Some(9), Some(10)]);
        assert_eq!(found[1].path, folder.path().join(rank_directory(9)));
    }
}
