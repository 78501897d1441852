//! Pages in a real browser: they open without complaints, and what one does with keyboard and mouse works.
//!
//! Debian's chromium is driven through a pipe, so nothing else has to be installed. Without it the tests are skipped.

use crate::made_up;

use crate::chromium::Chromium;
use serde_json::{Value, json};
use std::{fs, path::Path};

/// Opens the page of a run, goes through `steps` (expressions that must be true in the end), and looks for complaints.
fn check(run: &report::Run, steps: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let mut html = Vec::new();
    report::page(run, &mut html).unwrap();
    fs::write(&path, html).unwrap();
    follow(&path, steps);
}

fn follow(page: &Path, steps: &[(&str, &str)]) {
    let Some(mut browser) = Chromium::start() else {
        return;
    };
    browser.open(page);
    for (what, expression) in steps {
        browser.until(what, expression);
    }
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

#[test]
fn kernels_are_sorted_searched_and_opened() {
    let first = "document.querySelector('.body .row span').textContent";
    check(
        &made_up::run(50, 40),
        &[
            (
                "the hottest kernel comes first",
                &format!("{first} === 'kernel_49'"),
            ),
            (
                "a click on the heading",
                "[...document.querySelectorAll('.row.head button')][0].click() ?? true",
            ),
            ("sorted by name", &format!("{first} === 'kernel_0'")),
            (
                "a click on it again",
                "[...document.querySelectorAll('.row.head button')][0].click() ?? true",
            ),
            ("sorted the other way", &format!("{first} === 'kernel_9'")),
            (
                "a slash",
                "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }))  || true",
            ),
            (
                "the search has the focus",
                "document.activeElement.type === 'search'",
            ),
            (
                "words",
                "(document.activeElement.value = 'KERNEL 31', document.activeElement.dispatchEvent(new Event('input')), true)",
            ),
            (
                "one is found",
                "document.querySelector('.found').textContent === '1 of 50'",
            ),
            (
                "a click on it",
                "document.querySelector('.body a.row').click() ?? true",
            ),
            (
                "its page",
                "document.querySelector('h1').textContent === 'kernel_31'",
            ),
            (
                "its code",
                "document.querySelectorAll('.isa .line').length > 20",
            ),
        ],
    );
}

/// Nothing lies below the last row of a short table but what comes next, and a long one scrolls by itself.
#[test]
fn tables_are_as_high_as_their_rows() {
    let high = "document.querySelector('section.grow').getBoundingClientRect().height";
    let hidden = "document.querySelector('.body').scrollHeight - document.querySelector('.body').clientHeight";
    for (kernels, fits) in [
        (1, format!("{high} < 160 && {hidden} === 0")),
        (6, format!("{high} < 320 && {hidden} === 0")),
        (500, format!("{high} >= 280 && {hidden} > 9000")),
    ] {
        check(&made_up::run(kernels, 40), &[("its height", &fits)]);
    }
}

#[test]
fn places_in_the_code_have_addresses_and_blocks_fold() {
    let rows = "document.querySelectorAll('.isa .space .line').length";
    check(
        &made_up::run(2, 40),
        &[
            (
                "the address of an instruction",
                "(location.hash = '#kernel/1?view=code&pc=1024', true)",
            ),
            (
                "it is chosen",
                "document.querySelector('.isa .line.current')?.dataset.pc === '1024'",
            ),
            (
                "so is its line",
                "document.querySelector('.source .line.current')?.dataset.line === '11'",
            ),
            (
                "what it is inlined into is named",
                "document.querySelectorAll('.frames .frame')[1].textContent.startsWith('inlined into src/made_up.hip:2')",
            ),
            (
                "the address of a line",
                "(location.hash = '#kernel/1?view=code&line=made_up.hip:12', true)",
            ),
            (
                "its instructions are marked",
                "document.querySelectorAll('.isa .line.marked').length === 4",
            ),
            (
                "a click on a line",
                "document.querySelector('.source [data-line=\"10\"]').click() ?? true",
            ),
            (
                "the address follows",
                "decodeURIComponent(location.hash).endsWith('made_up.hip:10')",
            ),
            (
                "folding all",
                &format!(
                    "([...document.querySelectorAll('button')].find((b) => b.textContent === 'fold all').click(), {rows} === 5)"
                ),
            ),
            (
                "unfolding one",
                "document.querySelector('.fold').click() ?? true",
            ),
            ("its instructions are there", &format!("{rows} === 5 + 8")),
        ],
    );
}

#[test]
fn addresses_far_down_are_brought_into_sight() {
    let inside = |list: &str, row: &str| {
        format!(
            "(([list, row]) => row.top >= list.top && row.bottom <= list.bottom)(['{list}', '{list} {row}'].map((one) => document.querySelector(one).getBoundingClientRect()))"
        )
    };
    check(
        &made_up::run(1, 4000),
        &[
            (
                "the address of an instruction",
                "(location.hash = '#kernel/0?view=code&pc=4000', true)",
            ),
            ("it is in sight", &inside(".isa", "[data-pc=\"4000\"]")),
            (
                "a narrow window",
                "(document.body.style.width = '900px', true)",
            ),
            (
                "as wide as `global_load_dwordx4 v[10:13], v[2:3], off`, whatever stands beside it",
                "document.querySelector('.isa [data-pc=\"4000\"] .text').clientWidth >= 20 * 16",
            ),
            ("so is its line", &inside(".source", ".line.current")),
        ],
    );
}

#[test]
fn every_view_draws() {
    let mut steps: Vec<(&str, &str)> = Vec::new();
    steps.extend([
        ("the graph", "(location.hash = '#kernel/0?view=graph', true)"),
        ("blocks and edges", "document.querySelectorAll('.node').length === 5 && document.querySelectorAll('.edge').length === 6"),
        ("counts on the edges", "[...document.querySelectorAll('.edge title')].some((t) => t.textContent.startsWith('7'))"),
        ("instructions", "(location.hash = '#kernel/0?view=mix', true)"),
        ("mnemonics", "document.querySelectorAll('.table .body .row').length >= 2"),
        ("places", "(location.hash = '#kernel/0?view=memory', true)"),
        ("cache lines", "[...document.querySelectorAll('h2')].some((title) => title.textContent === 'mem-coalesce')"),
        ("addresses", "(() => { const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true }); copy.drawImage(document.querySelector('canvas.addresses'), 0, 0); return copy.getImageData(2, 2, 1, 1).data[3] > 0; })()"),
        ("strides", "document.body.textContent.includes('4 bytes') && document.body.textContent.includes('others')"),
        ("resources", "(location.hash = '#kernel/0?view=resources', true)"),
        ("most live at once", "document.body.textContent.includes('29 VGPRs, 0 AccVGPRs and 4 SGPRs before v_add_f32_e32 v5')"),
        ("what limits", "document.body.textContent.includes('VGPRs keep more waves')"),
        ("the timeline", "(location.hash = '#timeline', true)"),
        ("launches", "document.querySelectorAll('.table .body .row').length > 5"),
        ("who enqueued them", "[...document.querySelectorAll('.row.head button')].some((b) => b.textContent.startsWith('host thread')) && document.querySelector('.table .body .row').textContent.includes('producer (7)')"),
        ("the mark of the last launch but one, by the mouse", "(() => { const canvas = document.querySelector('canvas.timeline'); const box = canvas.getBoundingClientRect(); const all = 30200; canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + 14000 / all * box.width + 2, clientY: box.top + 24 + 20, bubbles: true })); return document.querySelector('output.about').textContent; })().includes('enqueued by process 1, producer (7) at 14')"),
        ("marks are painted", "(() => { const canvas = document.querySelector('canvas.timeline'); const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true }); copy.canvas.width = canvas.width; copy.canvas.height = canvas.height; copy.drawImage(canvas, 0, 0); const row = copy.getImageData(canvas.width / 4, (24 + 18) * canvas.height / canvas.clientHeight, canvas.width / 8, 1).data; return row.some((value, at) => at % 4 === 3 && value > 0); })()"),
        ("dark", "document.getElementById('colours').click() ?? true"),
        ("it is", "getComputedStyle(document.body).backgroundColor !== 'rgb(255, 255, 255)' || document.documentElement.dataset.theme === 'light'"),
    ]);
    check(&made_up::run(3, 40), &steps);
}

#[test]
fn kernels_that_do_not_exist_are_told() {
    check(
        &made_up::run(1, 40),
        &[
            (
                "an address of nothing",
                "(location.hash = '#kernel/77', true)",
            ),
            (
                "a word about it",
                "document.querySelector('.empty').textContent.includes('no kernel 77')",
            ),
        ],
    );
}

#[test]
fn two_runs_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let mut html = Vec::new();
    let comparison = report::compare(&made_up::run(3, 40), &made_up::run(4, 80));
    report::comparison_page(&comparison, &mut html).unwrap();
    fs::write(&path, html).unwrap();
    follow(
        &path,
        &[
            (
                "all kernels",
                "document.querySelectorAll('.body .row').length === 4",
            ),
            ("one is new", "document.body.textContent.includes('only B')"),
            ("a kernel", "(location.hash = '#compare/0', true)"),
            (
                "lines and mnemonics",
                "document.querySelectorAll('.table').length === 2 && document.querySelectorAll('.body .row').length > 3",
            ),
        ],
    );
}

