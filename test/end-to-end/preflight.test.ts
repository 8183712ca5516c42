import { expect, test } from "vitest";

import { METADATA_INDEXES } from "../../src/adapters/cloudflare/vectorize-index.ts";
import { readDeploySettings } from "../../src/cli/deploy/settings.ts";
import { cloudflareApi } from "../doubles/cloudflare-api/cloudflare-api.ts";
import { runCli } from "./run-cli.ts";

type PrintedPreflight = {
  ready: boolean;
  findings: { what: string; state: string; note?: string }[];
};

const { database, queues } = readDeploySettings("production");

/** The installed wrangler in front of an account in which something of every kind is missing. */
test("the installed wrangler's answers tell what exists and what is missing", async () => {
  const [existingQueue, ...missing] = queues;
  const api = await cloudflareApi({
    databases: [{ name: database.name, uuid: database.id }],
    hasR2: false,
    queues: [existingQueue ?? ""],
    indexes: [
      {
        name: "quarry",
        dimensions: 1_024,
        metric: "cosine",
        properties: METADATA_INDEXES.slice(0, 4),
      },
    ],
    secrets: null,
  });
  try {
    const { code, stdout } = await runCli("deploy", ["--check", "--json"], api.environment);
    expect(code).toBe(1);
    const { findings, ready } = JSON.parse(stdout) as PrintedPreflight;
    expect(ready).toBe(false);
    const state = Object.fromEntries(findings.map(({ what, state }) => [what, state]));
    expect(state).toEqual({
      "sign-in": "there",
      variables: "there",
      "D1 database quarry": "there",
      "KV namespace quarry-programs": "missing",
      "R2 bucket quarry-files": "missing",
      [`queue ${existingQueue}`]: "there",
      ...Object.fromEntries(missing.map((name) => [`queue ${name}`, "missing"])),
      "Vectorize index quarry": "there",
      "metadata indexes of quarry": "missing",
      "secret ENCRYPTION_KEY": "missing",
      "secret PANEL_ADMIN_EMAIL": "missing",
      "secret PANEL_ADMIN_PASSWORD": "missing",
    });
  } finally {
    await api.close();
  }
});
