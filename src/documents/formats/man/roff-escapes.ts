const CHARACTERS = new Map(
  (
    "hy- en– em— bu• ci○ sq□ aq' dq\" oq‘ cq’ lq“ rq” Bq„ bq‚ Fo« Fc» fo‹ fc› co© rg® tm™ de° +-± mu× di÷ " +
    "->→ <-← <>↔ ua↑ da↓ >=≥ <=≤ !=≠ ==≡ ~=≅ if∞ no¬ mi− pl+ eq= rs\\ sl/ ha^ ti~ ga` aa´ at@ sh# Do$ ba| " +
    "bv| br│ ul_ ru_ lB[ rB] lC{ rC} la⟨ ra⟩ Po£ Eu€ ct¢ Ye¥ sc§ ps¶ dg† dd‡ r!¡ r?¿ 12½ 14¼ 34¾ S1¹ S2² S3³ " +
    "ssß aeæ AEÆ oeœ OEŒ oaå oAÅ /oø /OØ -dð Tþ .iı *aα *bβ *gγ *dδ *lλ *mμ *pπ *sσ *wω *DΔ *SΣ *WΩ"
  )
    .split(" ")
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)]),
);
const ACCENTS: Record<string, string> = {
  "'": "\u0301",
  "`": "\u0300",
  "^": "\u0302",
  ":": "\u0308",
  "~": "\u0303",
  ",": "\u0327",
  v: "\u030c",
};

function characterNamed(name: string): string {
  const known = CHARACTERS.get(name);
  if (known !== undefined) return known;
  const codes = /^u([\dA-F]{4,6}(?:_[\dA-F]{4,6})*)$/.exec(name)?.[1];
  if (codes !== undefined) {
    const points = codes.split("_").map((code) => Number.parseInt(code, 16));
    return points.every((point) => point <= 0x10_ff_ff)
      ? String.fromCodePoint(...points).normalize("NFC")
      : "";
  }
  const accent = ACCENTS[name.charAt(0)];
  return name.length === 2 && accent !== undefined ? `${name[1]}${accent}`.normalize("NFC") : "";
}

const REFERENCE = /\\([*n])[-+]?(?:\((..)|\[([^\]]{0,200})\]|(.))/gs;
const ESCAPE =
  /\\(?:\((..)|\[([^\]]{0,200})\]|[fmMFYgk](?:\(..|\[[^\]]{0,200}\]|.)|s[-+]?(?:\(\d\d|\[[^\]]{0,9}\]|'[^']{0,9}'|\d{1,2})|[bhvlLDXNZHSARCwo]'[^']{0,2000}'|(.))/gs;
const SINGLE = new Map([..."-\\ '`._"].map((each) => [each, each]));
for (const each of "~0t") SINGLE.set(each, " ");
SINGLE.set("e", "\\");

/** Puts the values of strings and registers in place of references to them. */
export const withValues = (line: string, valueOf: (kind: string, name: string) => string) =>
  line.replace(REFERENCE, (_whole, kind: string, two?: string, long?: string, one?: string) =>
    valueOf(kind, two ?? long ?? one ?? ""),
  );

/** The characters that a line of roff prints; fonts, sizes and movements are left out. */
export function plainText(line: string): string {
  return line.replace(ESCAPE, (_whole, two?: string, long?: string, one = "") => {
    const name = two ?? long;
    return name === undefined ? (SINGLE.get(one) ?? "") : characterNamed(name);
  });
}

const ARGUMENT = /[ \t]*(?:"((?:[^"]|"")*)"?|((?:\\.|[^\s\\])+|\\$))/gsy;

/** Arguments of a request: words, or in double quotes. */
export function argumentsOf(text: string): string[] {
  return Array.from(text.matchAll(ARGUMENT), ([, quoted, bare = ""]) =>
    quoted === undefined ? bare : quoted.replaceAll('""', '"'),
  );
}
