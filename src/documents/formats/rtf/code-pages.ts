const byNumber = (pairs: string) =>
  new Map(
    pairs.split(" ").map((pair) => [Number.parseInt(pair), pair.replace(/^\d+:/, "")] as const),
  );

/** Encodings by Windows code page number, as `\ansicpg` names them. */
const BY_CODE_PAGE = byNumber(
  "866:ibm866 874:windows-874 932:shift_jis 936:gb18030 949:euc-kr 950:big5 10000:macintosh 10007:x-mac-cyrillic 20866:koi8-r 28592:iso-8859-2 65001:utf-8",
);

/** Encodings by the character set of a font (`\fcharset`). */
const BY_CHARSET = byNumber(
  "77:macintosh 128:shift_jis 129:euc-kr 134:gb18030 136:big5 161:windows-1253 162:windows-1254 163:windows-1258 177:windows-1255 178:windows-1256 186:windows-1257 204:windows-1251 222:windows-874 238:windows-1250",
);

const FIRST_WINDOWS_PAGE = 1250;
const LAST_WINDOWS_PAGE = 1258;

export function encodingOfCodePage(page: number): string {
  if (page >= FIRST_WINDOWS_PAGE && page <= LAST_WINDOWS_PAGE) return `windows-${page}`;
  return BY_CODE_PAGE.get(page) ?? "windows-1252";
}

/** Null: the document's own code page. */
export function encodingOfCharset(charset: number): string | null {
  return BY_CHARSET.get(charset) ?? null;
}
