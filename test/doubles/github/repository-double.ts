import { createHash } from "node:crypto";

export type Person = { email?: string; verified?: string[] };

type File = { content: string; mode: string };
type Comment = { user: { login: string } | null; created_at: string; body: string | null };
type Issue = {
  number: number;
  title: string;
  state: string;
  labels: string[];
  login: string | null;
  body: string | null;
  isPull: boolean;
  created: string;
  updated: string;
  comments: Comment[];
  reviewComments: Comment[];
};
type Entry = { path: string; mode: string; type: string; sha: string; size?: number };

const sha1 = (text: string) => createHash("sha1").update(text).digest("hex");
const blobSha = (text: string) => sha1(`blob ${Buffer.byteLength(text)}\0${text}`);
const answer = (body: unknown, status = 200) => Response.json(body, { status });
const notFound = () => answer({ message: "Not Found" }, 404);

/** A repository with one branch; every change is a commit of its own. */
export class RepositoryDouble {
  readonly id: number;
  name: string;
  isPrivate: boolean;
  branch = "main";
  hasIssues = true;
  /** More entries than these are cut off a recursive tree. */
  treeLimit = 100_000;
  readonly files = new Map<string, File>();
  readonly issues = new Map<number, Issue>();
  collaborators: string[] = [];
  head = "";
  /** Commits whose trees are still there. */
  readonly commits = new Map<string, Map<string, File>>();
  readonly #blobs = new Map<string, string>();
  readonly #tick: () => string;
  #next = 1;

  constructor(id: number, name: string, isPrivate: boolean, tick: () => string) {
    this.id = id;
    this.name = name;
    this.isPrivate = isPrivate;
    this.#tick = tick;
  }

  write(path: string, content: string, mode = "100644"): void {
    this.change((files) => files.set(path, { content, mode }));
  }

  remove(path: string): void {
    this.change((files) => files.delete(path));
  }

  /** One commit with these changes. */
  change(edit: (files: Map<string, File>) => unknown): void {
    edit(this.files);
    for (const { content } of this.files.values()) this.#blobs.set(blobSha(content), content);
    this.head = sha1(`commit ${this.id} ${this.#tick()}`);
    this.commits.set(this.head, new Map(this.files));
  }

