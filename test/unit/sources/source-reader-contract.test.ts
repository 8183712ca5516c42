import { SourceFailure } from "../../../src/ports/source-reader.ts";
import type { FetchClient } from "../../../src/sources/guarded-fetch.ts";
import { objectStorageReader } from "../../../src/sources/object-storage/object-storage-reader.ts";
import { RETRY_AFTER_SECONDS, sourceReaderContract } from "../../contract/ports/source-reader.ts";
import type { ReaderWorld } from "../../contract/ports/source-reader.ts";
import { ConfluenceDouble } from "../../doubles/confluence/confluence-double.ts";
import { confluenceSource } from "../../doubles/confluence/scanning.ts";
import { TOKEN } from "../../doubles/github/github-double.ts";
import { openRepository } from "../../doubles/github/scanning.ts";
import { GoogleDriveDouble } from "../../doubles/google-drive/google-drive-double.ts";
import { driveSource } from "../../doubles/google-drive/scanning.ts";
import { GraphDouble } from "../../doubles/microsoft-graph/graph-double.ts";
import { graphSource } from "../../doubles/microsoft-graph/scanning.ts";
import { block } from "../../doubles/notion/entries.ts";
import { NotionDouble } from "../../doubles/notion/notion-double.ts";
import { notionSource } from "../../doubles/notion/scanning.ts";
import { CREDENTIALS, startObjectStorage } from "../../doubles/object-storage/object-storage.ts";
import { FollowedSource } from "../../doubles/source/followed-source.ts";
import { knownNone } from "../../doubles/source/known-files.ts";
import { ScriptedSource } from "../../doubles/source/scripted-source.ts";
import { BASE, webSource } from "../../doubles/web-site/scanning.ts";
import { startWebSite, type Answer } from "../../doubles/web-site/web-site.ts";

const PAGE_SIZE = 4;
const FILES = 10;
/** A page of a crawl is 60 web pages. */
const WEB_PAGES = 65;
/** A page of a repository is 500 files. */
const GITHUB_FILES = 505;
/** A page of Notion's listing takes 30 calls. */
const NOTION_PAGES = 40;

const REFUSALS = {
  denied: { status: 403, headers: {} },
  throttled: { status: 429, headers: { "retry-after": String(RETRY_AFTER_SECONDS) } },
};

async function objectStorageWorld(): Promise<ReaderWorld> {
  const storage = await startObjectStorage("library");
  const current = new Map<string, string>();
  let refusal: keyof typeof REFUSALS | null = null;
  const outgoing: FetchClient["fetch"] = async (input, init) =>
    refusal === null ? await fetch(input, init) : new Response(null, REFUSALS[refusal]);
  const { endpoint, bucket } = storage;
  const config = { endpoint, region: "us-east-1", bucket, prefix: "docs/", pathStyle: true };
  const to = { outgoing: { fetch: outgoing, allowPrivate: true }, now: () => 0 };
  const options = { ...to, known: knownNone, pageSize: PAGE_SIZE };
  return {
    async hold(files) {
      refusal = null;
      for (const path of current.keys()) if (!files.has(path)) await storage.remove(`docs/${path}`);
      for (const [path, text] of files) {
        if (current.get(path) !== text) await storage.put(`docs/${path}`, text);
      }
      current.clear();
      for (const [path, text] of files) current.set(path, text);
    },
    newReader: () => objectStorageReader(config, CREDENTIALS, options),
    fail: (kind) => {
      refusal = kind;
    },
    secrets: Object.values(CREDENTIALS),
    stop: () => storage.stop(),
  };
}

async function webWorld(): Promise<ReaderWorld> {
  const site = await startWebSite();
  const startUrls = Array.from({ length: WEB_PAGES }, (_, number) => webPath(number));
  const source = webSource(site.port, { startUrls, maxDepth: 0 });
  const headers = { "content-type": "text/plain" };
  return {
    async hold(files) {
      site.routes.clear();
      for (const [path, body] of files) {
        site.routes.set(path.slice(BASE.length), { headers, body });
      }
      for (const path of startUrls) if (!files.has(path)) site.routes.delete(path);
      // Nothing of an earlier crawl is opened in place of the site.
      source.store.entries.clear();
    },
    newReader: () => source.newReader(),
    fail(kind) {
      const refusal: Answer = REFUSALS[kind];
      for (const path of site.routes.keys()) site.routes.set(path, refusal);
    },
    stop: () => site.stop(),
  };
}

