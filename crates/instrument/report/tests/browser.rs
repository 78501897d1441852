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
                "document.querySelector('.body .row a').click() ?? true",
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

/// Both instructions of a finding, and their lines, have a sign; those of rules have none.
#[test]
fn findings_of_checkers_stand_in_the_source_and_beside_instructions() {
    let mut run = made_up::run(1, 40);
    let remark = |at: u32, other: Option<u32>, grade: &str| report::Remark {
        rule: "lds-race".to_owned(),
        grade: grade.to_owned(),
        title: "two accesses race".to_owned(),
        instruction: "an instruction".to_owned(),
        at: Some(at),
        other,
        ..Default::default()
    };
    run.overview.kernels[0].remarks = vec![remark(9, Some(13), "certain"), remark(2, None, "")];
    let code = &run.codes[&0];
    let address = |at: usize| format!("{:x}", code.pc[at]);
    let flagged = format!(
        "JSON.stringify([...document.querySelectorAll('.isa .line')].filter((line) => line.querySelector('.finding')).map((line) => line.dataset.pc)) === '[\"{}\",\"{}\"]'",
        address(9),
        address(13)
    );
    let lines = [9, 13].map(|at| code.places[code.place[at] as usize][0].line);
    let shown = format!(
        "{lines:?}.every((line) => document.querySelector(`.source [data-line=\"${{line}}\"] .finding`)?.title === 'two accesses race')"
    );
    let choose = format!(
        "(location.hash = '#kernel/0?view=code&pc={}', true)",
        address(9)
    );
    check(
        &run,
        &[
            ("the finding's instruction", &choose),
            ("both instructions have a sign", &flagged),
            ("so have their lines", &shown),
            (
                "the chosen one says what it is",
                "document.querySelector('.frames .finding')?.textContent.includes('two accesses race')",
            ),
            (
                "the list of what stands out",
                "(location.hash = '#kernel/0?view=remarks', true)",
            ),
            (
                "it is told from what rules say",
                "document.querySelectorAll('.remarks .found').length === 1 && document.querySelectorAll('.remarks .found a').length === 2",
            ),
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
        ("what is not exact, why, where and how often", "document.querySelector('.across').textContent.includes('approximatenot publishedkernel_0: v_rcp_f32 7 wave instructions')"),
        ("where that goes", "document.querySelector('.across').textContent.includes('kernel_0branch: s_cbranch_vccz made_up.hip:9, from v_rcp_f32 made_up.hip:7, 2 times')"),
        ("the graph", "(location.hash = '#kernel/0?view=graph', true)"),
        ("blocks and edges", "document.querySelectorAll('.node').length === 5 && document.querySelectorAll('.edge').length === 6"),
        ("counts on the edges", "[...document.querySelectorAll('.edge title')].some((t) => t.textContent.startsWith('7'))"),
        ("blocks in a list beside it", "document.querySelectorAll('.drawn .body .row').length === 5"),
        ("the flame graph", "(location.hash = '#kernel/0?view=flame', true)"),
        ("the inlined function stands in the other", "document.querySelectorAll('.flame').length === 2 && document.querySelector('.flame .flame button').textContent === 'inner'"),
        ("a click shows its line", "document.querySelector('.flame .flame button').click() ?? true"),
        ("the line", "document.querySelector('.source .line.current')?.dataset.line >= 9"),
        ("instructions", "(location.hash = '#kernel/0?view=mix', true)"),
        ("figures stand beside their bars", "[...document.querySelectorAll('.bar')].every((bar) => bar.querySelector('.value').getBoundingClientRect().left >= bar.querySelector('.fill').getBoundingClientRect().right)"),
        ("mnemonics", "document.querySelectorAll('.table .body .row').length >= 2"),
        ("places", "(location.hash = '#kernel/0?view=memory', true)"),
        ("cache lines", "[...document.querySelectorAll('h2')].some((title) => title.textContent === 'mem-coalesce')"),
        ("addresses", "(() => { const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true }); copy.drawImage(document.querySelector('canvas.addresses'), 0, 0); return copy.getImageData(2, 2, 1, 1).data[3] > 0; })()"),
        ("stores have a colour of their own", "(() => { const canvas = document.querySelector('canvas.addresses'); const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true }); copy.canvas.width = canvas.width; copy.canvas.height = canvas.height; copy.drawImage(canvas, 0, 0); const at = (x, y) => [...copy.getImageData(x, y, 1, 1).data.slice(0, 3)]; const [load, store] = [at(2, 2), at(canvas.width - 3, canvas.height - 3)]; return load[2] > load[0] && store[0] > store[2]; })()"),
        ("buffers have names, at the axis and in the list", "document.querySelector('.addressed .axis').textContent.includes('out + 0x40 0x9000') && [...document.querySelectorAll('.bars th')].some((name) => name.textContent.startsWith('out + 0x40: 0x9000'))"),
        ("what writes is told", "document.querySelector('.across').textContent.includes('all write')"),
        ("strides", "document.body.textContent.includes('4 bytes') && document.body.textContent.includes('others')"),
        ("resources", "(location.hash = '#kernel/0?view=resources', true)"),
        ("most live at once", "document.body.textContent.includes('29 VGPRs, 0 AccVGPRs and 4 SGPRs before v_add_f32_e32 v5')"),
        ("what limits", "document.body.textContent.includes('VGPRs keep more waves')"),
        ("what a piece less would give", "[...document.querySelectorAll('table.plain tbody tr')].some((row) => row.textContent === 'VGPRs644564')"),
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
            (
                "more instructions are worse, by sign and by colour",
                "[...document.querySelectorAll('.body .row .worse')].every((cell) => cell.textContent.startsWith('▲ +100')) && document.querySelectorAll('.body .row .worse').length === 3",
            ),
            (
                "so is the sum",
                "document.querySelector('dd .worse').textContent.endsWith('more: worse)')",
            ),
            ("a kernel", "(location.hash = '#compare/0', true)"),
            (
                "lines and mnemonics",
                "document.querySelectorAll('.table').length === 2 && document.querySelectorAll('.body .row').length > 3",
            ),
            (
                "no column of theirs is out of sight",
                "innerWidth === 1400 && [...document.querySelectorAll('.table .body')].every((body) => body.scrollWidth <= body.clientWidth)",
            ),
        ],
    );
}

