//! A headless browser on the two ends of a pipe (the DevTools protocol: JSON objects with a zero byte behind each).

use serde_json::{Value, json};
use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

const PATIENCE: Duration = Duration::from_secs(60);

pub struct Chromium {
    process: Child,
    to: File,
    from: Receiver<Value>,
    session: Option<String>,
    asked: u64,
    complaints: Vec<String>,
    _folder: tempfile::TempDir,
}

impl Chromium {
    /// `None`, and a line that says so, where there is no chromium.
    pub fn start() -> Option<Chromium> {
        if !prerequisite::program("chromium", "chromium") {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let made = Command::new("mkfifo")
            .args([path("to"), path("from")])
            .status();
        assert!(made.unwrap().success());
        // The shell puts the pipes where the browser expects them.
        let process = Command::new("sh")
            .arg("-c")
            .arg(
                "exec chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
                 --window-size=1400,900 --user-data-dir=\"$1/data\" --remote-debugging-pipe about:blank 3<\"$1/to\" 4>\"$1/from\"",
            )
            .arg("sh")
            .arg(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = OpenOptions::new().write(true).open(path("to")).unwrap();
        let from = File::open(path("from")).unwrap();
        let (said, from_reader) = channel();
        thread::spawn(move || {
            for message in BufReader::new(from).split(0) {
                let Ok(message) = message else { break };
                let Ok(value) = serde_json::from_slice(&message) else {
                    break;
                };
                if said.send(value).is_err() {
                    break;
                }
            }
        });
        let mut browser = Chromium {
            process,
            to,
            from: from_reader,
            session: None,
            asked: 0,
            complaints: Vec::new(),
            _folder: folder,
        };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.ask("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.ask(domain, json!({}));
        }
        Some(browser)
    }

    pub fn open(&mut self, page: &Path) {
        let url = format!("file://{}", page.display());
        self.ask("Page.navigate", json!({ "url": url }));
        self.until(
            "the page is drawn",
            "Boolean(document.documentElement.dataset.ready)",
        );
    }

    /// Makes the window as large as that of a phone, or of a desk.
    pub fn resize(&mut self, width: u32, height: u32) {
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false }),
        );
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let answer = self.ask(
            "Runtime.evaluate",
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true }),
        );
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn until(&mut self, what: &str, expression: &str) {
        let began = Instant::now();
        let guarded = format!(
            "(() => {{ try {{ return Boolean({expression}); }} catch (error) {{ return String(error); }} }})()"
        );
        loop {
            let value = self.evaluate(&guarded);
            if value == json!(true) {
                return;
            }
            if began.elapsed() > PATIENCE / 4 {
                let page =
                    self.evaluate("document.querySelector('main')?.innerText.slice(0, 1500)");
                panic!(
                    "{what}: {expression} is {value}; {:?}; {page}",
                    self.complaints
                );
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Errors and warnings that the page left.
    pub fn complaints(&mut self) -> Vec<String> {
        self.evaluate("0");
        std::mem::take(&mut self.complaints)
    }

    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = serde_json::to_vec(&message).unwrap();
        bytes.push(0);
        self.to.write_all(&bytes).unwrap();
        loop {
            let message = match self.from.recv_timeout(PATIENCE) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => panic!("{method}: chromium does not answer"),
                Err(RecvTimeoutError::Disconnected) => panic!("{method}: chromium has ended"),
            };
            if message["id"] == json!(self.asked) {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
            self.hear(&message);
        }
    }

    fn hear(&mut self, message: &Value) {
        let parameters = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.complaints.push(parameters.to_string()),
            Some("Runtime.consoleAPICalled") if parameters["type"] != "log" => {
                self.complaints.push(parameters.to_string());
            }
            Some("Log.entryAdded") => self
                .complaints
                .push(parameters["entry"]["text"].to_string()),
            _ => {}
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
