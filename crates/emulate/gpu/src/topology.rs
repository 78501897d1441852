//! The properties of each emulated device that the runtime sees: one row per target.
//!
//! Few compute units are reported on purpose: scratch requests, blit grids and occupancy queries all scale with them, and
//! none of that makes an emulator faster.

use gfx::{Feature, Target};

use crate::alike::alike;

/// Facts about the GPU a target's emulation stands for.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    pub target: &'static str,
    pub marketing_name: &'static str,
    /// PCI device id.
    pub device_id: u16,
    /// MHz.
    pub engine_clock: u32,
    /// MHz.
    pub memory_clock: u32,
    /// Bits.
    pub memory_width: u32,
    /// KiB of the first and second cache level.
    pub l1_kib: u32,
    pub l2_kib: u32,
    pub cache_line: u32,
}

#[rustfmt::skip]
const MODELS: &[Model] = &[
    Model { target: "gfx900",  marketing_name: "Emulated AMD Radeon Instinct MI25",  device_id: 0x6860, engine_clock: 1500, memory_clock:  945, memory_width: 2048, l1_kib: 16, l2_kib: 4096, cache_line: 64 },
    Model { target: "gfx906",  marketing_name: "Emulated AMD Radeon Instinct MI50",  device_id: 0x66a1, engine_clock: 1725, memory_clock: 1000, memory_width: 4096, l1_kib: 16, l2_kib: 4096, cache_line: 64 },
    Model { target: "gfx908",  marketing_name: "Emulated AMD Instinct MI100",        device_id: 0x738c, engine_clock: 1502, memory_clock: 1200, memory_width: 4096, l1_kib: 16, l2_kib: 8192, cache_line: 128 },
    Model { target: "gfx90a",  marketing_name: "Emulated AMD Instinct MI210",        device_id: 0x740f, engine_clock: 1700, memory_clock: 1600, memory_width: 4096, l1_kib: 16, l2_kib: 8192, cache_line: 128 },
    Model { target: "gfx942",  marketing_name: "Emulated AMD Instinct MI300X",       device_id: 0x74a1, engine_clock: 2100, memory_clock: 1300, memory_width: 8192, l1_kib: 32, l2_kib: 4096, cache_line: 128 },
    Model { target: "gfx950",  marketing_name: "Emulated AMD Instinct MI350X",       device_id: 0x75a0, engine_clock: 2200, memory_clock: 2000, memory_width: 8192, l1_kib: 32, l2_kib: 4096, cache_line: 128 },
    Model { target: "gfx909",  marketing_name: "Emulated AMD Radeon Vega 3",         device_id: 0x15d8, engine_clock: 1200, memory_clock: 1200, memory_width:  128, l1_kib: 16, l2_kib:  512, cache_line: 64 },
    Model { target: "gfx90c",  marketing_name: "Emulated AMD Radeon Vega 8",         device_id: 0x1636, engine_clock: 1750, memory_clock: 1600, memory_width:  128, l1_kib: 16, l2_kib: 1024, cache_line: 64 },
    Model { target: "gfx1011", marketing_name: "Emulated AMD Radeon Pro V520",       device_id: 0x7362, engine_clock: 1600, memory_clock: 1000, memory_width: 2048, l1_kib: 16, l2_kib: 4096, cache_line: 128 },
    Model { target: "gfx1012", marketing_name: "Emulated AMD Radeon RX 5500 XT",     device_id: 0x7340, engine_clock: 1845, memory_clock:  875, memory_width:  128, l1_kib: 16, l2_kib: 2048, cache_line: 128 },
    Model { target: "gfx1013", marketing_name: "Emulated AMD BC-250",                device_id: 0x13fe, engine_clock: 1500, memory_clock: 1750, memory_width:  256, l1_kib: 16, l2_kib: 4096, cache_line: 128 },
    Model { target: "gfx1032", marketing_name: "Emulated AMD Radeon RX 6600 XT",     device_id: 0x73ff, engine_clock: 2589, memory_clock: 1000, memory_width:  128, l1_kib: 16, l2_kib: 2048, cache_line: 128 },
    Model { target: "gfx1033", marketing_name: "Emulated AMD Custom GPU 0405",       device_id: 0x163f, engine_clock: 1600, memory_clock: 1375, memory_width:  128, l1_kib: 16, l2_kib: 1024, cache_line: 128 },
    Model { target: "gfx1034", marketing_name: "Emulated AMD Radeon RX 6500 XT",     device_id: 0x743f, engine_clock: 2815, memory_clock: 1124, memory_width:   64, l1_kib: 16, l2_kib: 1024, cache_line: 128 },
    Model { target: "gfx1035", marketing_name: "Emulated AMD Radeon 680M",           device_id: 0x1681, engine_clock: 2400, memory_clock: 1600, memory_width:  128, l1_kib: 16, l2_kib: 2048, cache_line: 128 },
    Model { target: "gfx1036", marketing_name: "Emulated AMD Radeon Graphics",       device_id: 0x164e, engine_clock: 2200, memory_clock: 1600, memory_width:  128, l1_kib: 16, l2_kib:  256, cache_line: 128 },
    Model { target: "gfx1010", marketing_name: "Emulated AMD Radeon RX 5700 XT",     device_id: 0x731f, engine_clock: 1905, memory_clock:  875, memory_width:  256, l1_kib: 16, l2_kib: 4096, cache_line: 128 },
    Model { target: "gfx1030", marketing_name: "Emulated AMD Radeon RX 6900 XT",     device_id: 0x73bf, engine_clock: 2250, memory_clock: 1000, memory_width:  256, l1_kib: 16, l2_kib: 4096, cache_line: 128 },
    Model { target: "gfx1031", marketing_name: "Emulated AMD Radeon RX 6700 XT",     device_id: 0x73df, engine_clock: 2424, memory_clock: 1000, memory_width:  192, l1_kib: 16, l2_kib: 3072, cache_line: 128 },
    Model { target: "gfx1100", marketing_name: "Emulated AMD Radeon RX 7900 XTX",    device_id: 0x744c, engine_clock: 2498, memory_clock: 1249, memory_width:  384, l1_kib: 32, l2_kib: 6144, cache_line: 128 },
    Model { target: "gfx1101", marketing_name: "Emulated AMD Radeon RX 7800 XT",     device_id: 0x747e, engine_clock: 2430, memory_clock: 1219, memory_width:  256, l1_kib: 32, l2_kib: 4096, cache_line: 128 },
    Model { target: "gfx1102", marketing_name: "Emulated AMD Radeon RX 7600",        device_id: 0x7480, engine_clock: 2655, memory_clock: 1124, memory_width:  128, l1_kib: 32, l2_kib: 2048, cache_line: 128 },
    Model { target: "gfx1103", marketing_name: "Emulated AMD Radeon 780M",           device_id: 0x15bf, engine_clock: 2700, memory_clock: 2800, memory_width:  128, l1_kib: 32, l2_kib: 2048, cache_line: 128 },
    Model { target: "gfx1150", marketing_name: "Emulated AMD Radeon 890M",           device_id: 0x150e, engine_clock: 2900, memory_clock: 2800, memory_width:  128, l1_kib: 32, l2_kib: 2048, cache_line: 128 },
    Model { target: "gfx1151", marketing_name: "Emulated AMD Radeon 8060S",          device_id: 0x1586, engine_clock: 2900, memory_clock: 1000, memory_width:  256, l1_kib: 32, l2_kib: 2048, cache_line: 128 },
    Model { target: "gfx1200", marketing_name: "Emulated AMD Radeon RX 9060 XT",     device_id: 0x7590, engine_clock: 3130, memory_clock: 1258, memory_width:  128, l1_kib: 32, l2_kib: 4096, cache_line: 128 },
    Model { target: "gfx1201", marketing_name: "Emulated AMD Radeon RX 9070 XT",     device_id: 0x7550, engine_clock: 2970, memory_clock: 1258, memory_width:  256, l1_kib: 32, l2_kib: 8192, cache_line: 128 },
];

