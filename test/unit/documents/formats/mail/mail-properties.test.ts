import * as fc from "fast-check";
import { expect, it } from "vitest";

import { base64, MAIL_HEAD, readMail } from "../../../../support/read-mail.ts";
import { SEED } from "../../../../support/seed.ts";

const ENCODINGS = ["7bit", "8bit", "base64", "quoted-printable"] as const;
type Encoding = (typeof ENCODINGS)[number];
/** A `pair` says the same as plain text and as HTML; a `file` and a `message` are attachments. */
type Node = Leaf | { kind: "mixed" | "message"; nodes: Node[] };
type Leaf = { kind: "plain" | "html" | "file" | "pair"; word: string; encoding: Encoding };

const encoding = fc.constantFrom(...ENCODINGS);
/** Words that look like boundaries, like headers and like escapes. */
const word = fc
  .tuple(
    fc.nat(9_999),
    fc.constantFrom("", "--B", "--BBx", "From: ", "=3D", "> ", "é", "\u{1f4ec}"),
  )
  .map(([number, before]) => `${before} w${number}`);
const { nodes } = fc.letrec<{ node: Node; nodes: Node[] }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.record({ kind: fc.constantFrom("plain", "html", "file", "pair"), word, encoding }),
    fc.record({ kind: fc.constant("mixed"), nodes: tie("nodes") }),
    fc.record({ kind: fc.constant("message"), nodes: tie("nodes") }),
  ),
  nodes: fc.array(tie("node"), { minLength: 1, maxLength: 4 }),
}));

function encoded(text: string, as: Encoding): string {
  if (as === "base64") return base64(text).replace(/.{20}/g, "$&\n");
  if (as !== "quoted-printable") return text;
  const escaped = text.replace(/[^\n -<>-~]/gu, (each) =>
    [...Buffer.from(each)].map((byte) => `=${byte.toString(16).padStart(2, "0")}`).join(""),
  );
  return escaped.replace(/[^=\n]{9}(?![^=]{0,2}$)/g, "$&=\n");
}

const leaf = (type: string, text: string, as: Encoding) =>
  `Content-Type: ${type}\nContent-Transfer-Encoding: ${as}\n\n${encoded(text, as)}`;

/** Boundaries that begin with those around them. */
function multipart(subtype: string, parts: string[], depth: number): string {
  const boundary = "B".repeat(depth + 1);
  const all = parts.map((part) => `--${boundary}\n${part}\n`).join("");
  return `Content-Type: multipart/${subtype}; boundary=${boundary}\n\nPreamble.\n${all}--${boundary}--\nEpilogue.`;
}

function render(node: Node, depth: number): string {
  if ("nodes" in node) {
    if (node.kind === "message") {
      return `Content-Type: message/rfc822\n\n${mail(node.nodes, depth + 1)}`;
    }
    const parts = node.nodes.map((each) => render(each, depth + 1));
    return multipart("mixed", parts, depth);
  }
  const { kind, word, encoding } = node;
  if (kind === "plain") return leaf("text/plain; charset=utf-8", `${word}\n\nMore.`, encoding);
  if (kind === "file") return leaf("text/plain; charset=utf-8; name=a.txt", word, encoding);
  const html = leaf("text/html; charset=utf-8", `<p>${word}</p>`, encoding);
  if (kind === "html") return html;
  return multipart("alternative", [leaf("text/plain", "Not this.", "7bit"), html], depth);
}

const mail = (nodes: Node[], depth = 0) =>
  MAIL_HEAD +
  multipart(
    "mixed",
    nodes.map((each) => render(each, depth + 1)),
    depth,
  );

/** The words of all texts, then those of all attachments. */
const wordsOf = (nodes: Node[]): string[] => [
  ...nodes.flatMap((node) => parts(node).texts),
  ...nodes.flatMap((node) => parts(node).attached),
];

function parts(node: Node): { texts: string[]; attached: string[] } {
  if ("nodes" in node) {
    if (node.kind === "message") return { texts: [], attached: wordsOf(node.nodes) };
    const all = node.nodes.map(parts);
    return {
      texts: all.flatMap(({ texts }) => texts),
      attached: all.flatMap(({ attached }) => attached),
    };
  }
  const words = node.word.match(/w\d+/) ?? [];
  return node.kind === "file" ? { texts: [], attached: words } : { texts: words, attached: [] };
}

it("any tree of parts is read whole and in order, whatever its line ends", async () => {
  await fc.assert(
    fc.asyncProperty(nodes, async (tree) => {
      const text = mail(tree);
      const { markdown, notes } = await readMail(text);
      expect(markdown.match(/w\d+/g) ?? []).toEqual(wordsOf(tree));
      expect(markdown).not.toMatch(/Preamble|Epilogue|Not this|Content-Type/);
      expect(notes).toEqual([]);
      const { markdown: withReturns } = await readMail(text.replaceAll("\n", "\r\n"));
      expect(withReturns).toBe(markdown);
    }),
    { numRuns: 150, seed: SEED },
  );
});

it("a message that ends anywhere is read up to there", async () => {
  await fc.assert(
    fc.asyncProperty(nodes, fc.double({ min: 0, max: 1, noNaN: true }), async (tree, share) => {
      const whole = mail(tree);
      const cut = whole.slice(0, MAIL_HEAD.length + share * (whole.length - MAIL_HEAD.length));
      const expected = wordsOf(tree);
      const { markdown } = await readMail(cut);
      for (const token of markdown.match(/w\d+\b/g)?.slice(0, -1) ?? []) {
        expect(expected).toContain(token);
      }
    }),
    { numRuns: 100, seed: SEED },
  );
});
