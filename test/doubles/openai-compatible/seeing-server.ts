import { inflateSync } from "node:zlib";

import { decodeJpeg } from "#picture-decoders";

/** Three by four cells, dark or light: the upper left one is dark, the other corners are light. */
const [COLUMNS, ROWS] = [3, 4];
const CORNERS = new Set([0, COLUMNS - 1, (ROWS - 1) * COLUMNS, ROWS * COLUMNS - 1]);

/** Whether a cell of the page of this number is dark. */
function isDark(number: number, cell: number): boolean {
  if (CORNERS.has(cell)) return cell === 0;
  const bits = Array.from({ length: COLUMNS * ROWS }, (_, at) => at).filter(
    (at) => !CORNERS.has(at),
  );
  return ((number >> bits.indexOf(cell)) & 1) === 1;
}

/** Whether a pixel of the picture of a page is dark. */
export const isDarkAt = (number: number, size: { width: number; height: number }) => {
  return (x: number, y: number) =>
    isDark(
      number,
      Math.floor((y * ROWS) / size.height) * COLUMNS + Math.floor((x * COLUMNS) / size.width),
    );
};

type Grey = { width: number; height: number; at: (x: number, y: number) => number };

/** PNG of grey or RGB, as far as the filters 0 and 2 go: https://www.w3.org/TR/png-3/ */
function decodePng(bytes: Uint8Array): Grey {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const [depth, channels] = [bytes[24] ?? 0, bytes[25] === 2 ? 3 : 1];
  const parts: Uint8Array[] = [];
  for (let at = 8; at < bytes.length; at += 12 + view.getUint32(at)) {
    const isData = Buffer.from(bytes.subarray(at + 4, at + 8)).toString() === "IDAT";
    if (isData) parts.push(bytes.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  const length = Math.ceil((width * channels * depth) / 8);
  const data = inflateSync(Buffer.concat(parts));
  if (data.length !== height * (length + 1)) throw new Error("the PNG is not whole");
  for (let y = 0; y < height; y++) {
    const start = y * (length + 1) + 1;
    if (data[start - 1] !== 2 || y === 0) continue;
    for (let at = start; at < start + length; at++)
      data[at] = ((data[at] ?? 0) + (data[at - length - 1] ?? 0)) & 255;
  }
  const at = (x: number, y: number) => {
    const start = y * (length + 1) + 1;
    if (depth === 1) return ((data[start + (x >> 3)] ?? 0) & (128 >> (x & 7))) === 0 ? 0 : 255;
    return data[start + x * channels] ?? 0;
  };
  return { width, height, at };
}

async function decode(bytes: Uint8Array, mediaType: string): Promise<Grey> {
  if (mediaType === "image/png") return decodePng(bytes);
  const { width, height, copy } = await decodeJpeg(bytes);
  const pixel = new Uint8ClampedArray(3);
  const at = (x: number, y: number) => (copy(x, y, pixel, 0), pixel[0] ?? 0);
  return { width, height, at };
}

/** The number of the page that a picture shows upright and whole; null: it does not. */
export async function pageShown(bytes: Uint8Array, mediaType: string): Promise<number | null> {
  const { width, height, at } = await decode(bytes, mediaType);
  if (width >= height) return null;
  const cells = Array.from({ length: COLUMNS * ROWS }, (_, cell) => {
    const [column, row] = [cell % COLUMNS, Math.floor(cell / COLUMNS)];
    const x = Math.floor(((column + 0.5) * width) / COLUMNS);
    return at(x, Math.floor(((row + 0.5) * height) / ROWS)) < 128;
  });
  const numbers = Array.from({ length: 256 }, (_, number) => number);
  return numbers.find((number) => cells.every((cell, at) => cell === isDark(number, at))) ?? null;
}

type Part = { type: string; image_url?: { url: string } };
type Body = { model: string; messages: { content: string | Part[] }[] };
type Answer = { text?: string; finish_reason?: string; status?: number };

const DATA = /^data:(image\/[a-z]+);base64,(.*)$/s;

/** A chat server whose model reads the pages that it knows, by what their pictures show. */
export class SeeingServer {
  readonly pages = new Map<number, string>();
  /** The pages whose pictures came, in this order. */
  readonly reads: (number | null)[] = [];
  /** Answers in place of a page's text. */
  readonly instead = new Map<number, Answer>();

  readonly fetch = async (_input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const page = await pageIn(await new Response(init?.body).json());
    this.reads.push(page);
    const pageText = this.pages.get(page ?? -1) ?? "an upside-down picture";
    const { text = pageText, finish_reason = "stop", status } = this.instead.get(page ?? -1) ?? {};
    if (status !== undefined) return new Response("{}", { status });
    const message = { role: "assistant", content: text };
    const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
    return Response.json({ choices: [{ index: 0, message, finish_reason }], usage });
  };
}

async function pageIn({ messages }: Body): Promise<number | null> {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const url = parts.find(({ type }) => type === "image_url")?.image_url?.url ?? "";
  const [, mediaType = "", data = ""] = DATA.exec(url) ?? [];
  return await pageShown(new Uint8Array(Buffer.from(data, "base64")), mediaType);
}