/// Names of all targets that there are devices of.
pub fn targets() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|model| model.target)
}

impl Model {
    /// The row of `target`.
    pub fn for_target(target: &Target) -> Option<&'static Model> {
        MODELS.iter().find(|model| model.target == target.name)
    }
}

/// How to build one device.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    pub target: &'static Target,
    pub compute_units: u32,
    /// Bytes of device memory.
    pub memory_bytes: u64,
}

/// The number of shader engines of a device of one die; ROCr asserts that scratch waves divide by it.
const SHADER_ENGINES: u32 = 4;

/// Why a device cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("a name is empty: a device is a target, such as gfx90a, or a product, such as mi300x")]
    Empty,
    #[error("no target is called {name:?}{alike}; known are {known}")]
    UnknownTarget {
        name: String,
        /// Names that may have been meant, as the message goes on with them.
        alike: String,
        known: String,
    },
    #[error("{target} has no feature {feature:?}; the features of its emulated device are {known}")]
    Feature {
        target: &'static str,
        feature: String,
        /// The features that it has, or "none".
        known: String,
    },
    #[error("{features:?} says twice how {feature} is to be")]
    Twice { features: String, feature: String },
    #[error("no emulated device exists for {name}; there are {known}")]
    NoModel { name: String, known: String },
    #[error("{count} compute units are not possible: a multiple of {engines} up to 128 is")]
    ComputeUnits { count: u32, engines: u32 },
}

