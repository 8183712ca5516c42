import type { Content, Person, Site } from "./site.ts";

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });

const CODES: Record<number, string> = { 401: "UNAUTHORIZED", 403: "FORBIDDEN", 404: "NOT_FOUND" };

export function refusal(status: number, headers: Record<string, string> = {}): Response {
  const code = CODES[status] ?? "ERROR";
  return json(
    { errors: [{ status, code, title: `It says ${code}`, detail: null }] },
    status,
    headers,
  );
}

/** A page of v2, whose next page a relative address names. Cursors may hold `+` and `=`. */
export function pageOf(
  items: unknown[],
  { path, query, size }: { path: string; query: URLSearchParams; size: number },
): Record<string, unknown> {
  const from = Number((query.get("cursor") ?? "at+0=").slice(3, -1));
  const end = from + Math.min(size, Number(query.get("limit") ?? 25));
  const parameters = new URLSearchParams(query);
  parameters.delete("cursor");
  const next = `${path}?${parameters.toString()}&cursor=at+${end}=`;
  return {
    results: items.slice(from, end),
    _links: end < items.length ? { next, base: "https://acme.example/wiki" } : {},
  };
}

export const user = ({ accountId, displayName, email }: Person) => ({
  type: "known",
  accountId,
  accountType: "atlassian",
  email,
  publicName: displayName,
  displayName,
});

export function linksOf(site: Site, content: Content) {
  const { key } = site.spaceOf(content);
  return { webui: `/spaces/${key}/pages/${content.id}/${encodeURIComponent(content.title)}` };
}

/** https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-page/ */
export function contentAnswer(site: Site, content: Content, format: string | null = null) {
  const { id, type, status, title, space, parent, body, version, modified } = content;
  const createdAt = new Date(modified).toISOString();
  const links = linksOf(site, content);
  const common = { id, status, title, version: { number: version, createdAt }, _links: links };
  if (type === "attachment") {
    const { mediaType } = content;
    const owner = site.content(parent ?? "").type === "blogpost" ? "blogPostId" : "pageId";
    const downloadLink = `/download/attachments/${parent}/${encodeURIComponent(title)}`;
    const fileSize = new TextEncoder().encode(body).length;
    return {
      ...common,
      [owner]: parent,
      mediaType,
      fileSize,
      fileId: `file-${id}`,
      webuiLink: links.webui,
      downloadLink,
    };
  }
  const above = parent === null ? null : site.content(parent);
  const place = type === "blogpost" ? {} : { parentId: parent, parentType: above?.type ?? null };
  const storage = { value: body, representation: "storage" };
  return {
    ...common,
    ...place,
    spaceId: space,
    ...(format === "storage" ? { body: { storage } } : {}),
  };
}

/** The read restrictions of one content, as v1 shows them. */
export function restrictionsOf(site: Site, { restrictions }: Content, limit: number) {
  const users = restrictions.users.flatMap((id) => site.people.get(id) ?? []).map(user);
  const groups = restrictions.groups.map((id) => ({ type: "group", name: `the group ${id}`, id }));
  const list = (results: unknown[]) => {
    const some = results.slice(0, limit);
    return { results: some, start: 0, limit, size: some.length };
  };
  return {
    operation: "read",
    restrictions: { user: list(users), group: list(groups) },
    _expandable: {},
    _links: {},
  };
}
