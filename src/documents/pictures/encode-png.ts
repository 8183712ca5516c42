import { crc32 } from "node:zlib";

import { joinBytes } from "../../core/bytes/join-bytes.ts";
import { MAX_PICTURE_BYTES, UnusablePicture, type Picture } from "./picture.ts";

/** PNG, third edition: https://www.w3.org/TR/png-3/ */
const SIGNATURE = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const [GREY, RGB] = [0, 2];
/** The filter that stores each byte as its difference to the one above. */
const UP = 2;
const ROWS_AT_ONCE = 64;

export type Raster = {
  width: number;
  height: number;
  /** 1: grey of one bit; 8: grey; 24: RGB. */
  bits: 1 | 8 | 24;
  /** Writes a row into `to`. */
  row: (y: number, to: Uint8Array) => void;
  /** Awaited between some rows. */
  pause: () => Promise<void>;
};

function chunk(name: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let at = 0; at < name.length; at++) bytes[4 + at] = name.charCodeAt(at);
  bytes.set(data, 8);
  view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
  return bytes;
}

/**
 * Row by row, so that no second copy of the picture is in memory, and none when the PNG is put
 * together, unless a caller awaits this instead of returning it. @throws UnusablePicture
 */
export function encodePng(raster: Raster): Promise<Picture> {
  return partsOf(raster).then((parts) => ({ bytes: joinBytes(parts), mediaType: "image/png" }));
}

async function partsOf(raster: Raster): Promise<Uint8Array[]> {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, raster.width);
  view.setUint32(4, raster.height);
  header[8] = raster.bits === 1 ? 1 : 8;
  header[9] = raster.bits === 24 ? RGB : GREY;
  const parts = [SIGNATURE, chunk("IHDR", header)];
  let size = 0;
  for await (const packed of rowsOf(raster).pipeThrough(new CompressionStream("deflate"))) {
    parts.push(chunk("IDAT", packed));
    if ((size += packed.length) > MAX_PICTURE_BYTES)
      throw new UnusablePicture("the picture is above 20 MiB");
  }
  return [...parts, chunk("IEND", new Uint8Array())];
}

function rowsOf({ width, height, bits, row, pause }: Raster) {
  const length = Math.ceil((width * bits) / 8);
  let [above, current] = [new Uint8Array(length), new Uint8Array(length)];
  let y = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await pause();
      const count = Math.min(ROWS_AT_ONCE, height - y);
      const out = new Uint8Array(count * (length + 1));
      for (let at = 0; at < out.length; at += length + 1) {
        row(y++, current);
        out[at] = UP;
        for (let byte = 0; byte < length; byte++)
          out[at + 1 + byte] = (current[byte] ?? 0) - (above[byte] ?? 0);
        [above, current] = [current, above];
      }
      controller.enqueue(out);
      if (y >= height) controller.close();
    },
  });
}
