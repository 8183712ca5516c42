/*
 * `node test/doubles/confluence/server.ts [PORT]`: the double as a server, with a small site, for
 * trying a local service by hand. It prints the body that creates the file source.
 */
import { serveFetch } from "../serve-fetch.ts";
import { ConfluenceDouble } from "./confluence-double.ts";

const PORT = 8_791;
const GREETING = "The Confluence double answers. Create a source with this body:";

const site = new ConfluenceDouble();
site.clock = Date.now();
const ann = site.person("ann");
const space = site.space("HR");
const rules = site.page(space, "Rules", "<p>See the pages below.</p>");
const notice = site.page(
  space,
  "Notice period",
  "<p>The notice period is three months.</p>",
  rules,
);
const salaries = site.page(space, "Salaries", "<p>Salaries are paid on the 25th.</p>", rules);
site.alter(salaries, { restrictions: { users: [ann], groups: [] } });
site.attach(notice, "letter.txt", "A letter of notice names the last day.");
const { address } = await serveFetch(site.fetch, undefined, Number(process.argv[2] ?? PORT));
site.baseUrl = address;
// A signal makes a new version of a page.
process.on("SIGUSR2", () => site.edit(notice, { body: "<p>The notice period is six weeks.</p>" }));
const config = { siteUrl: address, email: site.email, apiToken: site.token };
process.stderr.write(`${GREETING}\n`);
process.stdout.write(`${JSON.stringify({ name: "Wiki", provider: "confluence", config })}\n`);
