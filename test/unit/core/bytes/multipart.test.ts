import { expect, test } from "vitest";

import { boundaryOf, multipartParts } from "../../../../src/core/bytes/multipart.ts";

const LIMITS = { bodyBytes: 10_000, parts: 3, headerBytes: 200, partBytes: 40 };

function streamOf(text: string, pieceBytes: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + pieceBytes));
      at += pieceBytes;
    },
  });
}

async function readParts(body: string, pieceBytes = 1_000, limits = LIMITS) {
  const parts: { headers: Record<string, string>; body: string | null }[] = [];
  for await (const { headers, body: bytes } of multipartParts(
    streamOf(body, pieceBytes),
    "B",
    limits,
  )) {
    const text = bytes === null ? null : new TextDecoder().decode(bytes);
    parts.push({ headers: Object.fromEntries(headers), body: text });
  }
  return parts;
}

const part = (body: string, headers = "A: 1") => `--B\r\n${headers}\r\n\r\n${body}\r\n`;

test.each([1, 2, 7, 1_000])("parts are read in pieces of %i bytes", async (pieceBytes) => {
  const body = `a preamble\r\n--B \t\r\nX-Name: ü: ß\r\nCONTENT-TYPE:text/plain\r\n\r\nfirst\r\n${part("")}--B--\r\nan epilogue`;
  expect(await readParts(body, pieceBytes)).toEqual([
    { headers: { "x-name": "ü: ß", "content-type": "text/plain" }, body: "first" },
    { headers: { a: "1" }, body: "" },
  ]);
});

test("what only looks like a boundary belongs to the part", async () => {
  const text = "\r\n--A\r\n-B\r\n\r\n--\r--B\n--B\r\r\n-";
  expect(await readParts(`${part(text)}--B--`, 3)).toEqual([{ headers: { a: "1" }, body: text }]);
});

test("a part that is too long is left out, and the next one is read", async () => {
  const body = `${part("x".repeat(41))}${part("y".repeat(40))}--B--`;
  for (const pieceBytes of [5, 1_000]) {
    const parts = await readParts(body, pieceBytes);
    expect(parts.map((entry) => entry.body)).toEqual([null, "y".repeat(40)]);
  }
});

test.each(["base64", "Quoted-Printable"])("a part in %s is no file as it is", async (coding) => {
  const body = `${part("aGk=", `Content-Transfer-Encoding: ${coding}`)}--B--`;
  await expect(readParts(body)).rejects.toMatchObject({ kind: "unsupported-encoding" });
  const plain = `${part("aGk=", "Content-Transfer-Encoding: binary")}--B--`;
  expect((await readParts(plain)).map((entry) => entry.body)).toEqual(["aGk="]);
});

test("a body without parts has none", async () => {
  expect(await readParts("--B--")).toEqual([]);
});

test.each([
  ["ends within a part", "--B\r\nA: 1\r\n\r\nhalf"],
  ["has no boundary", "text"],
  ["is empty", ""],
  ["has no closing boundary", part("x")],
  ["has text behind a boundary", "--Boundary\r\nA: 1\r\n\r\nx\r\n--B--"],
  ["has a part without headers", "--B\r\n\r\nx\r\n\r\n--B--"],
  ["has endless headers", `${part("x", `A: ${"a".repeat(300)}`)}--B--`],
])("a body that %s is refused", async (_what, body) => {
  await expect(readParts(body)).rejects.toMatchObject({ kind: "invalid" });
});

test("a body of too many parts or bytes is refused", async () => {
  const four = `${part("x").repeat(4)}--B--`;
  await expect(readParts(four)).rejects.toMatchObject({ kind: "too-large" });
  const limits = { ...LIMITS, bodyBytes: 20 };
  await expect(readParts(`${part("x")}--B--`, 4, limits)).rejects.toMatchObject({
    kind: "too-large",
  });
});

test("the boundary is taken from the type, quoted or not", () => {
  expect(boundaryOf("multipart/form-data; boundary=abc")).toBe("abc");
  expect(boundaryOf('Multipart/Form-Data; charset=utf-8; Boundary="a b"')).toBe("a b");
  for (const type of ["text/plain", "multipart/mixed; boundary=a", "multipart/form-data", ""]) {
    expect(() => boundaryOf(type)).toThrow("multipart/form-data with a boundary");
  }
});
