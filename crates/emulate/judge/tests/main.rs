mod barriers;
mod common;
mod inexact;
mod init;
mod late;
mod nan;
mod races;
mod waits;
