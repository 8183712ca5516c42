import { z } from "zod";

import { EVERYONE, groupPrincipal, userPrincipal, type Principal } from "../../core/principals.ts";
import { SourceFailure, type FileReaders } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { ABSENT, pageOf, readPeople, V1, V2, type Space } from "./confluence-client.ts";

/*
 * https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-space-permissions/
 * https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-space-roles/
 * https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content-restrictions/
 * https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-group/
 */
const NAMES_PER_CALL = 200;
const USER = "user:";
const GROUP = "group:";
const VISITORS = "access_class:anonymous-users";
/** The group of one person whose e-mail Confluence hides. */
const PERSON = "confluence-user:";

/**
 * Permissions that were read: names by `space:` or `group:` and an id, the principal of a person by
 * `user:` and the account id. A name is one of these keys, or everyone.
 */
export const grants = z.record(z.string(), z.array(z.string()));
export type Grants = z.infer<typeof grants>;

const text = z.string().nullish();
/** A person has an account id, a group an id. */
const member = z.object({ accountId: text, id: text, email: text });
type Member = z.infer<typeof member>;
const memberPage = pageOf(member);
const memberList = z.object({ results: z.array(member), limit: z.number().nullish() });
export const restriction = z.object({
  restrictions: z.object({ user: memberList, group: memberList }),
});
/** Of a permission, or of a role. */
const holder = z.object({ type: text, id: text, principalType: text, principalId: text });
const operation = z.object({ key: z.string(), targetType: z.string() });
const grantPage = pageOf(z.object({ principal: holder.nullish(), operation: operation.nullish() }));

async function readMembers(client: ApiClient, group: string): Promise<Member[]> {
  const path = `${V1}/group/${encodeURIComponent(group)}/membersByGroupId`;
  const address = client.address(path, { limit: NAMES_PER_CALL });
  return (await client.all(memberPage, address, { cursor: "start" })) ?? [];
}

const principalFor = (accountId: string, email: string | null | undefined) =>
  (email ? userPrincipal(email) : groupPrincipal(`${PERSON}${accountId}`)) ?? "";

/** Principals in a group. @throws SourceFailure `denied` */
export async function groupMembers(client: ApiClient, group: string): Promise<Principal[]> {
  const members = group.startsWith(PERSON) ? [] : await readMembers(client, group);
  return members.map(({ accountId, email }) => principalFor(accountId ?? "", email));
}

/** People who may read a space, and whom each restriction from its root down to a page names. */
export class PageReaders {
  readonly #client: ApiClient;
  /** Where pages are shown to visitors. */
  readonly #site: string;
  readonly #grants: Grants;
  /** Names in the restrictions of contents, by their ids. */
  readonly restrictions: Grants;
  /** What may not be read, by the same keys: it is asked once, not for each page. */
  readonly #refusals = new Map<string, SourceFailure>();

  /** `restrictions` and `initial`, which is stored with the listing, grow with what is read. */
  constructor(client: ApiClient, site: string, initial: Grants, restrictions: Grants) {
    this.#client = client;
    this.#site = site;
    this.#grants = initial;
    this.restrictions = restrictions;
  }

  /** The names in an item's restrictions; null where an answer shows only the first. */
  take(id: string, { restrictions: { user, group } }: z.infer<typeof restriction>) {
    const isCut = [user, group].some(({ results, limit }) => results.length >= (limit ?? Infinity));
    const names = this.#namesOf([...user.results, ...group.results]);
    return isCut ? null : (this.restrictions[id] = names.length === 0 ? [EVERYONE] : names);
  }

  /** `chain`: ids of the page and of all above it. */
  async readersOf({ id, key }: Space, chain: string[]): Promise<FileReaders> {
    try {
      let names = await this.#readOnce(this.#grants, `space:${id}`, () => this.#readSpace(id));
      let from = `space ${key}`;
      for (const content of chain) {
        const own = await this.restrictionOf(content);
        if (!own.includes(EVERYONE)) from = "page restrictions";
        names = await this.#intersect(names, own);
      }
      const principals = await this.#principalsOf(names);
      return { principals: principals.map((principal) => ({ principal, from })) };
    } catch (thrown) {
      if (!(thrown instanceof SourceFailure) || thrown.kind !== "denied") throw thrown;
      return { unreadable: thrown.message };
    }
  }

