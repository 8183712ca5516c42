/** A character of a legacy encoding and the code of one or two bytes that stands for it. */
export type Code = { code: number; bytes: number; character: string };

export function* encodedCharacters(encoding: string): Generator<Code> {
  const decoder = new TextDecoder(encoding);
  const decode = (...bytes: number[]) => decoder.decode(Uint8Array.from(bytes));
  const isSingle = (text: string) => text.length === 1 && text !== "\ufffd";
  for (let code = 0x20; code <= 0xff; code++) {
    const character = decode(code);
    if (code !== 0x7f && isSingle(character)) yield { code, bytes: 1, character };
  }
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    if (isSingle(decode(lead))) continue;
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      const character = decode(lead, trail);
      if (isSingle(character)) yield { code: (lead << 8) | trail, bytes: 2, character };
    }
  }
}
