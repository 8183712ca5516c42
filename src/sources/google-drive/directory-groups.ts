import { z } from "zod";

import { ApiClient, type ApiError } from "../api-client.ts";
import { advanced } from "../listing-advance.ts";
import { driveFailure, reasonIn } from "./drive-client.ts";

/*
 * https://developers.google.com/workspace/admin/directory/reference/rest/v1/members/list
 */
const API_BASE_URL = "https://admin.googleapis.com";
export const GROUPS_SCOPE = "https://www.googleapis.com/auth/admin.directory.group.member.readonly";
const ANSWER_LIMIT_BYTES = 1_024 * 1_024;
const MEMBERS_PER_PAGE = 200;

const memberList = z.object({
  members: z
    .array(
      z.object({ type: z.string(), email: z.string().optional(), status: z.string().optional() }),
    )
    .optional(),
  nextPageToken: z.string().optional(),
});

type Connection = ConstructorParameters<typeof ApiClient>[1] & { apiBaseUrl: string | undefined };

/** Reads memberships from Google's Directory API. */
export function directoryClient({ apiBaseUrl, ...connection }: Connection): ApiClient {
  const provider = {
    name: "Google Directory",
    baseUrl: `${new URL(apiBaseUrl ?? API_BASE_URL).href.replace(/\/$/, "")}/admin/directory/v1`,
    answerLimitBytes: ANSWER_LIMIT_BYTES,
    codeIn: reasonIn,
    explain: (error: ApiError) => driveFailure(error, REMEDY),
  };
  return new ApiClient(provider, connection);
}

const REMEDY = "give the service account the admin role Groups Reader";

/** The users of a group, those of groups in it included. @throws SourceFailure */
export async function directoryMembers(
  client: ApiClient,
  group: string,
  signal: AbortSignal,
): Promise<string[]> {
  const users: string[] = [];
  let pageToken: string | undefined;
  let advance: Awaited<ReturnType<typeof advanced>>;
  do {
    const query = { includeDerivedMembership: true, maxResults: MEMBERS_PER_PAGE, pageToken };
    const path = `groups/${encodeURIComponent(group)}/members`;
    const { members = [], nextPageToken } = await client.get(memberList, path, query, signal);
    for (const { type, email, status } of members) {
      if (type === "USER" && email !== undefined && status !== "SUSPENDED") users.push(email);
    }
    pageToken = nextPageToken;
    advance = await advanced(advance, { next: pageToken ?? null, entries: members.length });
  } while (pageToken !== undefined);
  return users;
}
