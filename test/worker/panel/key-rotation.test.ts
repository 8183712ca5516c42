import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";

import { seal, unseal } from "../../../src/access/seal.ts";
import { countSecrets, resealSecrets } from "../../../src/access/secrets/reseal-secrets.ts";
import { parseConfig } from "../../../src/config.ts";
import { jsonLog } from "../../../src/core/log.ts";
import { openDatabase } from "../../../src/db/sql.ts";

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const configOf = (current: number, previous?: number) =>
  parseConfig({
    ENCRYPTION_KEY: keyOf(current),
    ENCRYPTION_KEY_PREVIOUS: previous === undefined ? "" : keyOf(previous),
  });
const [old, rotated, later] = [configOf(1), configOf(2, 1), configOf(2)];
const db = openDatabase(env.DB);

const lines: { event: string }[] = [];
const services = (config: typeof rotated) => ({
  config,
  db,
  log: jsonLog((_level, line) => lines.push(JSON.parse(line))),
});

async function addSource(id: string, sealed: string | null) {
  await env.DB.prepare(
    `insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash,
       created_at, sealed_secrets) values (?1, ?1, ?1, 'document_site', '{}', '', 0, ?2)`,
  )
    .bind(id, sealed)
    .run();
}
async function sealedOf(id: string): Promise<string> {
  const statement = env.DB.prepare(
    "select sealed_secrets as sealed from file_sources where id = ?",
  );
  return (await statement.bind(id).first<{ sealed: string }>())?.sealed ?? "";
}

beforeEach(async () => {
  lines.length = 0;
  await env.DB.prepare("delete from file_sources").run();
});

test("what the previous key sealed is sealed anew, a hundred a turn", async () => {
  const sealed = await seal(old, "hush");
  for (let at = 0; at < 101; at++) await addSource(`s${at}`, sealed);
  const current = await seal(rotated, "mine");
  await addSource("current", current);
  await addSource("none", null);
  await addSource("strange", await seal(configOf(9), "lost"));
  expect(await countSecrets({ config: rotated, db })).toEqual({
    sealedByPreviousKey: 101,
    unreadable: 1,
  });
  await resealSecrets(services(rotated));
  expect(lines.at(-1)).toMatchObject({ resealed: 100, sealedByPreviousKey: 1, unreadable: 1 });
  await resealSecrets(services(rotated));
  expect(lines.at(-1)).toMatchObject({ resealed: 1, sealedByPreviousKey: 0, unreadable: 1 });
  expect(await sealedOf("current")).toBe(current);
  expect(await unseal(later, await sealedOf("s100"))).toBe("hush");
  expect(await countSecrets({ config: later, db })).toEqual({
    sealedByPreviousKey: 0,
    unreadable: 1,
  });
});

test("a model provider's key is sealed anew, too", async () => {
  const insert = "insert into provider_keys (name, sealed_key, set_at) values ('openai', ?, 0)";
  await env.DB.prepare(insert)
    .bind(await seal(old, "sk-1"))
    .run();
  await resealSecrets(services(rotated));
  const row = await env.DB.prepare("select sealed_key as sealed from provider_keys").first();
  expect(await unseal(later, String(row?.["sealed"]))).toBe("sk-1");
  await env.DB.prepare("delete from provider_keys").run();
});

test("a secret that is changed meanwhile keeps its change", async () => {
  await addSource("s", await seal(old, "before"));
  const changed = await seal(rotated, "after");
  const racing = {
    ...services(rotated),
    db: openDatabase({
      prepare: (sql: string) => env.DB.prepare(sql),
      async batch(statements: D1PreparedStatement[]) {
        const results = await env.DB.batch(statements);
        await env.DB.prepare("update file_sources set sealed_secrets = ?").bind(changed).run();
        return results;
      },
    } as unknown as D1Database),
  };
  await resealSecrets(racing);
  expect(await sealedOf("s")).toBe(changed);
  expect(lines.at(-1)).toMatchObject({ resealed: 0 });
});

test("a secret that cannot be opened stops no other", async () => {
  const sealed = await seal(old, "hush");
  await addSource("good", sealed);
  await addSource("broken", `${sealed.slice(0, -4)}AAAA`);
  await resealSecrets(services(rotated));
  expect(await unseal(later, await sealedOf("good"))).toBe("hush");
  expect(lines).toContainEqual(
    expect.objectContaining({ event: "secret cannot be opened", id: "broken" }),
  );
});

test("the sign-in provider's secret and refresh tokens are sealed anew, too", async () => {
  const sealed = await seal(old, "hush");
  await env.DB.batch([
    env.DB.prepare("insert into openid_provider values ('panel', '{}', ?, 0)").bind(sealed),
    env.DB.prepare("insert into users values ('u', 'u@x.test', '', 'member', 0, 0)"),
    env.DB.prepare(
      `insert into sessions (hash, user_id, id, created_at, last_seen_at, sealed_refresh_token)
        values ('h', 'u', 's', 0, 0, ?)`,
    ).bind(sealed),
  ]);
  await resealSecrets(services(rotated));
  const rows = await env.DB.prepare(
    "select sealed_secret as text from openid_provider union all select sealed_refresh_token from sessions",
  ).all<{ text: string }>();
  const secrets = rows.results.map(({ text }) => unseal(later, text));
  expect(await Promise.all(secrets)).toEqual(["hush", "hush"]);
  await env.DB.batch(["openid_provider", "users"].map((t) => env.DB.prepare(`delete from ${t}`)));
});