const webPath = (number: number) => `${BASE}/file-${number}.txt`;

async function scriptedWorld(): Promise<ReaderWorld> {
  const source = new ScriptedSource();
  source.pageSize = PAGE_SIZE;
  return {
    async hold(files) {
      source.failures.clear();
      source.set(Object.fromEntries(files));
    },
    newReader: () => source,
    fail: (kind) => source.failures.set(0, failureOf(kind)),
  };
}

async function followedWorld(): Promise<ReaderWorld> {
  const source = new FollowedSource();
  source.pageSize = PAGE_SIZE;
  return {
    async hold(files) {
      source.failures.clear();
      for (const path of source.files.keys()) if (!files.has(path)) source.remove(path);
      for (const [path, text] of files) {
        if (source.files.get(path)?.text !== text) source.change(path, text);
      }
    },
    newReader: () => source,
    fail: (kind) => source.failures.set(0, failureOf(kind)),
  };
}

function failureOf(kind: "denied" | "throttled") {
  const waitMs = kind === "throttled" ? RETRY_AFTER_SECONDS * 1_000 : null;
  return new SourceFailure(kind, "told to fail", waitMs);
}

/** As far as the doubles of both kinds of drives are alike. */
type HeldDrive = {
  childrenOf(folder: string): { id: string; name: string; content: string }[];
  file(folder: string, name: string, text: string): string;
  change(id: string, to: { content: string }): void;
  delete(id: string): void;
};

function holdIn(drive: HeldDrive, folder: string, files: Map<string, string>): void {
  const current = new Map(drive.childrenOf(folder).map((item) => [`folder/${item.name}`, item]));
  for (const [path, { id }] of current) if (!files.has(path)) drive.delete(id);
  for (const [path, text] of files) {
    const existing = current.get(path);
    if (existing === undefined) drive.file(folder, path.slice("folder/".length), text);
    else if (existing.content !== text) drive.change(existing.id, { content: text });
  }
}

/** A drive whose folder `folder/` holds all files. */
async function driveWorld(): Promise<ReaderWorld> {
  const drive = await GoogleDriveDouble.open();
  drive.pageSize = PAGE_SIZE;
  const folder = drive.folder(drive.root, "folder");
  const source = driveSource(drive);
  return {
    async hold(files) {
      drive.failures.length = 0;
      holdIn(drive, folder, files);
    },
    newReader: () => source.reader(),
    fail(kind) {
      const reason = kind === "denied" ? "domainPolicy" : "userRateLimitExceeded";
      const headers = { "retry-after": String(RETRY_AFTER_SECONDS) };
      drive.fail({ path: /drive/, status: 403, reason, headers, times: 100 });
    },
    secrets: [drive.account.privateKey],
  };
}

/** A library whose folder `folder/` holds all files. */
async function libraryWorld(): Promise<ReaderWorld> {
  const graph = new GraphDouble();
  const drive = graph.drive("Documents");
  drive.pageSize = PAGE_SIZE;
  const folder = drive.folder(drive.root, "folder");
  const source = graphSource(graph, { driveId: drive.id });
  return {
    async hold(files) {
      graph.failures.length = 0;
      holdIn(drive, folder, files);
    },
    newReader: () => source.reader(),
    fail(kind) {
      const status = kind === "denied" ? 403 : 429;
      const headers = { "retry-after": String(RETRY_AFTER_SECONDS) };
      graph.fail({ path: /v1.0/, status, headers, times: 100 });
    },
    secrets: [graph.entra.secret],
  };
}

