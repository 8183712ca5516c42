import { errorAnswer, json } from "./answers.ts";

/*
 * https://learn.microsoft.com/graph/api/group-list-transitivemembers
 */
const MAX_PAGE = 999;

/** Members and owners are ids of groups, or addresses of users. */
export type Group = { mail: string | null; members: string[]; owners: string[] };

/** `GET groups`, `GET groups/{id}/transitiveMembers` and `…/owners` */
export function groupAnswer(
  groups: Map<string, Group>,
  path: string,
  query: URLSearchParams,
  base: string,
): Response {
  const [, mail] = /^mail eq '(.+)'$/.exec(query.get("$filter") ?? "") ?? [];
  if (path === "groups") {
    const matches = [...groups].filter(([, group]) => group.mail === mail);
    return json({ value: matches.map(([id]) => ({ id })) });
  }
  const [, id = "", relation] = /^groups\/([^/]+)\/(transitiveMembers|owners)$/.exec(path) ?? [];
  const group = groups.get(id);
  if (group === undefined) return errorAnswer(404, "Request_ResourceNotFound");
  const all = relation === "owners" ? group.owners : [...transitive(groups, id)];
  const size = Math.min(MAX_PAGE, Number(query.get("$top") ?? 100));
  const from = Number(query.get("$skiptoken") ?? 0);
  const rest = new URLSearchParams(query);
  rest.set("$skiptoken", String(from + size));
  const link = `${base}/v1.0/${path}?${rest.toString()}`;
  const next = from + size < all.length ? { "@odata.nextLink": link } : {};
  const value = all.slice(from, from + size).map((member) =>
    groups.has(member)
      ? { "@odata.type": "#microsoft.graph.group", id: member }
      : {
          "@odata.type": "#microsoft.graph.user",
          id: `id-${member}`,
          mail: member,
          userPrincipalName: member,
        },
  );
  return json({ value, ...next });
}

function transitive(groups: Map<string, Group>, id: string, members = new Set<string>()) {
  for (const member of groups.get(id)?.members ?? []) {
    if (members.has(member)) continue;
    members.add(member);
    transitive(groups, member, members);
  }
  return members;
}
