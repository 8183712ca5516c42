import type { TextItem } from "../layout/segment.ts";

type Telling = { font: string; page: number; characters: number; names: string[] };

/**
 * The names that fonts had at first: after its caches are dropped, pdf.js gives a new name to each
 * font without a descriptor, such as Helvetica.
 */
export class FontNames {
  readonly #first = new Map<string, string>();
  readonly #characters = new Map<string, number>();
  #telling: Telling | null = null;

  /** The page with the most text in the commonest font: reading it again gives the new names. */
  get tellingPage(): number | null {
    return this.#telling?.page ?? null;
  }

  rename(items: TextItem[], page: number): void {
    const onPage = new Map<string, number>();
    for (const item of items) {
      item.fontName = this.#first.get(item.fontName) ?? item.fontName;
      add(onPage, item.fontName, item.str.length);
    }
    for (const [font, characters] of onPage) add(this.#characters, font, characters);
    const font = this.#commonest();
    const characters = onPage.get(font) ?? 0;
    const most = this.#telling?.font === font ? this.#telling.characters : 0;
    if (characters <= most) return;
    this.#telling = { font, page, characters, names: items.map(({ fontName }) => fontName) };
  }

  #commonest(): string {
    return [...this.#characters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";
  }

  /** @param items of the telling page, with their current font names */
  relearn(items: TextItem[]): void {
    const { names } = this.#telling ?? { names: [] };
    if (items.length !== names.length) return;
    for (const [at, { fontName }] of items.entries()) {
      const first = names[at] ?? fontName;
      if (first !== fontName) this.#first.set(fontName, first);
    }
  }
}

function add(counts: Map<string, number>, font: string, characters: number): void {
  counts.set(font, (counts.get(font) ?? 0) + characters);
}
