import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { dataOf } from "../../../src/cli/api/clients.ts";
import { NotInstalled, until, type Counterpart, type Tools } from "../tools.ts";

const WIKI = "/usr/share/mediawiki";
/** Long enough to be edited by section, with a link to a page that does not exist. */
const OTTERS = `Otters live in alder woods. See [[Herons]] and [[Missing page]].

== Food ==
They eat fish and crabs.

== Young ==
Cubs swim at ten weeks.

[[Category:Animals]]
`;
const HERONS = "Herons stand still in shallow water. See [[Otters]].\n\n[[Category:Animals]]\n";

export const counterpart: Counterpart = {
  about: "MediaWiki of Debian as a web source",
  async install(tools) {
    if (!existsSync(WIKI)) throw new NotInstalled("apt-get install mediawiki php-cli php-sqlite3");
    tools.needs("php", "php-cli");
    const source = readFileSync(`${WIKI}/includes/Defines.php`, "utf8");
    return /'MW_VERSION', '([^']+)'/.exec(source)?.[1] ?? "unknown";
  },
  async check(tools) {
    const address = await startWiki(tools);
    const { api } = await tools.quarryWithRag();
    const naming = { name: "Wiki", identifier: "wiki" };
    const config = { startUrls: [`${address}/index.php/Otters`], maxPages: 60 };
    const source = { ...naming, provider: "web" as const, config };
    await dataOf(api.POST("/file-sources", { body: source }));
    await dataOf(api.POST("/rags", { body: { ...naming, fileSource: "wiki" } }));
    const id = { params: { path: { id: "wiki" } } };
    await until(async () => {
      const { lastScan } = await dataOf(api.GET("/file-sources/{id}", id));
      assert.ok(lastScan?.finishedAt != null);
    });
    const files = await dataOf(
      api.GET("/file-sources/{id}/files", { params: { ...id.params, query: { limit: 100 } } }),
    );
    const paths = files.data.map(({ filePath }) => filePath);
    await tools.check("articles are fetched", () => {
      for (const page of ["Otters", "Herons"]) {
        assert.ok(
          paths.some((path) => path.includes(page)),
          paths.join("\n"),
        );
      }
    });
    await tools.check("forms, old versions and missing pages are left out", () => {
      const actionLinks = /action=|oldid=|diff=|redlink=|printable=/;
      assert.deepEqual(
        paths.filter((path) => actionLinks.test(path)),
        [],
      );
    });
    await tools.check("a passage has the article's text and no links to edit it", async () => {
      await until(async () => {
        const rag = await dataOf(api.GET("/rags/{id}", id));
        assert.equal(rag.processedFiles, rag.totalFiles);
      });
      const body = { semanticSearch: ["fish and crabs"], topK: 1 };
      const answer = await dataOf(api.POST("/rags/{id}/search", { ...id, body }));
      assert.match(JSON.stringify(answer), /fish and crabs/);
      assert.doesNotMatch(JSON.stringify(answer), /\[edit|edit source/i);
    });
  },
};

async function startWiki(tools: Tools): Promise<string> {
  const port = await tools.port();
  const address = `http://127.0.0.1:${port}`;
  const data = join(tools.scratch, "data");
  mkdirSync(data);
  const php = tools.needs("php", "php-cli");
  const database = ["--dbtype", "sqlite", "--dbpath", data, "--dbname", "wiki"];
  const place = ["--server", address, "--scriptpath", "", "--confpath", tools.scratch];
  const install = [`${WIKI}/maintenance/install.php`, ...database, ...place];
  await tools.run(php, [...install, "--pass", "a password of 24 letters", "Wiki", "Admin"]);
  const settings = join(tools.scratch, "LocalSettings.php");
  const env = { ...process.env, MW_CONFIG_FILE: settings };
  // A link to a page that is not there yet stays one to its form until a job has run.
  for (const [title, text] of Object.entries({ Herons: HERONS, Otters: OTTERS })) {
    const child = spawn(php, [`${WIKI}/maintenance/edit.php`, title], {
      env,
      stdio: ["pipe", "ignore", "inherit"],
    });
    child.stdin.end(text);
    assert.deepEqual(await once(child, "exit"), [0, null]);
  }
  await tools.start(php, ["-S", `127.0.0.1:${port}`, "-t", WIKI], port, { env });
  return address;
}
