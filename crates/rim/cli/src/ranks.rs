//! The rank of this process in an MPI job.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

/// Variables with the rank and the number of ranks, by the program that starts processes. The variables of MPI libraries come first, because
/// `mpirun` may itself have been started by `srun`.
const STARTERS: [(&str, &str); 6] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"),
    ("FLUX_TASK_RANK", "FLUX_JOB_SIZE"),
    // (A batch script is rank 0 of as many as it will start: only steps have this number.)
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
];

/// One of several.
#[derive(Debug, PartialEq, Eq)]
pub struct Rank {
    number: u32,
    ranks: u32,
}

impl Rank {
    /// `None` for a process that is alone.
    pub fn own() -> Option<Rank> {
        Rank::of(|name| env::var(name).ok())
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Option<Rank> {
        let number = |name| variable(name)?.trim().parse().ok();
        STARTERS.iter().find_map(|(rank, ranks)| {
            let (number, ranks) = (number(rank)?, number(ranks)?);
            (number < ranks && ranks > 1).then_some(Rank { number, ranks })
        })
    }

    /// Name of its directory in that of the run.
    pub fn directory(&self) -> String {
        report::rank_directory(self.number)
    }

    /// `NAME.RANK.ENDING`.
    pub fn file(&self, path: &Path) -> PathBuf {
        let mut name = path.file_stem().unwrap_or_default().to_owned();
        name.push(format!(".{}", self.number));
        if let Some(ending) = path.extension() {
            name.push(".");
            name.push(ending);
        }
        path.with_file_name(name)
    }

    /// Says in its directory who it is.
    pub fn describe(&self, directory: &Path) -> Result<()> {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let rank =
            serde_json::json!({ "rank": self.number, "ranks": self.ranks, "host": host.trim() });
        let path = directory.join("rank.json");
        outputs::write_whole(&path, rank.to_string().as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Option<(u32, u32)> {
        let find = |name: &str| variables.iter().find(|(known, _)| *known == name);
        let rank = Rank::of(|name| find(name).map(|(_, value)| (*value).to_owned()));
        rank.map(|rank| (rank.number, rank.ranks))
    }

    #[test]
    fn one_of_several_has_a_rank() {
        let step = [("SLURM_PROCID", "3"), ("SLURM_STEP_NUM_TASKS", "4")];
        assert_eq!(of(&step), Some((3, 4)));
        let within = [
            ("SLURM_PROCID", "0"),
            ("SLURM_STEP_NUM_TASKS", "2"),
            ("OMPI_COMM_WORLD_RANK", "5"),
            ("OMPI_COMM_WORLD_SIZE", "8"),
        ];
        assert_eq!(of(&within), Some((5, 8)));
    }

    #[test]
    fn who_is_alone_has_none() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")]), None);
        // A batch script.
        assert_eq!(of(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")]), None);
        assert_eq!(of(&[("PMI_RANK", "x"), ("PMI_SIZE", "2")]), None);
    }

    #[test]
    fn files_have_the_rank_before_their_ending() {
        let rank = Rank {
            number: 2,
            ranks: 4,
        };
        assert_eq!(
            rank.file(Path::new("a/app.html")),
            Path::new("a/app.2.html")
        );
        assert_eq!(rank.file(Path::new("app")), Path::new("app.2"));
    }
}
