import { z } from "zod";

import { sha256Hex } from "../../core/hash.ts";
import { EVERYONE } from "../../core/principals.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { nullIfDenied, SourceFailure } from "../../ports/source-reader.ts";
import type { FileReaders, ReaderStore } from "../../ports/source-reader.ts";
import { withoutSlash, type ApiClient } from "../api-client.ts";
import { readJson, writeJson } from "../scan-state.ts";
import { storedReaders } from "../stored-readers.ts";
import { PER_PAGE } from "./github-client.ts";
import { API_BASE_URL, type GithubConfig } from "./github-config.ts";
import { pathMatcher } from "./path-patterns.ts";

const identity = z.object({ id: z.number(), name: z.string(), branch: z.string() });
const facts = identity.extend({ html_url: z.string(), private: z.boolean() });
const text = z.string().default("");
/**
 * A repository, and how far it is read: the commit whose files are read ("" for none) and the tag
 * of the answer that named it, when the newest issue had changed, and where those who may read it
 * are stored ("": nobody knows, unless it is public).
 */
export const repository = facts.extend({ head: text, tag: text, issuesSince: text, readers: text });
export type Repository = z.infer<typeof repository>;

/** A change of it changes every file of the repository. */
export const identityOf = (own: Repository) => JSON.stringify(facts.parse(own));

/** https://docs.github.com/rest/repos/repos and https://docs.github.com/rest/apps/installations */
const ownerFacts = z.object({
  owner: z.object({ login: z.string() }),
  default_branch: text.nullable(),
});
const listItem = facts.omit({ branch: true }).extend(ownerFacts.shape);
const repositoryPage = z.preprocess(
  (body) => z.object({ repositories: z.unknown() }).safeParse(body).data?.repositories ?? body,
  z.array(listItem),
);
const account = z.object({ type: z.string() });

/** Repositories of the owner that the settings name, in the order of their ids. */
export async function repositoriesOf(
  client: ApiClient,
  { owner, repositories: names = [], branch }: GithubConfig,
  isApp: boolean,
): Promise<Repository[]> {
  const lists = isApp ? ["installation/repositories"] : await listsOf(client, owner);
  const byId = new Map<number, Repository>();
  const isNamed = pathMatcher(names.length > 0 ? names.map((name) => name.toLowerCase()) : ["*"]);
  const isWanted = ({ name, owner: { login } }: z.infer<typeof listItem>) =>
    login.toLowerCase() === owner.toLowerCase() && isNamed(name.toLowerCase());
  for (const list of lists) {
    const address = client.address(list, { per_page: PER_PAGE });
    for (const each of (await client.all(repositoryPage, address)) ?? []) {
      const { default_branch: usual } = each;
      if (isWanted(each))
        byId.set(each.id, repository.parse({ ...each, branch: branch ?? usual ?? "" }));
    }
  }
  if (byId.size > 0) return [...byId.values()].sort((a, b) => a.id - b.id);
  const which = names.length === 0 ? "" : " with these names";
  throw new SourceFailure(
    "denied",
    `GitHub: the credential sees no repository of ${owner}${which}`,
  );
}

/**
 * In its private mode an Enterprise Server shows public repositories to nobody who has not signed in.
 * https://docs.github.com/enterprise/admin/installation/enabling-private-mode
 */
export async function closePublic(
  client: ApiClient,
  { owner, apiBaseUrl = API_BASE_URL }: GithubConfig,
  repositories: Repository[],
): Promise<void> {
  const all = repositories.filter((each) => !each.private);
  const [first] = all;
  if (first === undefined || withoutSlash(apiBaseUrl) === API_BASE_URL) return;
  const isOpen = await client.isPublic(client.address(`repos/${owner}/${first.name}`));
  for (const each of all) each.private = !isOpen;
}

/** A person's list has public repositories only; the credential's own has private ones. */
async function listsOf(client: ApiClient, owner: string): Promise<string[]> {
  const { type } = await client.get(account, `users/${owner}`, {});
  if (type === "Organization") return [`orgs/${owner}/repos`];
  return [`users/${owner}/repos`, "user/repos?visibility=private"];
}

/** https://docs.github.com/rest/collaborators/collaborators */
const collaborators = z.array(z.object({ login: z.string() }));
/** https://docs.github.com/graphql/reference/users */
const verified = z.array(z.string()).default([]);
const person = z.object({ email: text, organizationVerifiedDomainEmails: verified });
const people = z.object({
  data: z.record(z.string(), person.nullable()).nullable(),
  errors: z.array(z.object({ type: text })).default([]),
});
export const READERS = "readers/";

type Access = { client: ApiClient; graphql: ApiClient; store: ReaderStore; owner: string };

/** Stores who may read a private repository, unless they are those that have the key `before`. */
export async function storeReaders(access: Access, name: string, before = ""): Promise<string> {
  const { client, store, owner } = access;
  const query = { affiliation: "all", per_page: PER_PAGE };
  const address = client.address(`repos/${owner}/${name}/collaborators`, query);
  const listing = await client.all(collaborators, address).catch(nullIfDenied);
  const logins = listing?.map(({ login }) => login).sort() ?? null;
  const key = `${READERS}${await sha256Hex(JSON.stringify([name, logins]))}`;
  if (key === before) return key;
  const readers: FileReaders =
    logins === null
      ? { unreadable: "GitHub: only a credential with write access sees who may read it" }
      : { principals: await principalsOf(access, logins, `repository ${name}`) };
  await writeJson(store, key, readers);
  return key;
}

/** People by the addresses that the credential sees, else by their login as a group. */
async function principalsOf(access: Access, logins: string[], from: string) {
  const principals: { principal: string; from: string }[] = [];
  for (let at = 0; at < logins.length; at += PER_PAGE) {
    const some = logins.slice(at, at + PER_PAGE);
    const data = await addressesOf(access, some);
    for (const [n, login] of some.entries()) {
      const { email } = data[`u${n}`] ?? NOBODY;
      const { organizationVerifiedDomainEmails: emails } = data[`v${n}`] ?? NOBODY;
      const users = [...emails, email].filter(Boolean).map((address) => `user:${address}`);
      const names = users.length > 0 ? users : [`group:github-user:${login}`];
      principals.push(...names.map((principal) => ({ principal, from })));
    }
  }
  return principals;
}

async function addressesOf({ graphql, owner }: Access, logins: string[]) {
  // Apart from each other: an error in one takes the whole person away.
  const verifiedOf = `organizationVerifiedDomainEmails(login: "${owner}")`;
  const users = logins.flatMap((login, n) => {
    const user = `user(login: ${JSON.stringify(login)})`;
    return [`u${n}: ${user} { email }`, `v${n}: ${user} { ${verifiedOf} }`];
  });
  const body = { query: `{ ${users.join(" ")} }` };
  const reply = await graphql.ask(people, graphql.address("graphql"), { body });
  const failure = "error" in reply ? graphql.failure(reply.error) : null;
  if (failure !== null && failure.kind !== "denied") throw failure;
  const { data = null, errors = [] } = "answer" in reply ? reply.answer : {};
  if (!errors.some(({ type }) => type === "RATE_LIMITED")) return data ?? {};
  throw new SourceFailure("throttled", "GitHub: rate limit", MINUTE_MS);
}
const NOBODY = person.parse({});

export async function readersOf(store: ReaderStore, own: Repository) {
  const { readers, name } = own;
  if (!own.private) return { principals: [{ principal: EVERYONE, from: `repository ${name}` }] };
  return (await readJson(store, readers, storedReaders)) ?? { unreadable: "GitHub: not read yet" };
}
