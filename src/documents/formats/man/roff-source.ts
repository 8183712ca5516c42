export type RoffLine = { request: string | null; text: string };

/** Limits of what macros and strings of the page's own may expand to, together. */
const MAX_EXPANDED_LINES = 100_000;
const MAX_EXPANDED_CHARACTERS = 1 << 20;
const MAX_STRING_CHARACTERS = 4_096;
const MAX_MACRO_DEPTH = 8;
const REQUEST = /^[.'][ \t]*([^\s\\]{1,40})/;
const COMMENT = /(^|[^\\])\\["#].*$/s;

const restAfter = (start: string, text: string) => text.slice(start.length).replace(/^[ \t]+/, "");

type Pending = { line: string; depth: number };

/** Reads roff (groff(7)) line by line: conditions are decided for a terminal, macros expanded. */
export class RoffSource {
  readonly #lines: string[];
  #next = 0;
  readonly #pending: Pending[] = [];
  readonly #macros = new Map<string, string[]>();
  readonly #strings = new Map<string, string>([
    ["R", "®"],
    ["Tm", "™"],
    ["lq", "“"],
    ["rq", "”"],
  ]);
  readonly #otherwise: boolean[] = [];
  #expandedLines = 0;
  #expandedCharacters = 0;
  #depth = 0;
  at = 0;

  constructor(text: string) {
    this.#lines = text.split("\n");
  }

  /** @param isKnown whether the reader handles a request itself, whatever the page defines */
  *lines(isKnown: (request: string) => boolean): Generator<RoffLine> {
    for (let raw = this.#take(); raw !== null; raw = this.#take()) {
      const line = raw.replace(COMMENT, "$1").replace(/\\[{}]/g, "");
      const [control = "", request] = REQUEST.exec(line) ?? [];
      const rest = restAfter(control, line);
      if (request === undefined) {
        if (!/^[.']/.test(line)) yield { request: null, text: this.#expanded(line) };
      } else if (!this.#handle(request, raw.replace(COMMENT, "$1"), rest)) {
        const body = isKnown(request) ? undefined : this.#macros.get(request);
        if (body === undefined) yield { request, text: this.#expanded(rest) };
        else this.#push(body, argumentsOf(this.#expanded(rest)));
      }
    }
  }

  #take(): string | null {
    let line = this.#takeLine();
    while (line !== null && /(?:^|[^\\])(?:\\\\)*\\$/.test(line) && line.length < 1 << 16) {
      const more = this.#takeLine();
      if (more === null) break;
      line = line.slice(0, -1) + more;
    }
    return line;
  }

  #takeLine(): string | null {
    const pending = this.#pending.pop();
    this.#depth = pending?.depth ?? 0;
    if (pending !== undefined) return pending.line;
    const line = this.#lines[this.#next++];
    this.at += (line?.length ?? 0) + 1;
    return line ?? null;
  }

  #push(body: string[], values: string[]): void {
    this.#expandedLines += body.length;
    if (this.#depth >= MAX_MACRO_DEPTH || this.#expandedLines > MAX_EXPANDED_LINES) return;
    const depth = this.#depth + 1;
    for (const each of body.toReversed()) {
      const line = each.replace(/\\?\\\$([1-9*@])/g, (_whole, which: string) =>
        /\d/.test(which) ? (values[Number(which) - 1] ?? "") : values.join(" "),
      );
      this.#count(line.length);
      this.#pending.push({ line: line.replaceAll("\\\\", "\\"), depth });
    }
  }

  #count(characters: number): boolean {
    this.#expandedCharacters += characters;
    return this.#expandedCharacters <= MAX_EXPANDED_CHARACTERS;
  }

  #expanded(line: string): string {
    return withValues(line, (kind, name) => {
      // Number registers: pages only ask whether this is groff.
      const shown = kind === "n" ? (name === ".g" ? "1" : "0") : (this.#strings.get(name) ?? "");
      return this.#count(shown.length) ? shown : "";
    });
  }

  #handle(request: string, raw: string, rest: string): boolean {
    if (/^(?:if|ie|el)$/.test(request)) this.#decide(request, raw);
    else if (/^(?:de1?|am1?|ig)$/.test(request)) this.#define(request, argumentsOf(rest));
    else if (/^[da]s1?$/.test(request)) this.#setString(request, rest);
    else if (request === "PS") this.#skipTo(".PE");
    else return false;
    return true;
  }

  #define(request: string, [first = "", second = ""]: string[]): void {
    const body = this.#skipTo(`.${(request === "ig" ? first : second) || "."}`);
    if (request.startsWith("de")) this.#macros.set(first, body);
  }

  #skipTo(end: string): string[] {
    const body: string[] = [];
    for (let line = this.#takeLine(); line !== null; line = this.#takeLine()) {
      if (line.replace(/^'/, ".").trimEnd() === end) break;
      body.push(line);
    }
    return body;
  }

  #setString(request: string, rest: string): void {
    const [name = ""] = /^\S+/.exec(rest) ?? [];
    const value = restAfter(name, rest).replace(/^"/, "");
    const before = request.startsWith("a") ? (this.#strings.get(name) ?? "") : "";
    this.#strings.set(name, (before + this.#expanded(value)).slice(0, MAX_STRING_CHARACTERS));
  }

  #decide(request: string, raw: string): void {
    const [control = ""] = /^[.'][ \t]*[ie][fel]/.exec(raw) ?? [];
    const rest = restAfter(control, raw);
    const { holds, body } =
      request === "el"
        ? { holds: this.#otherwise.pop() ?? false, body: rest }
        : this.#condition(rest);
    if (request === "ie") this.#otherwise.push(!holds);
    if (!holds) this.#skipBlock(body);
    else this.#pending.push({ line: body.replace(/^[ \t]*\\\{[ \t]*/, ""), depth: this.#depth });
  }

  #skipBlock(start: string): void {
    let open = 0;
    for (let line: string | null = start; line !== null; line = this.#takeLine()) {
      open += line.split("\\{").length - line.split("\\}").length;
      if (open <= 0) return;
    }
  }

  #condition(text: string): { holds: boolean; body: string } {
    const [whole = "", not = "", test = ""] =
      /^[ \t]*(!?)[ \t]*('[^']*'[^']*'|"[^"]*"[^"]*"|[notev](?=[\s\\]|$)|[^\s\\]*(?:\\[^{\s][^\s\\]*)*)/.exec(
        text,
      ) ?? [];
    const holds = this.#holds(this.#expanded(test));
    return { holds: holds !== (not === "!"), body: text.slice(whole.length).trimStart() };
  }

  #holds(test: string): boolean {
    if (/^[not]$/.test(test)) return test !== "t";
    if (/^['"]/.test(test)) {
      const [, one, other] = test.split(test.charAt(0));
      return one === other;
    }
    return Number(/^\(?(-?\d+)/.exec(test)?.[1] ?? 0) > 0;
  }
}

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

const withValues = (line: string, valueOf: (kind: string, name: string) => string) =>
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

export function argumentsOf(text: string): string[] {
  return Array.from(text.matchAll(ARGUMENT), ([, quoted, bare = ""]) =>
    quoted === undefined ? bare : quoted.replaceAll('""', '"'),
  );
}
