import { createInflate } from "node:zlib";

import { Pace, yieldNow } from "../../core/work/cooperative.ts";
import type { Pixels } from "./paint-parts.ts";

/** An isolate has 128 MB, for the file and the picture that is made of it, too. */
const MAX_PIXEL_BYTES = 40e6;
const BYTES_BETWEEN_YIELDS = 1 << 18;

/** The chunks of a PNG as far as the file goes: https://www.w3.org/TR/png-3/ */
export function* pngChunks(view: DataView): Generator<{ name: number; at: number; end: number }> {
  for (let at = 8, end; at + 12 <= view.byteLength; at = end + 4) {
    end = at + 8 + view.getUint32(at);
    yield { name: view.getUint32(at + 4), at: at + 8, end };
  }
}

/** Null: it has a palette, samples of other than 8 bits or interlaced rows, or is too large. */
export function pngLayout(view: DataView) {
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const channels = [1, 0, 3, 0, 2, 0, 4][view.getUint8(25)] ?? 0;
  const isPlain = view.getUint8(24) === 8 && view.getUint8(28) === 0;
  if (!isPlain || channels === 0 || width * height * channels > MAX_PIXEL_BYTES) return null;
  return { width, height, channels };
}

/** The pixels of a PNG that has a layout, on white. */
export async function decodePng(file: Uint8Array): Promise<Pixels> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const { width, height, channels } = pngLayout(view) ?? { width: 0, height: 0, channels: 0 };
  const inflate = createInflate();
  for (const { name, at, end } of pngChunks(view))
    if (name === 0x49_44_41_54) inflate.write(file.subarray(at, end));
  const data = await unfiltered(inflate.end(), { width, height, channels });
  const copy: Pixels["copy"] = (column, row, line, to) => {
    const at = (row * width + column) * channels;
    const opacity = channels % 2 === 0 ? (data[at + channels - 1] ?? 0) / 255 : 1;
    for (let colour = 0; colour < 3; colour++) {
      const value = data[channels < 3 ? at : at + colour] ?? 0;
      line[to + colour] = 255 + (value - 255) * opacity;
    }
  };
  return { width, height, bits: channels < 3 ? 8 : 24, copy };
}

async function unfiltered(
  inflated: AsyncIterable<Uint8Array>,
  { width, height, channels }: { width: number; height: number; channels: number },
): Promise<Uint8Array> {
  const pace = new Pace(yieldNow, BYTES_BETWEEN_YIELDS);
  const rowBytes = width * channels;
  const data = new Uint8Array(rowBytes * height);
  let [at, filter] = [0, -1];
  for await (const part of inflated) {
    for (const byte of part) {
      if (filter < 0) filter = byte;
      else {
        const isFirst = at % rowBytes < channels;
        const previous = isFirst ? 0 : (data[at - channels] ?? 0);
        const corner = isFirst ? 0 : (data[at - rowBytes - channels] ?? 0);
        data[at] = byte + prediction(filter, previous, data[at - rowBytes] ?? 0, corner);
        if (++at % rowBytes === 0) filter = -1;
      }
    }
    if (at >= data.length) break;
    await pace.count(part.length);
  }
  return data;
}

/** The value that a filter subtracts from a byte. */
function prediction(filter: number, previous: number, up: number, corner: number): number {
  if (filter < 3) return [0, previous, up][filter] ?? 0;
  if (filter === 3) return (previous + up) >> 1;
  const [toLeft, toUp] = [Math.abs(up - corner), Math.abs(previous - corner)];
  const toCorner = Math.abs(previous + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return previous;
  return toUp <= toCorner ? up : corner;
}