impl Config {
    /// A device with the default number of compute units (8) and 16 GiB of memory.
    pub fn new(name: &str) -> Result<Config, ConfigError> {
        let known = || {
            let mut names: Vec<&str> = MODELS.iter().map(|model| model.target).collect();
            // By families: gfx9 comes before gfx10.
            names.sort_by_key(|name| (name.len(), *name));
            names.join(", ")
        };
        if name.is_empty() {
            return Err(ConfigError::Empty);
        }
        let target = named(name).ok_or_else(|| ConfigError::UnknownTarget {
            name: name.to_owned(),
            alike: match alike(name).join(" or ") {
                meant if meant.is_empty() => meant,
                meant => format!(" (did you mean {meant}?)"),
            },
            known: known(),
        })?;
        if Model::for_target(target).is_none() || !crate::dispatch::executes(target) {
            return Err(ConfigError::NoModel {
                name: name.to_owned(),
                known: known(),
            });
        }
        if let Some((_, features)) = name.split_once(':') {
            has_features(target, features)?;
        }
        Ok(Config {
            target,
            compute_units: 8,
            memory_bytes: 16 << 30,
        })
    }

    pub fn with_compute_units(self, count: u32) -> Result<Config, ConfigError> {
        let engines = self.shader_engines();
        if count == 0 || count > 128 || !count.is_multiple_of(engines) {
            return Err(ConfigError::ComputeUnits { count, engines });
        }
        Ok(Config {
            compute_units: count,
            ..self
        })
    }

    /// The row of the device's target.
    pub fn model(&self) -> &'static Model {
        Model::for_target(self.target).unwrap_or(&MODELS[0])
    }

    /// Shader engines of all dies together, of which each has at least one. ROCr divides scratch waves by them.
    pub fn shader_engines(&self) -> u32 {
        SHADER_ENGINES.max(u32::from(self.target.compute_dies))
    }

    /// SIMDs over all compute units. ROCr divides this by the SIMDs of a compute unit.
    pub fn simds(&self) -> u32 {
        self.compute_units * u32::from(self.target.simds_per_cu)
    }

    /// Micro-engine version word: bits 10-15 major, 16-23 minor, 24-31 stepping.
    pub fn engine_id(&self) -> u32 {
        let (major, minor, stepping) = self.target.version;
        u32::from(major) << 10 | u32::from(minor) << 16 | u32::from(stepping) << 24
    }

    /// Capability word: 64-bit AQL doorbells, shared virtual memory, coherent host access, and SRAM ECC where the target's
    /// server parts have it on (it decides `sramecc+` in the ISA name).
    pub fn capability(&self) -> u32 {
        const DOORBELL_64: u32 = 2 << 12;
        const SRAM_ECC: u32 = 1 << 26;
        const SHARED_VIRTUAL_MEMORY: u32 = 1 << 27;
        const COHERENT_HOST_ACCESS: u32 = 1 << 28;
        let ecc = self.target.has_sramecc_by_default();
        DOORBELL_64 | SHARED_VIRTUAL_MEMORY | COHERENT_HOST_ACCESS | if ecc { SRAM_ECC } else { 0 }
    }
}

/// The target of a device's name: `gfx90a`, `mi210`, each also with features (`mi210:xnack+`).
pub fn named(device: &str) -> Option<&'static Target> {
    let processor = gfx::processor(device);
    Target::find(gfx::target_of_product(processor).unwrap_or(processor))
}