/** A repository `folder` that holds all files. */
async function githubWorld(): Promise<ReaderWorld> {
  const { double, own, source } = openRepository();
  own.name = "folder";
  return await Promise.resolve({
    async hold(files) {
      double.failures.length = 0;
      own.change((entries) => {
        entries.clear();
        for (const [path, content] of files) {
          entries.set(path.slice("folder/".length), { content, mode: "100644" });
        }
      });
      // No blob outlives the files.
      own.forget({ keepsCommits: true });
    },
    newReader: () => source.reader(),
    fail(kind) {
      const headers = { "retry-after": String(RETRY_AFTER_SECONDS) };
      double.fail({
        path: /./,
        status: 403,
        times: 100,
        ...(kind === "denied" ? {} : { headers }),
      });
    },
    secrets: [TOKEN],
  });
}

/** A page `folder` whose attachments are all files. */
async function confluenceWorld(): Promise<ReaderWorld> {
  const site = new ConfluenceDouble();
  site.pageSize = PAGE_SIZE;
  const page = site.page(site.space("ENG"), "folder", "");
  const source = confluenceSource(site);
  return {
    async hold(files) {
      site.failures.length = 0;
      const current = new Map(
        site.childrenOf(page).map((each) => [`ENG/folder/${each.title}`, each]),
      );
      for (const [path, { id }] of current) if (!files.has(path)) site.remove(id, "trashed");
      for (const [path, body] of files) {
        const attachment = current.get(path);
        if (attachment === undefined) site.attach(page, path.slice("ENG/folder/".length), body);
        else if (attachment.body !== body) site.edit(attachment.id, { body });
      }
    },
    newReader() {
      const reader = source.reader();
      return {
        async list(cursor, signal) {
          const { files, ...listing } = await reader.list(cursor, signal);
          return { ...listing, files: files.filter(({ name }) => name.endsWith(".txt")) };
        },
        open: async (file, signal) => await reader.open(file, signal),
      };
    },
    fail(kind) {
      site.fail({ path: /wiki/, ...REFUSALS[kind], times: 100 });
    },
    secrets: [site.token],
  };
}

const notionPath = (number: number) => `File ${number}.md`;
const titleIn = (path: string) => path.replace(".md", "");

async function notionWorld(): Promise<ReaderWorld> {
  const notion = new NotionDouble();
  notion.pageSize = PAGE_SIZE;
  const source = notionSource(notion);
  return await Promise.resolve({
    async hold(files) {
      notion.failures.length = 0;
      // Nothing that an earlier listing read is opened in place of the workspace.
      source.store.entries.clear();
      notion.entries.clear();
      for (const [path, text] of files)
        notion.page(null, titleIn(path), [block("paragraph", text)]);
    },
    newReader: () => source.reader(),
    fail(kind) {
      const status = kind === "denied" ? 403 : 429;
      const headers = { "retry-after": String(RETRY_AFTER_SECONDS) };
      notion.fail({ path: /./, status, headers, times: 100 });
    },
    secrets: [notion.token],
  });
}

const refusing = { refuses: true, follows: false };
const following = { refuses: true, follows: true };

sourceReaderContract("object storage", { ...refusing, begin: objectStorageWorld, files: FILES });
const pages = { begin: webWorld, files: WEB_PAGES, pathOf: webPath };
sourceReaderContract("the web", { ...refusing, ...pages });
sourceReaderContract("Google Drive", { ...following, begin: driveWorld, files: FILES });
sourceReaderContract("SharePoint", { ...following, begin: libraryWorld, files: FILES });
sourceReaderContract("GitHub", { ...following, begin: githubWorld, files: GITHUB_FILES });
const attachmentPath = (number: number) => `ENG/folder/file-${number}.txt`;
const attachments = { begin: confluenceWorld, files: FILES, pathOf: attachmentPath };
sourceReaderContract("Confluence", { ...refusing, ...attachments });
sourceReaderContract("Notion", {
  ...refusing,
  begin: notionWorld,
  files: NOTION_PAGES,
  pathOf: notionPath,
  documentOf: (path, text) => `# ${titleIn(path)}\n\n${text}`,
});
sourceReaderContract("the scripted double", { ...refusing, begin: scriptedWorld, files: FILES });
sourceReaderContract("the followed double", { ...following, begin: followedWorld, files: FILES });
