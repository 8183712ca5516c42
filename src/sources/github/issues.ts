import { z } from "zod";

import { timeIn } from "../../core/time.ts";
import { missingFile, type ListedFile, type OpenedFile } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { openText } from "../guarded-fetch.ts";
import { listedItems } from "../listed-items.ts";
import { BLOCKED, PER_PAGE } from "./github-client.ts";
import type { Repository } from "./repositories.ts";

/** GitHub names an author who deleted the account so. */
const login = z.preprocess((user) => user ?? { login: "ghost" }, z.object({ login: z.string() }));
const label = z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]);
const text = z.object({ user: login, body: z.string().nullish(), created_at: z.string() });

/** https://docs.github.com/rest/issues/issues: pull requests are among them. */
const names = z.object({ id: z.number(), number: z.number(), title: z.string() });
const heading = names.extend({ state: z.string(), user: login });
const dates = z.object({ html_url: z.string(), updated_at: z.string(), comments: z.number() });
const kinds = z.object({ labels: z.array(label), pull_request: z.unknown().optional() });
const issue = heading.extend(dates.shape).extend(kinds.shape);
export const issuePage = listedItems(issue, "number");
const MAX_COMMENTS = 1_000;

/** Statuses where issues are disabled; a repository that was renamed just now answers 301. */
export const NO_ISSUES = [404, 410, BLOCKED];
/** Statuses where one was deleted or transferred. */
export const NO_ISSUE = [301, ...NO_ISSUES];

/**
 * Issues since a time, the earliest change first. One that changes meanwhile moves to the end, so
 * that `page` counts within one time only: else the next page would begin one too late.
 */
export function issuesAddress(client: ApiClient, path: string, since: string, page: number) {
  const order = { state: "all", sort: "updated", direction: "asc", per_page: PER_PAGE, page };
  return client.address(`${path}/issues`, { ...order, since: since === "" ? undefined : since });
}

export const issueId = ({ id }: Repository, number: string) => `${id}#${number}`;
export const isIssue = ({ externalId }: ListedFile) => /^\d+#\d+$/.test(externalId ?? "");
/** Paths of files that an issue may have, too. */
export const OF_ISSUE = /^issues\/\d+\.md$/;

/** `filePaths`: an issue makes way for a file of its path. */
export function fileOfIssue(own: Repository, each: z.infer<typeof issue>, filePaths: string[]) {
  const { number, state, labels, user: author, html_url: url, updated_at: updatedAt } = each;
  const folder = `${own.name}/issues/`;
  const name = filePaths.includes(`${folder}${number}.md`) ? `${number}-issue.md` : `${number}.md`;
  const path = `${folder}${name}`;
  const facts = { size: 0, mimeType: "text/markdown", modifiedAt: timeIn(updatedAt) };
  const version = `${updatedAt}/${each.comments}/${each.id}`;
  const metadata = { state, labels, author: author.login };
  const externalId = issueId(own, String(number));
  return { path, name, externalId, url, ...facts, version, metadata, sourceState: null };
}

const numberIn = (externalId: string | null) => externalId?.split("#")[1] ?? "";

/** An issue with its comments as one document; `address`: of its repository. */
export async function openIssue(
  client: ApiClient,
  address: string,
  { externalId, version }: ListedFile,
): Promise<OpenedFile> {
  const number = numberIn(externalId);
  const schema = issue.extend(text.shape);
  const own = await client.find(schema, `${address}/issues/${number}`, { absent: NO_ISSUE });
  // Another repository may have taken the name since, with other readers.
  const isSame = own !== null && version.endsWith(`/${own.id}`);
  if (!isSame) throw missingFile("GitHub: issue");
  const isPull = own.pull_request !== undefined;
  const lists = [...(own.comments > 0 ? ["issues"] : []), ...(isPull ? ["pulls"] : [])];
  const kind = `${isPull ? "Pull request" : "Issue"} #${number}, ${own.state}`;
  const labels = own.labels.length > 0 ? [`Labels: ${own.labels.join(", ")}`] : [];
  const author = `Author: ${own.user.login}, ${own.created_at}`;
  const parts = [`# ${own.title}`, kind, author, ...labels, own.body ?? ""];
  for (const list of lists) {
    const first = `${address}/${list}/${number}/comments?per_page=${PER_PAGE}`;
    const comments = await client.all(z.array(text), first, { limit: MAX_COMMENTS });
    for (const { user, created_at: at, body } of comments ?? [])
      parts.push(`## ${user.login}, ${at}`, body ?? "");
  }
  return openText(parts.join("\n\n"));
}
