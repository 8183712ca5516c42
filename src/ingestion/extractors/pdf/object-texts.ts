import { unzlibSync } from "fflate";
import { streamsOf } from "./stream-bounds.ts";

const MAX_BETWEEN_BYTES = 8 << 20;

/** The text of a PDF's objects: what stands between its streams and within object streams. */
export function* objectTexts(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder("latin1");
  let end = 0;
  for (const { dictionary, data, between } of streamsOf(bytes)) {
    end = data.byteOffset - bytes.byteOffset + data.byteLength;
    const [from, to] = between;
    yield decoder.decode(bytes.subarray(from, Math.min(to, from + MAX_BETWEEN_BYTES)));
    if (/\/ObjStm\b/.test(dictionary)) yield decoder.decode(inflated(data));
  }
  yield decoder.decode(bytes.subarray(end, end + MAX_BETWEEN_BYTES));
}

function inflated(data: Uint8Array): Uint8Array {
  try {
    return unzlibSync(data);
  } catch {
    return new Uint8Array();
  }
}
