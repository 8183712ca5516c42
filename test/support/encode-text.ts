/** The inverse of a decoder for characters of one and two bytes. */
export function encode(text: string, encoding: string): Uint8Array {
  const decoder = new TextDecoder(encoding);
  const codes = new Map<string, number[]>();
  for (let first = 0xff; first >= 0; first--) {
    const seconds = first > 0x80 ? 0xfe : 0;
    for (let second = 0x40; second <= seconds; second++) {
      const character = decoder.decode(Uint8Array.of(first, second));
      if (character.length === 1) codes.set(character, [first, second]);
    }
    codes.set(decoder.decode(Uint8Array.of(first)), [first]);
  }
  return Uint8Array.from([...text].flatMap((character) => codes.get(character) ?? [0x3f]));
}
