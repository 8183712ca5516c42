import { expect, test } from "vitest";

import { newToken } from "../../../src/access/credential-format.ts";
import { resourceMetadataUrl, resourceOf } from "../../../src/access/programs/addresses.ts";
import { findGrant } from "../../../src/access/programs/find-grant.ts";

/** Whatever is asked of it fails the test. */
const untouchable = new Proxy({} as Parameters<typeof findGrant>[0], {
  get(_target, name) {
    throw new Error(`${String(name)} was asked`);
  },
});

test.for([newToken(), "qry_wrong", "a:b:c", "::", null])(
  "The bearer %s is told from a connected program's by its form alone",
  async (bearer) => {
    expect(await findGrant(untouchable, bearer, "https://quarry.example")).toBeNull();
  },
);

test.for<[baseUrl: string, resource: string | null, metadata: string | null]>([
  [
    "https://quarry.example",
    "https://quarry.example/mcp",
    "https://quarry.example/.well-known/oauth-protected-resource/mcp",
  ],
  [
    "https://quarry.example/docs",
    "https://quarry.example/docs/mcp",
    "https://quarry.example/.well-known/oauth-protected-resource/docs/mcp",
  ],
  [
    "http://localhost:8787",
    "http://localhost:8787/mcp",
    "http://localhost:8787/.well-known/oauth-protected-resource/mcp",
  ],
  ["http://192.168.1.5:8787", null, null],
  ["http://localhost.evil.example", null, null],
])("At %s programs connect to %s", ([baseUrl, resource, metadata]) => {
  expect([resourceOf(baseUrl), resourceMetadataUrl(baseUrl)]).toEqual([resource, metadata]);
});
