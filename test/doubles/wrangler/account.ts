import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** A Cloudflare account's resources, as far as a deployment asks for them. */
export type Account = {
  loggedIn: boolean;
  accounts: { id: string; name: string }[];
  databases: { uuid: string; name: string }[];
  /** The next database gets this id. */
  nextDatabaseId: string;
  namespaces: { id: string; title: string }[];
  /** The next namespace gets this id. */
  nextNamespaceId: string;
  /** R2 is switched on once, in the dashboard. */
  hasR2: boolean;
  buckets: string[];
  queues: string[];
  indexes: { name: string; dimensions: number; metric: string; properties: string[] }[];
  /** Null: no such Worker yet. */
  secrets: string[] | null;
  /** Commands that fail as with a network that is down. */
  broken: string[];
  versionId: string;
  targets: string[];
};

/** An account in which nothing was made yet. */
export const EMPTY_ACCOUNT: Account = {
  loggedIn: true,
  accounts: [{ id: "0123456789abcdef", name: "Bog moss" }],
  databases: [],
  nextDatabaseId: "00000000-0000-0000-0000-000000000000",
  namespaces: [],
  nextNamespaceId: "00000000000000000000000000000000",
  hasR2: true,
  buckets: [],
  queues: [],
  indexes: [],
  secrets: null,
  broken: [],
  versionId: "11111111-2222-3333-4444-555555555555",
  targets: [],
};

const SCRIPT = join(import.meta.dirname, "wrangler.ts");

export type WranglerDouble = {
  /** Environment in which `wrangler` and `npx wrangler` are the double. */
  environment: Record<string, string>;
  account: () => Account;
  change: (changes: Partial<Account>) => void;
  /** The commands so far, one line each. */
  calls: () => string[];
  remove: () => void;
};

/** A `wrangler` on a path of its own, in front of the account. */
export function wranglerDouble(account: Partial<Account> = {}): WranglerDouble {
  const folder = mkdtempSync(join(tmpdir(), "quarry-wrangler-"));
  const file = join(folder, "account.json");
  const save = (value: Account) => writeFileSync(file, JSON.stringify(value));
  const readAccount = () => JSON.parse(readFileSync(file, "utf8")) as Account;
  save({ ...EMPTY_ACCOUNT, ...account });
  writeFileSync(`${file}.calls`, "");
  executable(join(folder, "wrangler"), `exec "${process.execPath}" "${SCRIPT}" "$@"`);
  executable(join(folder, "npx"), 'exec "$@"');
  return {
    environment: {
      PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}`,
      WRANGLER_DOUBLE: file,
      CLOUDFLARE_ACCOUNT_ID: "",
    },
    account: readAccount,
    change: (changes) => save({ ...readAccount(), ...changes }),
    calls: () => readFileSync(`${file}.calls`, "utf8").split("\n").filter(Boolean),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function executable(path: string, command: string): void {
  writeFileSync(path, `#!/bin/sh\n${command}\n`);
  chmodSync(path, 0o755);
}
