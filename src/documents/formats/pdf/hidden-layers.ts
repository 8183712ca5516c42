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
  /** For each open mark, whether it is of a hidden layer. */
  readonly #open: boolean[] = [];
  readonly #hidden: unknown[] = [];
  #counted: unknown;
  readonly #layers: HiddenLayers | null;

  constructor(layers: HiddenLayers | null) {
    this.#layers = layers;
  }

  begin(layer?: unknown): void {
    const isHidden = layer !== undefined && this.#layers?.all.isVisible(layer) === false;
    this.#open.push(isHidden);
    if (isHidden) this.#hidden.push(layer);
  }

  end(): void {
    if (this.#open.pop() === true) this.#hidden.pop();
  }

  /** Whether content here is hidden, which is then counted. */
  isHidden(): boolean {
    const [layer] = this.#hidden;
    if (layer !== undefined && layer !== this.#counted) {
      this.#counted = layer;
      this.#layers?.leftOut.add(JSON.stringify(layer));
    }
    return layer !== undefined;
  }
}