  /** @throws SourceFailure `denied` where it may not be read, or names too many */
  async restrictionOf(content: string): Promise<string[]> {
    return await this.#readOnce(this.restrictions, content, () => this.#readRestriction(content));
  }

  /** Groups become people where neither side names all that the other does. */
  async #intersect(above: string[], own: string[]): Promise<string[]> {
    if (isWithin(own, above)) return own;
    if (isWithin(above, own)) return above;
    const people = new Set(await this.#peopleIn(above));
    return [...new Set(await this.#peopleIn(own))].filter((name) => people.has(name));
  }

  async #peopleIn(names: string[]): Promise<string[]> {
    const people: string[] = [];
    for (const name of names) {
      if (!name.startsWith(GROUP)) people.push(name);
      else for (const member of await this.#membersOf(name)) people.push(member);
    }
    return people;
  }

  async #membersOf(name: string): Promise<string[]> {
    const readNames = async () =>
      this.#namesOf(await readMembers(this.#client, name.slice(GROUP.length)));
    return await this.#readOnce(this.#grants, name, readNames);
  }

  async #readOnce(granted: Grants, key: string, read: () => Promise<string[]>): Promise<string[]> {
    const refusal = this.#refusals.get(key);
    if (refusal !== undefined) throw refusal;
    try {
      return (granted[key] ??= await read());
    } catch (thrown) {
      if (thrown instanceof SourceFailure && thrown.kind === "denied")
        this.#refusals.set(key, thrown);
      throw thrown;
    }
  }

  #namesOf(list: Member[]): string[] {
    return list.map(({ accountId, id, email }) => {
      if (accountId && email)
        this.#grants[`${USER}${accountId}`] = [principalFor(accountId, email)];
      return accountId ? `${USER}${accountId}` : `${GROUP}${id ?? ""}`;
    });
  }

  async #readRestriction(id: string): Promise<string[]> {
    const path = `${V1}/content/${id}/restriction/byOperation/read`;
    const names = this.take(
      id,
      await this.#client.get(restriction, path, { limit: NAMES_PER_CALL }),
    );
    if (names !== null) return names;
    throw new SourceFailure("denied", "Confluence: a restriction names too many to be read");
  }

  /** By permissions, and by the roles of sites that have them: each role lets its holders read. */
  async #readSpace(id: string): Promise<string[]> {
    const readAll = async (what: string, absent: number[]) => {
      const address = this.#client.address(`${V2}/spaces/${id}/${what}`, { limit: NAMES_PER_CALL });
      return (await this.#client.all(grantPage, address, { cursor: "cursor", absent })) ?? [];
    };
    const all = [await readAll("permissions", []), await readAll("role-assignments", ABSENT)];
    const names = all.flat().flatMap(({ principal: holder, operation: right }) => {
      const isReader = !right || (right.key === "read" && right.targetType === "space");
      const type = holder?.type ?? holder?.principalType ?? "";
      return isReader ? `${type.toLowerCase()}:${holder?.id ?? holder?.principalId ?? ""}` : [];
    });
    // The site may let no visitors in, whatever its spaces say.
    const isOpen =
      names.includes(VISITORS) &&
      (await this.#client.isPublic(`${this.#site}/api/v2/spaces/${id}`));
    if (isOpen) return [EVERYONE];
    const groups = names.filter((name) => name !== VISITORS);
    return groups.map((name) => name.replace(/^access_class:/, GROUP));
  }

  async #principalsOf(names: string[]): Promise<Principal[]> {
    const unknown = names.filter((name) => name.startsWith(USER) && !this.#grants[name]);
    const ids = unknown.map((name) => name.slice(USER.length));
    for (const id of ids) this.#grants[`${USER}${id}`] = [principalFor(id, null)];
    this.#namesOf(await readPeople(this.#client, ids));
    return names.flatMap((name) => {
      if (name.startsWith(USER)) return this.#grants[name] ?? [];
      return name === EVERYONE || name.startsWith(GROUP) ? name : [];
    });
  }
}

function isWithin(names: string[], others: string[]): boolean {
  const all = new Set(others);
  return all.has(EVERYONE) || names.every((name) => all.has(name));
}
