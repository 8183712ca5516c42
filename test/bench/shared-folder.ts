import { setTimeout as pause } from "node:timers/promises";

import { BASE, GoogleDriveDouble } from "../doubles/google-drive/google-drive-double.ts";
import { GraphDouble } from "../doubles/microsoft-graph/graph-double.ts";
import { user } from "../doubles/microsoft-graph/grant.ts";
import { graphConfig } from "../doubles/microsoft-graph/scanning.ts";
import { serveFetch } from "../doubles/serve-fetch.ts";
import { startService, type Service } from "./support/fresh-service.ts";
import { postJson } from "./support/post-json.ts";

const FILES = 5_000;
const POLL_MS = 250;
const LIMIT_MS = 900_000;
/** After a watch begins, a scan looks for what changed before it. */
const QUIET_MS = 25_000;
const ANN = "ann@example.com";
const BOB = "bob@example.com";
/** Providers call only what is reachable from outside: the bench carries their calls. */
const ADDRESS = "https://quarry.example.com";
/** Of the files, whose passages are searched for one by one at the end. */
const SEARCHED = 50;

const noteOf = (at: number) => [`${at}.md`, `A note numbered ${at}.`] as const;

/** A folder that Ann may read, with so many files. */
async function googleDrive(count: number) {
  const drive = await GoogleDriveDouble.open();
  const server = await serveFetch(drive.fetch, BASE);
  const folder = drive.folder(drive.root, "Rules");
  for (let at = 0; at < count; at++) drive.file(folder, ...noteOf(at), "text/markdown");
  const share = (to: string[]) =>
    drive.change(folder, { grants: to.map((one) => ({ type: "user", to: one }) as const) });
  const credentials = drive.account.keyFile(`${server.address}/token`);
  const config = { rootFolderId: drive.root, apiBaseUrl: server.address, credentials };
  return {
    name: "drive",
    provider: "cloud_drive",
    config,
    share,
    double: drive,
    watches: () => drive.channels.live().length,
    server,
  };
}

async function sharePoint(count: number) {
  const graph = new GraphDouble();
  const server = await serveFetch(graph.fetch);
  graph.baseUrl = graph.contentBase = server.address;
  const { library } = graph.site("hr");
  const folder = library.folder(library.root, "Rules");
  const mimeType = "text/markdown";
  for (let at = 0; at < count; at++) library.file(folder, ...noteOf(at), { mimeType });
  const share = (to: string[]) => library.change(folder, { grants: to.map((one) => user(one)) });
  const config = {
    ...graphConfig(graph, { siteId: "https://contoso.sharepoint.example/sites/hr" }),
    loginBaseUrl: server.address,
    clientSecret: graph.entra.secret,
  };
  return {
    name: "site",
    provider: "document_site",
    config,
    share,
    double: graph,
    watches: () => graph.subscriptions.live().length,
    server,
  };
}

type Provider = Awaited<ReturnType<typeof googleDrive> | ReturnType<typeof sharePoint>>;

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + LIMIT_MS;
  while (!(await isSo())) {
    if (Date.now() > giveUpAt) throw new Error(`not in time: ${what}`);
    await pause(POLL_MS);
  }
}

async function measure(of: Provider, { url, key }: Service, count: number) {
  const { double, name, config, provider, share } = of;
  share([ANN]);
  double.network.receive = async ({ address, headers, body }) => {
    const init = { method: "POST", headers, body };
    return (await fetch(url + new URL(address).pathname, init)).status;
  };
  const send = async <Reply>(path: string, body: object = {}) =>
    await postJson<Reply>(`${url}/panel/api${path}`, body, { Authorization: `Bearer ${key}` });
  await send("/file-sources", { name, provider, config, permissions: "on" });
  await send("/rags", { name, fileSource: name });
  const groups = { agents: [], inferences: [], rags: [name], reader: "named" };
  const { token } = await send<{ token: string }>("/tokens", { name, ...groups });
  const by = (reader: string) => ({ Authorization: `Bearer ${token}`, "Quarry-Reader": reader });
  const countFor = async (reader: string) => {
    const answer = await fetch(`${url}/api/rags/${name}`, { headers: by(reader) });
    return (await answer.json<{ processedFiles: number }>()).processedFiles;
  };
  const finds = async (words: string) => {
    const asked = { semanticSearch: [words] };
    type RetrievedTexts = { chunks: { text: string }[] };
    const address = `${url}/api/rags/${name}/retrieve`;
    const { chunks } = await postJson<RetrievedTexts>(address, asked, by(BOB));
    return chunks.some(({ text }) => text.includes(words));
  };
  await send(`/file-sources/${name}/scan`);
  await until("indexed", async () => (await countFor(ANN)) === count);
  await until("watched", () => of.watches() > 0);
  await pause(QUIET_MS);
  if ((await countFor(BOB)) > 0 || (await finds("note"))) throw new Error("he finds files already");
  double.asked.length = 0;
  share([ANN, BOB]);
  const startedAt = performance.now();
  await double.network.deliver();
  await until("found", () => finds("note"));
  const firstMs = performance.now() - startedAt;
  await until("all counted", async () => (await countFor(BOB)) === count);
  for (let at = 1; at <= SEARCHED; at++) {
    const last = Math.floor((count * at) / SEARCHED) - 1;
    await until("all found", () => finds(`numbered ${last}.`));
  }
  const allMs = performance.now() - startedAt;
  const downloads = double.asked.filter((asked) => /alt=media|download/.test(asked)).length;
  const calls = double.asked.length - downloads;
  return { provider, files: count, calls, downloads, firstMs, allMs };
}

/**
 * `npm run bench -- shared-folder [FILES]`: how soon a person finds the files of a folder that is
 * shared with that person, from the delivered notification on, in a fresh local service over the
 * doubles of Google Drive and SharePoint; with the provider's calls and downloads.
 */
export async function run([given]: string[]): Promise<Record<string, unknown>> {
  const count = Number(given ?? FILES);
  const results: Awaited<ReturnType<typeof measure>>[] = [];
  for (const open of [googleDrive, sharePoint]) {
    const of = await open(count);
    const vars = ["ALLOW_PRIVATE_URLS:true"];
    const { service, stop } = await startService(undefined, { vars, origin: ADDRESS });
    try {
      results.push(await measure(of, service, count));
    } finally {
      await stop();
      await of.server.stop();
    }
  }
  console.table(results);
  return { results };
}
