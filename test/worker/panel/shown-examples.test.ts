import { afterAll, expect, test } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { call, ORIGIN, signedIn } from "../../support/worker-client.ts";

afterAll(queuesSettled);

const admin = await signedIn();
const browser = await new Browser().signIn();

await admin.folderWithRag("docs");
await admin.put("/file-sources/docs/files/a.md", "# Leave\n\nThere are 26 days of leave.");
const config = { startUrls: ["https://example.com/"] };
const site = await admin.create<{ webhookSecret: string }>("/file-sources", {
  name: "Site",
  provider: "web",
  scanIntervalMinutes: 0,
  config,
});
const asking = { systemPrompt: "Answer.", model: "embedded/extractive", rags: ["docs"] };
await admin.create("/inferences", { name: "Ask", ...asking });
await admin.create("/agents", { name: "Helper", description: "Helps.", ...asking });
const all = { rags: ["*"], inferences: ["*"], agents: ["*"] };
const secrets: Record<string, string> = {
  QUARRY_TOKEN: (await admin.create("/tokens", { name: "t", ...all })).token,
  QUARRY_KEY: (await admin.create("/keys", { name: "k", role: "admin" })).key,
  QUARRY_WEBHOOK_SECRET: site.webhookSecret,
};

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };

/** The commands of curl on a page, as somebody copies them. */
const commandsOn = (html: string) =>
  [...html.matchAll(/<pre[^>]*>\s*<code[^>]*>(.*?)<\/code>/gs)]
    .map(([, code = ""]) => code.replaceAll(/<[^>]*>/g, ""))
    .map((code) => code.replaceAll(/&([a-z#0-9]+);/g, (all, name: string) => ENTITIES[name] ?? all))
    .filter((code) => code.startsWith("curl "));

/** As a shell splits it. */
const wordsOf = (command: string) =>
  [...command.replaceAll("\\\n", " ").matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g)].map(
    ([word]) =>
      word.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, (_all, single, double, escaped) =>
        String(
          single ?? double?.replaceAll(/\$(\w+)/g, (_: string, n: string) => secrets[n]) ?? escaped,
        ),
      ),
  );

async function run(command: string) {
  const [, ...words] = wordsOf(command);
  const options = words.flatMap((word, at): [string, string][] =>
    word.startsWith("-") ? [[word, words[at + 1] ?? ""]] : [],
  );
  const valueOf = (...names: string[]) => options.find(([name]) => names.includes(name))?.[1];
  const headers = options
    .filter(([name]) => name === "-H")
    .map(([, header]): [string, string] => [
      header.replace(/: .*/, ""),
      header.replace(/^[^:]*: /, ""),
    ]);
  const body = valueOf("-d", "--data-binary")?.replace(/^@.*/, "A guide.");
  const url = words.find((word) => word.startsWith(ORIGIN)) ?? "";
  const method = valueOf("-X") ?? (body === undefined ? "GET" : "POST");
  return await call(method, url.slice(ORIGIN.length), {
    headers: Object.fromEntries(headers),
    body,
  });
}

test.for<[page: string]>([
  ["/panel/sources/site/settings"],
  ["/panel/sources/docs/settings"],
  ["/panel/search?rag=docs&q=leave"],
  ["/panel/search?with=inference:ask&q=leave"],
  ["/panel/search?with=agent:helper&q=leave"],
  ["/panel/inferences/ask"],
  ["/panel/agents/helper"],
])("the calls that %s shows can be made as they stand", async ([page]) => {
  await browser.open(page);
  const commands = commandsOn(browser.html);
  expect({ page, commands }).not.toEqual({ page, commands: [] });
  for (const command of commands) {
    const { status, body } = await run(command);
    const isDone = status >= 200 && status < 300;
    expect({ command, isDone, body }).toMatchObject({ isDone: true });
  }
});

test("an address is pushed by the id of its source as well", async () => {
  const { body } = await admin.send("GET", "/file-sources/site");
  const { id } = body as { id: string };
  const answer = await call("POST", `/api/webhooks/web/${id}`, {
    headers: { Authorization: `Bearer ${site.webhookSecret}` },
    body: JSON.stringify({ urls: ["https://example.com/b"] }),
  });
  expect(answer.body).toEqual({ ok: true, accepted: 1, queued: true });
});
