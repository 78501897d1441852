//! The tests of `programs` in one program: `cargo test --release --workspace --test programs -- FILE::NAME`.

mod addresses;
mod bad_input;
mod cached;
mod computed_jumps;
mod empty_waves;
mod fits;
mod library_tool;
mod module_tool;
mod report;
mod rows;
mod rust_tool;
mod selection;
mod sessions;
mod some_executions;
mod stock;
mod stock_tool;
mod thin_rust_tool;
mod tool_api;
mod tool_copies;
mod tool_exits;
mod tool_launches;
mod tool_memory;
mod tool_mistakes;
mod tool_operands;
mod tool_samples;
mod wave_state;