/// By mouse and keyboard; both panes scroll to the side, and their headings with them.
#[test]
fn source_and_isa_share_the_width() {
    let left = "document.querySelector('.pane.left').getBoundingClientRect().width";
    let scrolls = |pane: &str| {
        format!(
            "(({{ list, heads }}) => {{ list.scrollLeft = 40; list.dispatchEvent(new Event('scroll')); return list.scrollLeft === 40 && heads.scrollLeft === 40; }})({{ list: document.querySelector('.{pane} .scroller'), heads: document.querySelector('.{pane} .heads') }})"
        )
    };
    let mut run = made_up::run(1, 40);
    run.sources[0] = format!("{}\n{}", "\t".repeat(60), run.sources[0]);
    run.codes.get_mut(&0).unwrap().text[5] = format!("v_add_f32 {}", "v1, ".repeat(60));
    check(
        &run,
        &[
            ("a kernel", "(location.hash = '#kernel/0', true)"),
            ("its width", &format!("(window.before = {left}) > 300")),
            (
                "an arrow key",
                "document.querySelector('.splitter').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' })) || true",
            ),
            ("narrower", &format!("{left} < window.before")),
            (
                "the end",
                "document.querySelector('.splitter').dispatchEvent(new KeyboardEvent('keydown', { key: 'End' })) || true",
            ),
            (
                "told",
                "document.querySelector('.splitter').getAttribute('aria-valuenow') === '85'",
            ),
            ("the source scrolls", &scrolls("left")),
            ("the instructions scroll", &scrolls("right")),
            (
                "the columns are explained",
                "document.querySelector('.right .legend').textContent.includes('VGPRs whose values may still be read')",
            ),
        ],
    );
}

/// A page of a run without a tool names the option that would have brought it.
#[test]
fn what_is_missing_is_named_with_its_option() {
    let mut run = made_up::run(1, 40);
    run.timeline = None;
    run.traces.clear();
    run.overview.kernels[0].nanoseconds = Some(5000);
    check(
        &run,
        &[
            (
                "times are those of an emulated device",
                "[...document.querySelectorAll('.row.head button')].some((b) => b.textContent === 'emulated time')",
            ),
            ("the timeline", "(location.hash = '#timeline', true)"),
            (
                "the option",
                "document.querySelector('.empty')?.textContent.includes('-t launch-log')",
            ),
            ("memory", "(location.hash = '#kernel/0?view=memory', true)"),
            (
                "its option",
                "document.querySelector('.empty')?.textContent.includes('-t mem-trace')",
            ),
        ],
    );
}

/// Nothing but tables, code and graphs is wider than a phone, and these scroll.
#[test]
fn pages_fit_phones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let mut html = Vec::new();
    let mut run = made_up::run(30, 40);
    // Addresses as long as real ones.
    let trace = run.traces.get_mut(&0).unwrap();
    trace.regions = vec![(0x7fba_a110_0000, 256, 128), (0x7fba_a110_0800, 256, 64)];
    report::page(&run, &mut html).unwrap();
    fs::write(&path, html).unwrap();
    let Some(mut browser) = Chromium::start() else {
        return;
    };
    browser.resize(400, 800);
    browser.open(&path);
    let views = [
        "overview",
        "kernels",
        "timeline",
        "kernel/0?view=code",
        "kernel/0?view=flame",
        "kernel/0?view=graph",
        "kernel/0?view=mix",
        "kernel/0?view=memory",
        "kernel/0?view=resources",
    ];
    for view in views {
        browser.until(view, &format!("(location.hash = '#{view}', true)"));
        browser.until(
            view,
            &format!("document.documentElement.dataset.ready === '#{view}'"),
        );
        browser.until(
            &format!("{view} is as wide as the window"),
            "document.documentElement.scrollWidth <= 400 && document.querySelector('main').scrollWidth <= 400",
        );
    }
    browser.until("the kernels", "(location.hash = '#kernels', true)");
    browser.until(
        "the table scrolls, and its heading with it",
        "(({ body, heads }) => { body.scrollLeft = 300; body.dispatchEvent(new Event('scroll')); return body.scrollLeft === 300 && heads.scrollLeft === 300; })({ body: document.querySelector('.body'), heads: document.querySelector('.table .heads') })",
    );
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

