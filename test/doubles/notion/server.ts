/*
 * `node test/doubles/notion/server.ts [PORT]`: the double as a server, with a small workspace, for
 * trying a local service by hand. It prints the body that creates the file source. Standard input
 * takes a title and words, with a tab between: a page of that title then has these words.
 */
import { createInterface } from "node:readline";

import { serveFetch } from "../serve-fetch.ts";
import { block } from "./entries.ts";
import { BASE, NotionDouble } from "./notion-double.ts";

const PORT = 8_792;
const GREETING = "The double of Notion answers. Create a source with this body:";

const notion = new NotionDouble();
const handbook = notion.page(null, "Handbook", [block("paragraph", "Welcome to the moss garden.")]);
notion.page(handbook, "Notice period", [block("paragraph", "Three months, in writing.")]);
const [, tasks] = notion.database(handbook, "Tasks");
const status = { type: "status", status: { name: "Open" } };
notion.row(tasks, "Water the ferns", { Status: status }, [block("to_do", "Every morning")]);
const { address } = await serveFetch(notion.fetch, BASE, Number(process.argv[2] ?? PORT));
const config = { token: notion.token, apiBaseUrl: address };
process.stderr.write(`${GREETING}\n`);
process.stdout.write(`${JSON.stringify({ name: "Notion", provider: "notion", config })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const [title = "", words = ""] = line.split("\t");
  const page = [...notion.entries.values()].find((entry) => entry.title === title);
  const blocks = [block("paragraph", words)];
  notion.now = Date.now();
  if (page === undefined) notion.page(null, title, blocks);
  else
    notion.change(page.id, {
      blocks: [...blocks, ...page.blocks.filter(({ type }) => type.startsWith("child_"))],
    });
}
