//! Target ids: a processor and what its code assumes about XNACK and SRAM ECC.

use crate::{Error, Result};
use gfx::{Feature, Target};
use std::fmt;

/// The setting of one selectable feature that code assumes, or that a device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Setting {
    /// The processor does not have it.
    Unsupported,
    /// Code that works either way.
    Any,
    /// The feature is off.
    Off,
    /// The feature is on.
    On,
}

/// A processor with feature settings, e.g. `gfx90a:sramecc+:xnack-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetId {
    /// The processor.
    pub target: &'static Target,
    /// True if memory accesses may be repeated after a page fault.
    pub xnack: Setting,
    /// True if memory has error correction, which changes what 16-bit loads do to the other half of a register.
    pub sramecc: Setting,
}

impl TargetId {
    /// `target` with every feature it has left open.
    pub fn any(target: &'static Target) -> TargetId {
        let open = |feature| {
            if feature == Feature::Selectable {
                Setting::Any
            } else {
                Setting::Unsupported
            }
        };
        TargetId {
            target,
            xnack: open(target.xnack),
            sramecc: open(target.sramecc),
        }
    }

    /// Reads `gfx90a:sramecc+:xnack-`, also with a triple and offload kind before it
    /// (`hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+`, `amdgcn-amd-amdhsa--gfx1030`).
    pub fn parse(text: &str) -> Result<TargetId> {
        let bad = |reason| Error::BadTargetId {
            text: text.to_owned(),
            reason,
        };
        let start = text
            .find("gfx")
            .ok_or_else(|| bad("it names no processor (gfx...)"))?;
        let mut parts = text[start..].split(':');
        let name = parts.next().unwrap_or_default();
        let target = Target::find(name).ok_or_else(|| bad("the processor is unknown"))?;
        let mut id = TargetId::any(target);
        for part in parts {
            let (feature, setting) = match (part.strip_suffix('+'), part.strip_suffix('-')) {
                (Some(feature), _) => (feature, Setting::On),
                (_, Some(feature)) => (feature, Setting::Off),
                _ => return Err(bad("a feature ends in '+' or '-'")),
            };
            let slot = match feature {
                "xnack" => &mut id.xnack,
                "sramecc" => &mut id.sramecc,
                _ => return Err(bad("its features are xnack and sramecc")),
            };
            if *slot == Setting::Unsupported {
                return Err(bad("the processor does not have that feature"));
            }
            *slot = setting;
        }
        Ok(id)
    }

    /// Returns `true` if code built for `self` runs on `device`, whose settings are what the device really has switched on.
    pub fn runs_on(&self, device: &TargetId) -> bool {
        let agree = |code, device| match (code, device) {
            // A device that leaves a setting open takes either code.
            (Setting::Any | Setting::Unsupported, _) | (_, Setting::Any) => true,
            (code, device) => code == device,
        };
        self.target.covers(device.target)
            && agree(self.xnack, device.xnack)
            && agree(self.sramecc, device.sramecc)
    }

    /// How much the code assumes: of several that run, the one that assumes most was compiled most specifically.
    pub(crate) fn specificity(&self) -> u32 {
        let fixed = |setting| u32::from(matches!(setting, Setting::On | Setting::Off));
        let chip = u32::from(
            !gfx::GENERIC_TARGETS
                .iter()
                .any(|generic| generic.target.name == self.target.name),
        );
        4 * chip + fixed(self.xnack) + fixed(self.sramecc)
    }
}

impl fmt::Display for TargetId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.target.name)?;
        for (name, setting) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            match setting {
                Setting::On => write!(out, ":{name}+")?,
                Setting::Off => write!(out, ":{name}-")?,
                Setting::Any | Setting::Unsupported => {}
            }
        }
        Ok(())
    }
}

impl serde::Serialize for TargetId {
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_read_back() {
        for text in [
            "gfx90a:sramecc+:xnack-",
            "gfx1030",
            "gfx10-3-generic",
            "gfx906:xnack+",
        ] {
            assert_eq!(TargetId::parse(text).unwrap().to_string(), text);
            let entry = format!("hipv4-amdgcn-amd-amdhsa--{text}");
            assert_eq!(TargetId::parse(&entry).unwrap().to_string(), text);
        }
    }

    #[test]
    fn absent_and_misspelt_features_are_refused() {
        for text in [
            "gfx1030:xnack+",
            "gfx90a:xnack",
            "gfx90a:wave+",
            "sm_70",
            "gfx123",
        ] {
            assert!(TargetId::parse(text).is_err(), "{text}");
        }
    }
}