/// Refuses features that no emulated device of this target has: `foo+`, `xnack` without a sign, `sramecc-`. Refuses a second setting of
/// a feature, too.
fn has_features(target: &'static Target, features: &str) -> Result<(), ConfigError> {
    let ecc = match target.has_sramecc_by_default() {
        true => "sramecc+",
        false => "sramecc-",
    };
    let xnack = target.xnack == Feature::Selectable;
    let sramecc = target.sramecc == Feature::Selectable;
    // Settings, which of them may be written, and which the device can have. A process chooses XNACK, and the driver says which devices
    // can have it on.
    let settings = [
        ("xnack+", xnack, target.retries_by_process),
        ("xnack-", xnack, xnack),
        (ecc, sramecc, sramecc),
    ];
    let mut said = Vec::new();
    for one in features.split(':') {
        let is_allowed = |(name, allowed, _): &(&str, bool, bool)| *allowed && *name == one;
        if !settings.iter().any(is_allowed) {
            let known = settings.iter().filter(|(_, _, has)| *has);
            let list: Vec<&str> = known.map(|(name, _, _)| *name).collect();
            return Err(ConfigError::Feature {
                target: target.name,
                feature: one.to_owned(),
                known: if list.is_empty() {
                    "none".to_owned()
                } else {
                    list.join(", ")
                },
            });
        }
        let feature = one.trim_end_matches(['+', '-']);
        if said.contains(&feature) {
            return Err(ConfigError::Twice {
                features: features.to_owned(),
                feature: feature.to_owned(),
            });
        }
        said.push(feature);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_a_target_and_default_counts_pass_rocr_asserts() {
        for model in MODELS {
            let config = Config::new(model.target).unwrap();
            assert_eq!(config.model().target, model.target);
            let waves = u32::from(config.target.max_waves_per_simd) * config.simds();
            assert_eq!(waves % config.shader_engines(), 0);
            assert!(model.engine_clock > 0 && model.memory_clock > 0 && model.memory_width > 0);
        }
    }

    #[test]
    fn every_target_that_is_not_executed_is_no_device() {
        for target in gfx::TARGETS {
            let executed = crate::dispatch::executes(target);
            assert!(
                executed || Config::new(target.name).is_err(),
                "{}",
                target.name
            );
        }
    }

    #[test]
    fn products_are_devices_too() {
        assert_eq!(Config::new("mi300x").unwrap().target.name, "gfx942");
        assert_eq!(Config::new("RX6900XT").unwrap().target.name, "gfx1030");
        assert_eq!(Config::new("mi350x").unwrap().shader_engines(), 8);
        assert_eq!(Config::new("mi210").unwrap().shader_engines(), 4);
        let with_features = Config::new("MI210:sramecc+:xnack+").unwrap();
        assert_eq!(with_features.target.name, "gfx90a");
    }

    #[test]
    fn engine_words_are_the_published_versions() {
        assert_eq!(
            Config::new("gfx90a:sramecc+").unwrap().engine_id(),
            9 << 10 | 10 << 24
        );
        assert_eq!(
            Config::new("gfx1030").unwrap().engine_id(),
            10 << 10 | 3 << 16
        );
    }

    #[test]
    fn bad_configurations_are_named() {
        let message = |name| Config::new(name).unwrap_err().to_string();
        assert!(message("gfx9000").contains("gfx9000") && message("gfx9000").contains("gfx90a"));
        assert!(message("mi30x").starts_with(
            "no target is called \"mi30x\" (did you mean mi300x or mi350x?); known are gfx900, "
        ));
        assert!(message("h100").starts_with("no target is called \"h100\"; known are gfx900, "));
        for (name, target, feature) in [
            ("gfx90a:sramecc-", "gfx90a", "\"sramecc-\""),
            ("gfx90a:xnack+:foo+", "gfx90a", "\"foo+\""),
            ("gfx90a:xnack", "gfx90a", "\"xnack\""),
            ("gfx90a:", "gfx90a", "\"\""),
        ] {
            let end = "; the features of its emulated device are xnack+, xnack-, sramecc+";
            let expected = format!("{target} has no feature {feature}{end}");
            assert_eq!(message(name), expected);
        }
        assert!(
            message("rx6800:wave32")
                .ends_with("\"wave32\"; the features of its emulated device are none")
        );
        for name in ["gfx1030:xnack-", "gfx1030:xnack+", "gfx1030:sramecc-"] {
            let (target, feature) = name.split_once(':').unwrap();
            let none = "the features of its emulated device are none";
            let expected = format!("{target} has no feature {feature:?}; {none}");
            assert_eq!(message(name), expected);
        }
        assert_eq!(
            message("gfx900:sramecc-"),
            "gfx900 has no feature \"sramecc-\"; the features of its emulated device are xnack-"
        );
        for name in ["gfx90a:xnack+:xnack-", "gfx90a:xnack-:sramecc+:xnack-"] {
            let (_, features) = name.split_once(':').unwrap();
            let expected = format!("{features:?} says twice how xnack is to be");
            assert_eq!(message(name), expected);
        }
        assert!(Config::new("gfx908:xnack+").is_ok());
        assert!(message("").starts_with("a name is empty: a device is a target, such as gfx90a"));
        assert!(message("gfx1250").starts_with("no emulated device exists for gfx1250"));
        assert!(
            message("gfx1250").contains("gfx908, gfx909, gfx90a, gfx90c, gfx942, gfx950, gfx1010")
        );
        assert_eq!(
            Config::new("gfx90a")
                .unwrap()
                .with_compute_units(6)
                .unwrap_err(),
            ConfigError::ComputeUnits {
                count: 6,
                engines: 4
            }
        );
    }
}
