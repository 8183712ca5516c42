import { listen } from "../listen.ts";
import { EMPTY_ACCOUNT, type Account } from "../wrangler/account.ts";

const ACCOUNT_ID = "0123456789abcdef0123456789abcdef";
const PATH = `/client/v4/accounts/${ACCOUNT_ID}`;

type Answer = { status: number; body: unknown };

const ok = (result: unknown, more: object = {}): Answer => ({
  status: 200,
  body: { success: true, errors: [], messages: [], result, ...more },
});
const refusal = (status: number, code: number, message: string): Answer => ({
  status,
  body: { success: false, errors: [{ code, message }], messages: [], result: null },
});
const page = (list: unknown[]) =>
  ok(list, {
    result_info: { page: 1, per_page: 100, count: list.length, total_count: list.length },
  });

/** Answers wrangler's questions about a deployment, by the path below the account. */
function answerTo(account: Account, path: string, query: URLSearchParams): Answer | null {
  const [, bucket] = /^\/r2\/buckets\/([^/]+)$/.exec(path) ?? [];
  if (bucket !== undefined) return bucketOf(account, bucket);
  const [, indexed] = /^\/vectorize\/v2\/indexes\/([^/]+)\/metadata_index\/list$/.exec(path) ?? [];
  if (indexed !== undefined) return metadataIndexesOf(account, indexed);
  if (path === "/d1/database") return page(account.databases);
  if (path === "/storage/kv/namespaces") return page([]);
  if (path === "/queues") return queuesNamed(account, query.getAll("name"));
  if (path === "/vectorize/v2/indexes") {
    return ok(
      account.indexes.map(({ name, dimensions, metric }) => ({
        name,
        config: { dimensions, metric },
      })),
    );
  }
  return path.endsWith("/secrets") ? secretsOf(account) : null;
}

function bucketOf({ hasR2, buckets }: Account, name: string): Answer {
  if (!hasR2) return refusal(403, 10_042, "Please enable R2 through the Cloudflare Dashboard.");
  if (!buckets.includes(name)) {
    return refusal(404, 10_006, "The specified bucket does not exist.");
  }
  return ok({ name, location: "WEUR", creation_date: "2026-01-01", storage_class: "Standard" });
}

function metadataIndexesOf({ indexes }: Account, name: string): Answer {
  const { properties = [] } = indexes.find((index) => index.name === name) ?? {};
  return ok({
    metadataIndexes: properties.map((propertyName) => ({ propertyName, indexType: "String" })),
  });
}

function queuesNamed({ queues }: Account, names: string[]): Answer {
  const matches = queues.filter((name) => names.includes(name));
  return page(
    matches.map((name) => ({
      queue_id: name,
      queue_name: name,
      created_on: "2026-01-01",
      producers: [],
      producers_total_count: 0,
      consumers: [],
      consumers_total_count: 0,
    })),
  );
}

function secretsOf({ secrets }: Account): Answer {
  if (secrets === null) return refusal(404, 10_007, "This Worker does not exist on your account.");
  return ok(secrets.map((name) => ({ name, type: "secret_text" })));
}

const SIGNED_IN: Record<string, Answer> = {
  "/client/v4/user/tokens/verify": ok({ id: "token", status: "active" }),
  "/client/v4/user": ok({ id: "user", email: "owner@example.com" }),
  "/client/v4/accounts": page([{ id: ACCOUNT_ID, name: "Bog moss" }]),
  "/client/v4/memberships": page([{ id: "m", account: { id: ACCOUNT_ID, name: "Bog moss" } }]),
  "/client/v4/graphql": {
    status: 200,
    body: { data: { viewer: { accounts: [{ r2StorageAdaptiveGroups: [] }] } }, errors: null },
  },
};

/**
 * Cloudflare's API in front of an account, as far as the installed wrangler asks it before a
 * deployment (https://developers.cloudflare.com/api/); `environment` sends wrangler there.
 */
export async function cloudflareApi(changes: Partial<Account>) {
  const account: Account = { ...EMPTY_ACCOUNT, ...changes };
  const { address, stop } = await listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://api");
    const below = pathname.startsWith(PATH) ? pathname.slice(PATH.length) : "";
    const answer =
      SIGNED_IN[pathname] ??
      answerTo(account, below, searchParams) ??
      refusal(404, 7003, `Could not route to ${pathname}`);
    response.statusCode = answer.status;
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(answer.body));
  });
  return {
    environment: {
      CLOUDFLARE_API_BASE_URL: `${address}/client/v4`,
      CLOUDFLARE_API_TOKEN: "a".repeat(40),
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT_ID,
    },
    close: stop,
  };
}
