import type { Pdf } from "./open-pdf.ts";

/** `layer`: membership in optional content as pdf.js gives it; undefined where it is damaged. */
type Layers = Iterable<[string, { visible: boolean }]> & { isVisible(layer: unknown): boolean };

/**
 * Layers of which some are off by default, and so are no part of what pages show (ISO 32000-1,
 * §8.11); `leftOut`: those that had content.
 */
export type HiddenLayers = { all: Layers; leftOut: Set<string> };

/** Null where all layers are shown. */
export async function hiddenLayersOf(pdf: Pdf): Promise<HiddenLayers | null> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- pdf.js types it as any
  const layers = (await pdf.getOptionalContentConfig().catch(() => null)) as Layers | null;
  if (layers === null || [...layers].every(([, { visible }]) => visible)) return null;
  return { all: layers, leftOut: new Set() };
}

/** Follows marks of content: what is within a hidden layer, at any depth, is not shown. */
export class OpenLayers {
  readonly #open: unknown[] = [];
  #hidden = 0;
  readonly #layers: HiddenLayers | null;

  constructor(layers: HiddenLayers | null) {
    this.#layers = layers;
  }

  begin(layer?: unknown): void {
    this.#open.push(layer);
    if (this.#isHidden(layer)) this.#hidden++;
  }

  end(): void {
    if (this.#isHidden(this.#open.pop())) this.#hidden--;
  }

  /** Whether content here is hidden, which is then counted. */
  leavesOut(): boolean {
    const layer = this.#hidden > 0 ? this.#open.find((each) => this.#isHidden(each)) : undefined;
    if (layer !== undefined) this.#layers?.leftOut.add(JSON.stringify(layer));
    return this.#hidden > 0;
  }

  #isHidden(layer: unknown): boolean {
    return layer !== undefined && this.#layers?.all.isVisible(layer) === false;
  }
}
