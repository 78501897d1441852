//! A page that one opens in a browser: what ran, where instructions went, and the code with its counts.
//!
//! Entry types: [`Run`] (what `luthier run --output` left in a directory), [`page`] (one self-contained HTML file), [`read_page`]
//! (a page's data again) and [`compare`] (two runs). Nothing here runs programs, and a page never loads anything from elsewhere.
#![forbid(unsafe_code)]

mod advice;
mod code;
mod compare;
mod error;
mod findings;
mod live;
mod mix;
pub mod model;
mod overview;
mod page;
mod ranks;
mod results;
mod run;
mod sources;
mod timeline;
mod trace;

pub use advice::rules;
pub use compare::{Comparison, compare};
pub use error::Error;
pub use findings::Findings;
pub use model::{Code, KernelRow, Overview, Remark};
pub use page::{comparison_page, page, read_page};
pub use ranks::{Place, places, rank_directory};
pub use run::{Options, Run};
pub use timeline::Timeline;
pub use trace::Trace;