  /** A push by force, after which what is not on the branch is collected. */
  forget({ keepsCommits = false } = {}): void {
    for (const sha of this.commits.keys()) {
      if (sha !== this.head && !keepsCommits) this.commits.delete(sha);
    }
    const liveShas = new Set([...this.files.values()].map(({ content }) => blobSha(content)));
    for (const sha of this.#blobs.keys()) if (!liveShas.has(sha)) this.#blobs.delete(sha);
  }

  issue(title: string, facts: Partial<Issue> = {}): Issue {
    const at = this.#tick();
    const none = { state: "open", labels: [], login: "ann", body: null, isPull: false };
    const lists = { comments: [], reviewComments: [] };
    const number = this.#next++;
    const issue = { number, title, ...none, created: at, updated: at, ...lists, ...facts };
    this.issues.set(issue.number, issue);
    return issue;
  }

  edit(issue: Issue, facts: Partial<Issue>): void {
    Object.assign(issue, { updated: this.#tick() }, facts);
  }

  comment(issue: Issue, login: string | null, body: string): void {
    const at = this.#tick();
    issue.comments.push({ user: login === null ? null : { login }, created_at: at, body });
    issue.updated = at;
  }

  answerFor(owner: string) {
    return {
      id: this.id,
      name: this.name,
      full_name: `${owner}/${this.name}`,
      html_url: `https://github.example/${owner}/${this.name}`,
      private: this.isPrivate,
      default_branch: this.branch,
      owner: { login: owner },
    };
  }

  /** https://docs.github.com/rest/git/refs */
  reference(ref: string, at: string): Response {
    if (this.head === "") return answer({ message: "Git Repository is empty." }, 409);
    if (ref !== `heads/${this.branch}`) return notFound();
    const object = { type: "commit", sha: this.head, url: `${at}/git/commits/${this.head}` };
    return answer({ ref: `refs/${ref}`, url: `${at}/git/${ref}`, object });
  }

  /** https://docs.github.com/rest/git/trees: of a commit, a branch, or a folder of a commit. */
  tree(name: string, isRecursive: boolean, at: string): Response {
    const sha = name === this.branch ? this.head : name;
    const files = this.commits.get(sha) ?? this.#folderOf(sha);
    if (files === undefined) return notFound();
    const all = entriesOf(files);
    const entries = isRecursive ? all : all.filter(({ path }) => !path.includes("/"));
    const truncated = isRecursive && entries.length > this.treeLimit;
    const tree = truncated ? entries.slice(0, this.treeLimit) : entries;
    return answer({ sha, url: `${at}/git/trees/${sha}`, tree, truncated });
  }

  #folderOf(sha: string): Map<string, File> | undefined {
    for (const files of this.commits.values()) {
      const folder = entriesOf(files).find((each) => each.type === "tree" && each.sha === sha);
      if (folder !== undefined) return beneath(files, `${folder.path}/`);
    }
    return undefined;
  }

  /** https://docs.github.com/rest/git/blobs */
  blob(sha: string, accept: string): Response {
    const content = this.#blobs.get(sha);
    if (content === undefined) return notFound();
    if (accept.includes("raw")) {
      return new Response(content, { headers: { "content-type": "application/octet-stream" } });
    }
    const base64 = Buffer.from(content).toString("base64");
    return answer({ sha, size: Buffer.byteLength(content), encoding: "base64", content: base64 });
  }

  /** https://docs.github.com/rest/issues/issues */
  issuesFor(query: URLSearchParams, at: string) {
    const since = query.get("since") ?? "";
    const isOldestFirst = query.get("sort") === "updated" && query.get("direction") === "asc";
    const some = [...this.issues.values()]
      .filter(({ state }) => query.get("state") === "all" || state === "open")
      .filter(({ updated }) => updated >= since)
      .sort((a, b) =>
        a.updated < b.updated || (a.updated === b.updated && a.number < b.number) ? -1 : 1,
      );
    return (isOldestFirst ? some : some.reverse()).map((each) => this.shownIssue(each, at));
  }

  idOf = ({ number }: Issue) => this.id * 1_000 + number;

  shownIssue(issue: Issue, at: string) {
    const { number, title, state, body, created, updated, login } = issue;
    const html = `https://github.example/acme/${this.name}/issues/${number}`;
    return {
      id: this.idOf(issue),
      number,
      title,
      state,
      body,
      html_url: html,
      labels: issue.labels.map((name) => ({ id: 1, name, color: "ededed" })),
      user: login === null ? null : { login },
      comments: issue.comments.length,
      created_at: created,
      updated_at: updated,
      ...(issue.isPull ? { pull_request: { url: `${at}/pulls/${number}` } } : {}),
    };
  }
}

const beneath = (files: Map<string, File>, folder: string) =>
  new Map(
    Array.from(files)
      .filter(([path]) => path.startsWith(folder))
      .map(([path, file]) => [path.slice(folder.length), file]),
  );

const computed = new WeakMap<Map<string, File>, Entry[]>();

/** Every entry of a commit, folders too; a folder's name depends on all beneath. */
function entriesOf(files: Map<string, File>): Entry[] {
  const entries = computed.get(files) ?? computeEntries(files);
  computed.set(files, entries);
  return entries;
}

function computeEntries(files: Map<string, File>): Entry[] {
  const entries: Entry[] = [];
  const folders = new Set<string>();
  for (const [path, { content, mode }] of files) {
    const parts = path.split("/");
    for (let n = 1; n < parts.length; n++) folders.add(parts.slice(0, n).join("/"));
    const isModule = mode === "160000";
    const size = isModule ? {} : { size: Buffer.byteLength(content) };
    const sha = isModule ? sha1(content) : blobSha(content);
    entries.push({ path, mode, type: isModule ? "commit" : "blob", sha, ...size });
  }
  for (const path of folders) {
    const inner = [...beneath(files, `${path}/`)].sort(([a], [b]) => (a < b ? -1 : 1));
    entries.push({ path, mode: "040000", type: "tree", sha: sha1(JSON.stringify(inner)) });
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}
