import type { Step } from "../source/random-schedules.ts";
import type { GithubDouble } from "./github-double.ts";
import type { RepositoryDouble } from "./repository-double.ts";

const LOGINS = ["ann", "bob", "cat"];
const FOLDERS = ["", "docs/", "docs/deep/", "issues/"];

type Deed = (own: RepositoryDouble, step: Step, double: GithubDouble) => unknown;

/** Effects of the steps on one repository. */
const DEEDS: Record<string, Deed> = {
  write: (own, { pick, variant }) =>
    own.write(`${FOLDERS[variant % FOLDERS.length]}${pick % 4}.md`, `text ${pick % 9} ${variant}`),
  link: (own, { pick }) => own.write(`docs/${pick % 4}.md`, "docs", "120000"),
  remove: (own, { pick }) => {
    const path = [...own.files.keys()][pick % Math.max(1, own.files.size)];
    if (path !== undefined) own.remove(path);
  },
  move: (own, { variant }) =>
    own.change((files) => {
      for (const [path, file] of [...files].filter(([at]) => at.startsWith("docs/"))) {
        files.delete(path);
        files.set(path.replace("docs/", `moved-${variant % 2}/`), file);
      }
    }),
  force: (own, { pick }) => {
    own.write("forced.md", `${pick}`);
    own.forget();
  },
  issue: (own, { pick }) => own.issue(`Issue ${pick}`),
  comment: (own, { pick }) => {
    const issue = [...own.issues.values()][pick % Math.max(1, own.issues.size)];
    if (issue !== undefined) own.comment(issue, "bob", `${pick}`);
  },
  rename: (own, { pick }, double) => {
    const name = `r${pick % 4}`;
    const isFree = [...double.repositories.values()].every((each) => each.name !== name);
    if (isFree) own.name = name;
  },
  repository: (_own, { pick }, double) => {
    if (double.repositories.size > 3) return;
    double.repository(`new${double.repositories.size}-${pick}`, pick % 2 === 0).write("a.md", "a");
  },
  deleted: (own, _step, double) => {
    if (double.repositories.size > 1) double.repositories.delete(own.id);
  },
  hide: (own) => (own.isPrivate = !own.isPrivate),
  invite: (own, { pick, variant }) => {
    own.collaborators = LOGINS.slice(pick % 2, 1 + (variant % 3));
  },
  // Only a listing finds these.
  unissue: (own, { pick }) => own.issues.delete(1 + (pick % 3)),
};

/** An issue that is deleted, or meets a file that leaves its path again, is put right by a listing. */
export const needsListing = ({ kind, variant }: Step) =>
  kind === "unissue" || (kind === "write" && FOLDERS[variant % FOLDERS.length] === "issues/");

export function applyStep(double: GithubDouble, step: Step): void {
  const all = [...double.repositories.values()];
  const own = all[step.variant % all.length];
  if (own !== undefined) DEEDS[step.kind]?.(own, step, double);
}

/** Files that a reader should list, by external id: the path, the version, and who may read it. */
export function currentFiles(double: GithubDouble): Map<string, [string, string, string[]]> {
  const files = new Map<string, [string, string, string[]]>();
  for (const own of double.repositories.values()) {
    const people = own.collaborators.map((login) => `group:github-user:${login}`).sort();
    const readers = own.isPrivate ? people : ["everyone"];
    for (const [path, { content, mode }] of own.files) {
      if (mode === "120000") continue;
      files.set(`${own.id}:${path}`, [`${own.name}/${path}`, content, readers]);
    }
    for (const issue of own.issues.values()) {
      const { number, updated, comments } = issue;
      const isTaken = files.has(`${own.id}:issues/${number}.md`);
      const path = `${own.name}/issues/${number}${isTaken ? "-issue" : ""}.md`;
      files.set(`${own.id}#${number}`, [
        path,
        `${updated}/${comments.length}/${own.idOf(issue)}`,
        readers,
      ]);
    }
  }
  return files;
}
