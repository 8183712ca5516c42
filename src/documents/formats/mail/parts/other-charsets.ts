/** Decodes encodings of old mail that the Encoding Standard lacks; their bytes are all ASCII. */
export function decodeSevenBit(bytes: Uint8Array, charset: string): string | null {
  if (/^(unicode-1-1-)?utf-?7$/.test(charset)) return decodeUtf7(latin1(bytes));
  if (/^hz(-gb-2312)?$/.test(charset)) return decodeHz(latin1(bytes));
  return null;
}

const latin1 = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

/** `+` begins UTF-16 in base64, `-` or anything else ends it (RFC 2152). */
function decodeUtf7(text: string): string {
  return text.replace(/\+([A-Za-z0-9+/]*)-?/g, (_run, encoded: string) => {
    if (encoded === "") return "+";
    const units = atob(encoded.slice(0, encoded.length - (encoded.length % 4 === 1 ? 1 : 0)));
    const bytes = Uint8Array.from(units, (unit) => unit.charCodeAt(0));
    return new TextDecoder("utf-16be").decode(bytes.subarray(0, bytes.length & ~1));
  });
}

/** `~{` begins GB2312 without its high bits, `~}` ends it (RFC 1843). */
function decodeHz(text: string): string {
  const decoder = new TextDecoder("gbk");
  return text
    .replace(/~\{([!-w][!-~](?:[!-w][!-~])*)~\}/g, (_run, encoded: string) =>
      decoder.decode(Uint8Array.from(encoded, (half) => half.charCodeAt(0) | 0x80)),
    )
    .replace(/~(~|\n)/g, (_run, mark: string) => (mark === "~" ? "~" : ""));
}
