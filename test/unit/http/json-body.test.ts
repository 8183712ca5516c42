import { Hono } from "hono";
import { expect, test } from "vitest";

import type { AppEnv } from "../../../src/http/app-env.ts";
import { handleError } from "../../../src/http/errors.ts";
import { jsonBody } from "../../../src/http/middleware/json-body.ts";

const LIMIT_BYTES = 20;

const app = new Hono<AppEnv>();
app.onError(handleError);
app.post("/", jsonBody(LIMIT_BYTES), async (context) => context.json(await context.req.json()));

/** A body whose length nobody announces, in pieces. */
function piecewise(...pieces: Uint8Array[]) {
  const rest = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = rest.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
  return { method: "POST", body, duplex: "half" } as RequestInit;
}

const bytes = (text: string) => new TextEncoder().encode(text);

test("a body without a length is counted as it comes", async () => {
  const fits = await app.request("/", piecewise(bytes('{"a":"123456'), bytes('7890"}')));
  expect(await fits.json()).toEqual({ a: "1234567890" });
  const tooLarge = await app.request("/", piecewise(bytes('{"a":"123456'), bytes('789012345"}')));
  expect([tooLarge.status, await tooLarge.json()]).toEqual([413, { error: "Payload too large" }]);
});

test("a body in chunks is counted, whatever length it announces", async () => {
  const announcing = (headers: Record<string, string>) =>
    app.request("/", { ...piecewise(bytes('{"a":"123456'), bytes('789012345"}')), headers });
  const chunked = { "Content-Length": "5", "Transfer-Encoding": "chunked" };
  expect((await announcing(chunked)).status).toBe(413);
  expect((await announcing({ "Content-Length": "five" })).status).toBe(413);
  expect((await announcing({ "Content-Length": "21" })).status).toBe(413);
  const fits = { ...piecewise(bytes('{"a":"é"}')), headers: { "Content-Length": "10" } };
  expect(await (await app.request("/", fits)).json()).toEqual({ a: "é" });
});

test("a character split between two pieces is put together", async () => {
  const [first, second] = [bytes('{"a":"é"}').slice(0, 7), bytes('{"a":"é"}').slice(7)];
  expect(await (await app.request("/", piecewise(first, second))).json()).toEqual({ a: "é" });
});

test("an absent body is an empty object", async () => {
  expect(await (await app.request("/", { method: "POST" })).json()).toEqual({});
});

test("a body with too many entries in its lists is refused, however they are spread", async () => {
  const large = new Hono<AppEnv>();
  large.onError(handleError);
  large.post("/", jsonBody(), (context) => context.json({}));
  const status = async (body: unknown) =>
    (await large.request("/", { method: "POST", body: JSON.stringify(body) })).status;
  const list = (length: number) => Array.from({ length }, () => "entry");
  expect(await status({ a: list(12_000), b: [{ c: list(7_000) }] })).toBe(200);
  expect(await status({ a: list(12_000), b: [{ c: list(8_000) }] })).toBe(400);
});
