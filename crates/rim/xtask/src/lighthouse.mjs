// Prints the accessibility of views of pages as Lighthouse sees it, a line of JSON for each: node lighthouse.mjs FOLDER VIEW...
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import lighthouse from "lighthouse";
import puppeteer from "puppeteer-core";

const [folder, ...views] = process.argv.slice(2);
// (Lighthouse opens no files.)
const server = createServer(async (request, answer) => {
  try {
    answer.end(await readFile(join(folder, new URL(request.url, "http://localhost").pathname)));
  } catch {
    answer.writeHead(404).end();
  }
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
const port = Number(new URL(browser.wsEndpoint()).port);
for (const view of views) {
  const url = `http://127.0.0.1:${server.address().port}/${view}`;
  const { lhr } = await lighthouse(url, { port, onlyCategories: ["accessibility"], logLevel: "error" });
  const { score, auditRefs } = lhr.categories.accessibility;
  const failed = auditRefs.filter(({ id, weight }) => weight > 0 && lhr.audits[id].score !== null && lhr.audits[id].score < 1);
  console.log(JSON.stringify({ view, score, failed: failed.map(({ id }) => id), version: lhr.lighthouseVersion, error: lhr.runtimeError?.message }));
}
await browser.close();
server.close();