#[test]
fn one_wave_is_in_the_singular() {
    let mut run = made_up::run(1, 40);
    let code = run.codes.get_mut(&0).unwrap();
    code.waves.fill(Some(1));
    check(
        &run,
        &[
            ("the code", "(location.hash = '#kernel/0?view=code', true)"),
            (
                "a block",
                "[...document.querySelectorAll('.isa .about')].some((one) => one.textContent.includes(' · 1 wave · '))",
            ),
        ],
    );
}

/// A page that a screen reader can read: names, one heading of the page, levels without gaps, landmarks; and contrast of 4.5 in both schemes.
#[test]
fn pages_are_accessible() {
    let named = "[...document.querySelectorAll('button, input, select, canvas, [role=img], [role=separator], summary')].every((one) => (one.textContent + (one.getAttribute('aria-label') ?? '') + [...(one.labels ?? [])].map((label) => label.textContent).join('')).replace(/[^\\p{L}−+:]/gu, '') !== '')";
    let levels = "(() => { const levels = [...document.querySelectorAll('h1, h2, h3')].map((one) => Number(one.tagName[1])); return levels[0] === 1 && levels.filter((level) => level === 1).length === 1 && levels.every((level, at) => !at || level <= levels[at - 1] + 1); })()";
    let landmarks = "document.querySelectorAll('main').length === 1 && document.querySelectorAll('header').length === 1 && [...document.querySelectorAll('nav')].every((nav) => nav.getAttribute('aria-label'))";
    let tables = "[...document.querySelectorAll('[role=columnheader], [role=cell]')].every((one) => one.parentElement.getAttribute('role') === 'row') && [...document.querySelectorAll('[role=row]')].every((one) => one.closest('[role=rowgroup]')) && [...document.querySelectorAll('[role=table] > *')].every((one) => one.getAttribute('role') === 'rowgroup') && !document.querySelector('[role=img] [tabindex], th:empty')";
    let contrast = "(() => { const light = (text) => { const canvas = document.createElement('canvas').getContext('2d'); canvas.fillStyle = text; const [, r, g, b] = canvas.fillStyle.match(/#(..)(..)(..)/).map((part) => { const share = parseInt(part, 16) / 255; return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; }; const style = getComputedStyle(document.documentElement); const of = (name) => light(style.getPropertyValue(`--${name}`).trim()); return ['ink', 'soft', 'link', 'good', 'bad'].every((ink) => ['paper', 'band'].every((paper) => { const [a, b] = [of(ink), of(paper)].sort((x, y) => y - x); return (a + 0.05) / (b + 0.05) >= 4.5; })) && ['paper', 'mark', 'chosen'].every((paper) => { const [a, b] = [of('ink'), of(paper)].sort((x, y) => y - x); return (a + 0.05) / (b + 0.05) >= 4.5; }); })()";
    let mut steps: Vec<(&str, &str)> = Vec::new();
    for view in [
        "(location.hash = '#overview', true)",
        "(location.hash = '#kernels', true)",
        "(location.hash = '#timeline', true)",
        "(location.hash = '#kernel/0?view=code', true)",
        "(location.hash = '#kernel/0?view=remarks', true)",
        "(location.hash = '#kernel/0?view=flame', true)",
        "(location.hash = '#kernel/0?view=graph', true)",
        "(location.hash = '#kernel/0?view=mix', true)",
        "(location.hash = '#kernel/0?view=memory', true)",
        "(location.hash = '#kernel/0?view=resources', true)",
    ] {
        steps.extend([
            ("a view", view),
            (
                "it is there",
                "document.documentElement.dataset.ready === location.hash",
            ),
            ("all have names", named),
            ("levels of headings", levels),
            ("landmarks", landmarks),
            ("tables", tables),
        ]);
    }
    steps.extend([
        ("contrast", contrast),
        (
            "the other colours",
            "document.getElementById('colours').click() ?? true",
        ),
        ("contrast again", contrast),
    ]);
    let mut run = made_up::run(2, 40);
    run.overview.kernels[0].remarks = vec![report::model::Remark {
        rule: "a-rule".to_owned(),
        title: "a title".to_owned(),
        evidence: "evidence".to_owned(),
        at: Some(3),
        ..Default::default()
    }];
    check(&run, &steps);
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
