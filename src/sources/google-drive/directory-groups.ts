import { z } from "zod";

import { domainPrincipal, userPrincipal, type Principal } from "../../core/principals.ts";
import type { ApiClient } from "../api-client.ts";
import { pageOf } from "./drive-client.ts";

/** https://developers.google.com/workspace/admin/directory/reference/rest/v1/members/list */
const MEMBERS_PER_PAGE = 200;
const text = z.string().optional();
const member = z.object({ type: z.string(), email: text, status: text });
const memberPage = pageOf("members", z.array(member).default([]));

/**
 * The users of a group and of groups in it. All people of its customer are those of the group's own
 * domain: the API does not tell the customer's others. @throws SourceFailure
 */
export async function directoryMembers(client: ApiClient, group: string): Promise<Principal[]> {
  const path = `groups/${encodeURIComponent(group)}/members`;
  const query = { includeDerivedMembership: true, maxResults: MEMBERS_PER_PAGE };
  const addressOf = (pageToken: string | null) =>
    client.address(path, { ...query, pageToken: pageToken ?? undefined });
  const members = (await client.all(memberPage, addressOf, [])) ?? [];
  const principals = members.map(({ type, email = "", status }) => {
    if (type === "CUSTOMER") return domainPrincipal(group);
    return type === "USER" && status !== "SUSPENDED" ? userPrincipal(email) : null;
  });
  return principals.filter((one) => one !== null);
}
