import { z } from "zod";

import { SourceFailure } from "../../ports/source-reader.ts";
import { basicCredentials } from "../access-tokens.ts";
import { ApiClient, withoutSlash, type Api, type ApiError } from "../api-client.ts";
import { listedItems } from "../listed-items.ts";
import type { DriveOptions } from "../source-manifest.ts";
import type { ConfluenceConfig } from "./confluence-config.ts";

/*
 * https://developer.atlassian.com/cloud/confluence/rest/v2/intro/
 * https://developer.atlassian.com/cloud/confluence/rest/v1/intro/ for search, restrictions, groups
 * https://developer.atlassian.com/cloud/confluence/rate-limiting/
 */
export const V1 = "wiki/rest/api";
export const V2 = "wiki/api/v2";
/** Answers about what an account may not see, or a site does not have. */
export const ABSENT = [400, 403, 404];
const ANSWER_LIMIT_BYTES = 32 * 1_024 * 1_024;
const SPACES_PER_PAGE = 250;
const PEOPLE_PER_CALL = 100;

export function confluenceApi(
  { email, siteUrl, apiBaseUrl }: ConfluenceConfig,
  apiToken: string,
  { outgoing, now }: DriveOptions,
): Api {
  const provider = {
    name: "Confluence",
    baseUrl: apiBaseUrl === undefined ? new URL(siteUrl).origin : withoutSlash(apiBaseUrl),
    answerLimitBytes: ANSWER_LIMIT_BYTES,
    codeIn: () => "",
    remedyFor: ({ status }: ApiError) =>
      status < 500 ? (REMEDIES[status]?.(email) ?? "check siteUrl") : undefined,
  };
  const tokens = basicCredentials(email, apiToken);
  return (signal) => new ApiClient(provider, { outgoing, now, tokens }, signal);
}

const refusalText = () => "the API token is expired, revoked or of another account: make a new one";
const REMEDIES: Record<number, (email: string) => string> = {
  401: refusalText,
  403: (email) => `${email} may not read it, or its token lacks a scope`,
  404: (email) => `siteUrl is wrong, or ${email} may not see it`,
};

/** Of its link to the next page only the cursor is taken: no answer chooses where calls go. */
export const nextPage = z
  .object({ next: z.string().nullish() })
  .nullish()
  .transform((links, context) => {
    const query = links?.next ? URL.parse(links.next, "https://relative.invalid") : null;
    // Confluence does not encode each `+` of a cursor.
    const cursor = query?.searchParams.get("cursor")?.replaceAll(" ", "+");
    const next = cursor ?? query?.searchParams.get("start") ?? null;
    if (links?.next && !next) context.addIssue("a link without a cursor");
    return next;
  });

export const pageOf = <Item>(item: z.ZodType<Item>) =>
  z
    .object({ results: z.array(item), _links: nextPage })
    .transform(({ results, _links }) => ({ items: results, next: _links }));

export const spaceList = z.array(
  z.object({ id: z.string(), key: z.string(), homepageId: z.string().nullish() }),
);
export type Space = z.infer<typeof spaceList>[number];
const spacePage = z
  .object({ results: listedItems(spaceList.element), _links: nextPage })
  .transform(({ results, _links }) => ({ items: [results], next: _links }));

/** Confluence takes a refused token for an anonymous visitor, who may see an empty site. */
export async function requireAccount(client: ApiClient): Promise<void> {
  const { type } = await client.get(z.object({ type: z.string() }), `${V1}/user/current`, {});
  if (type === "anonymous") throw new SourceFailure("denied", `Confluence: ${refusalText()}`);
}

/** @throws SourceFailure when a space that is named is missing, or there are none */
export async function readSpaces(client: ApiClient, config: ConfluenceConfig) {
  await requireAccount(client);
  const { spaces: keys = [], email } = config;
  const query = { status: "current", limit: SPACES_PER_PAGE, keys: keys.join(",") || undefined };
  const address = client.address(`${V2}/spaces`, query);
  const pages = (await client.all(spacePage, address, { cursor: "cursor" })) ?? [];
  const spaces = pages.flatMap(({ items }) => items);
  const unread = pages.flatMap((page) => page.unread);
  const missing = keys.find((key) => !spaces.some((each) => each.key === key)) ?? "";
  if (spaces.length > 0 && (missing === "" || unread.length > 0)) return { spaces, unread };
  const [first] = unread;
  if (first !== undefined)
    throw new SourceFailure("down", `Confluence: space ${first.path}: ${first.message}`);
  throw new SourceFailure("denied", `Confluence: ${email} sees no space ${missing}`.trim());
}

const text = z.string().nullish();
const person = z.object({ accountId: z.string(), email: text, displayName: text });
const personPage = pageOf(person);

/** People by account id, as far as the account may see them. */
export async function readPeople(client: ApiClient, ids: string[]) {
  const people: z.infer<typeof person>[] = [];
  const address = client.address(`${V2}/users-bulk`);
  for (let at = 0; at < ids.length; at += PEOPLE_PER_CALL) {
    const request = { body: { accountIds: ids.slice(at, at + PEOPLE_PER_CALL) }, absent: ABSENT };
    people.push(...((await client.find(personPage, address, request))?.items ?? []));
  }
  return people;
}
