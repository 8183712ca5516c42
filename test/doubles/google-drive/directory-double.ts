import { errorAnswer, json } from "./answers.ts";

/*
 * https://developers.google.com/workspace/admin/directory/reference/rest/v1/members/list
 */
const MAX_PAGE = 200;

/** As a member of a group: all people of the customer. */
export const EVERYBODY = "customer C0123";

/** Groups of an organization: addresses of users, and of groups in them. */
export class DirectoryDouble {
  readonly groups = new Map<string, string[]>();
  /** Whether the account has an admin role that reads groups. */
  mayRead = true;

  /** `GET groups/{key}/members` */
  members({ pathname, searchParams: query }: URL): Response {
    const [, key = ""] = /\/groups\/([^/]+)\/members$/.exec(pathname) ?? [];
    const group = decodeURIComponent(key);
    if (!this.mayRead) return errorAnswer(403, "forbidden");
    if (!this.groups.has(group)) return errorAnswer(404, "notFound");
    const isDeep = query.get("includeDerivedMembership") === "true";
    const all = [...(isDeep ? this.#derived(group) : (this.groups.get(group) ?? []))];
    const size = Math.min(MAX_PAGE, Number(query.get("maxResults") ?? MAX_PAGE));
    const from = Number(query.get("pageToken") ?? 0);
    const next = from + size < all.length ? { nextPageToken: String(from + size) } : {};
    const members = all.slice(from, from + size).map((email) => ({
      kind: "admin#directory#member",
      email: email === EVERYBODY ? undefined : email,
      type: this.groups.has(email) ? "GROUP" : email === EVERYBODY ? "CUSTOMER" : "USER",
      status: email.startsWith("left") ? "SUSPENDED" : "ACTIVE",
    }));
    return json({ kind: "admin#directory#members", members, ...next });
  }

  #derived(group: string, members = new Set<string>()): Set<string> {
    for (const member of this.groups.get(group) ?? []) {
      if (members.has(member)) continue;
      members.add(member);
      this.#derived(member, members);
    }
    return members;
  }
}
