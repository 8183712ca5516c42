import { joinBytes } from "./join-bytes.ts";

/** Cuts bytes into pieces of equal length, views where one lies in a part; the last may be shorter. */
export async function* cutIntoPieces(bytes: AsyncIterable<Uint8Array>, length: number) {
  let [parts, size]: [Uint8Array[], number] = [[], 0];
  for await (const part of bytes) {
    for (let at = 0; at < part.length;) {
      const some = part.subarray(at, at + length - size);
      parts.push(some);
      [size, at] = [size + some.length, at + some.length];
      if (size < length) continue;
      yield parts.length === 1 ? some : joinBytes(parts);
      [parts, size] = [[], 0];
    }
  }
  if (size > 0) yield joinBytes(parts);
}
