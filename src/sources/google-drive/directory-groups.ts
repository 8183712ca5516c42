import { z } from "zod";

import type { ApiClient } from "../api-client.ts";
import { pageOf } from "./drive-client.ts";

/*
 * https://developers.google.com/workspace/admin/directory/reference/rest/v1/members/list
 */
const MEMBERS_PER_PAGE = 200;
const text = z.string().optional();
const member = z.object({ type: z.string(), email: text, status: text });
const memberPage = pageOf("members", z.array(member).default([]));

/** The users of a group, those of groups in it included. @throws SourceFailure */
export async function directoryMembers(client: ApiClient, group: string): Promise<string[]> {
  const path = `groups/${encodeURIComponent(group)}/members`;
  const query = { includeDerivedMembership: true, maxResults: MEMBERS_PER_PAGE };
  const addressOf = (pageToken: string | null) =>
    client.address(path, { ...query, pageToken: pageToken ?? undefined });
  const members = (await client.all(memberPage, addressOf, [])) ?? [];
  return members.flatMap(({ type, email, status }) =>
    type === "USER" && email !== undefined && status !== "SUSPENDED" ? [email] : [],
  );
}
