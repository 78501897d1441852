mod cache;
mod headers;