/// The target is a second; a machine that does other things too gets three.
#[test]
fn large_pages_open_in_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let mut html = Vec::new();
    report::page(&made_up::large(10_000, 100_000), &mut html).unwrap();
    println!("{} bytes", html.len());
    fs::write(&path, html).unwrap();
    let Some(mut browser) = Chromium::start() else {
        return;
    };
    browser.open(&path);
    browser.until(
        "10,000 kernels",
        "document.querySelector('.found')?.textContent.endsWith('of 10000')",
    );
    let opened =
        milliseconds(&browser.evaluate("Number(document.documentElement.dataset.milliseconds)"));
    browser.until(
        "the one with 100,000 instructions",
        "(window.began = performance.now(), location.hash = '#kernel/0', true)",
    );
    browser.until("is there", "document.querySelectorAll('.isa .space .line').length > 20 && (window.took ??= performance.now() - window.began)");
    let code = milliseconds(&browser.evaluate("window.took"));
    let rows = browser.evaluate("document.querySelectorAll('.isa .space .line').length");
    println!("opened in {opened} ms, 100,000 instructions in {code} ms, {rows} rows exist");
    assert!(opened < 3000.0 && code < 3000.0);
    assert!(rows.as_u64().unwrap() < 200, "only what is in sight exists");
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

fn milliseconds(value: &Value) -> f64 {
    assert_ne!(*value, json!(null));
    value.as_f64().unwrap()
}
