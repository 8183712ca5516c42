import { z } from "zod";

import { userPrincipal, type Principal } from "../../core/principals.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { pageOf } from "./graph-client.ts";
import { OWNERS } from "./graph-permission.ts";

/** https://learn.microsoft.com/graph/api/group-list-transitivemembers */
const MEMBERS_PER_PAGE = 999;
const text = z.string().nullish();
const memberPage = pageOf(z.object({ "@odata.type": text, mail: text, userPrincipalName: text }));
const groupList = z.object({ value: z.array(z.object({ id: z.string() })) });
const USER = "#microsoft.graph.user";

const denied = (why: string) => new SourceFailure("denied", `Microsoft Entra: ${why}`);

/** The users of a group of Entra, those of groups in it included. @throws SourceFailure */
export async function entraMembers(client: ApiClient, group: string): Promise<Principal[]> {
  const isOwners = group.endsWith(OWNERS);
  const id = await groupId(client, isOwners ? group.slice(0, -OWNERS.length) : group);
  const path = `groups/${encodeURIComponent(id)}/${isOwners ? "owners" : "transitiveMembers"}`;
  const query = { $select: "id,mail,userPrincipalName", $top: MEMBERS_PER_PAGE };
  const first = client.address(path, query);
  const members = await client.all(memberPage, (next) => next ?? first, REFUSED);
  if (members === null) throw denied("grant the app GroupMember.Read.All to read its members");
  return members.flatMap(({ "@odata.type": type, mail, userPrincipalName }) => {
    if (type !== USER) return [];
    if (!userPrincipalName && !mail)
      throw denied("grant the app User.ReadBasic.All to read its members");
    const names = [mail, userPrincipalName].map((one) => userPrincipal(one ?? ""));
    return names.filter((one) => one !== null);
  });
}

export const REFUSED = [401, 403, 404];

/** Groups are named by id, or by address. */
async function groupId(client: ApiClient, name: string): Promise<string> {
  if (!name.includes("@")) return name;
  const $filter = `mail eq '${name.replaceAll("'", "''")}'`;
  const address = client.address("groups", { $filter, $select: "id" });
  const id = (await client.find(groupList, address, { absent: REFUSED }))?.value[0]?.id;
  if (id === undefined) throw denied("the app sees no group of this address");
  return id;
}
