import { isObject } from "../../../../core/is-object.ts";
import { multiply, type Matrix } from "../../../pictures/matrix.ts";
import type { Rgb } from "../../../pictures/paint-parts.ts";
import { OpenLayers, type HiddenLayers } from "../hidden-layers.ts";
import type { PdfPage } from "../open-pdf.ts";

/** A picture of a page as it is drawn. */
export type PlacedPicture = {
  /** From the unit square, in which a picture lies, to the upright page; y grows downwards. */
  matrix: Matrix;
  /** Its name among the page's objects; empty: pdf.js did not decode it, as it is too large. */
  id: string;
  /** The picture itself, where it stands in the page's content. */
  inline: unknown;
  width: number;
  height: number;
  /** The colour that a stencil is painted with; null: it is none. */
  fill: Rgb | null;
};

/** `drawings`: the number of paths. */
export type PageContent = { pictures: PlacedPicture[]; drawings: number };

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
const BLACK: Rgb = [0, 0, 0];

function isMatrix(value: unknown): value is Matrix {
  if (!Array.isArray(value) && !(value instanceof Float32Array)) return false;
  return value.length === 6 && Array.from<unknown>(value).every(Number.isFinite);
}

type Arguments = readonly unknown[];

/** Follows the drawing matrix through a page's operators. pdf.js refuses endless ones. */
export async function readPageContent(
  page: PdfPage,
  hiddenLayers: HiddenLayers | null,
): Promise<PageContent> {
  const { OPS } = await import("#pdfjs");
  // Annotations are no part of the scan.
  const { fnArray, argsArray } = await page.getOperatorList({ annotationMode: 0 });
  const content: PageContent = { pictures: [], drawings: 0 };
  const viewport = page.getViewport({ scale: 1 }).transform;
  let state = { matrix: isMatrix(viewport) ? viewport : IDENTITY, fill: BLACK };
  const states: (typeof state)[] = [];
  const save = () => void states.push(state);
  const restore = () => void (state = states.pop() ?? state);
  const transform = (by: unknown) => {
    if (isMatrix(by)) state = { ...state, matrix: multiply(state.matrix, by) };
  };
  const layers = new OpenLayers(hiddenLayers);
  const add = (more: Partial<PlacedPicture>) => {
    if (layers.isHidden()) return;
    const { matrix } = state;
    const none = { id: "", inline: null, fill: null, width: 0, height: 0 };
    content.pictures.push({ matrix, ...none, ...more });
  };
  const work: Record<number, (args: Arguments) => void> = {
    [OPS.save]: save,
    [OPS.restore]: restore,
    [OPS.paintFormXObjectBegin]: ([matrix]) => {
      save();
      transform(matrix);
    },
    [OPS.paintFormXObjectEnd]: restore,
    [OPS.transform]: transform,
    [OPS.setFillRGBColor]: ([colour]) => void (state = { ...state, fill: rgbOf(colour) }),
    [OPS.paintImageXObject]: ([id, width, height]) =>
      add({ id: String(id), width: Number(width), height: Number(height) }),
    [OPS.paintInlineImageXObject]: ([picture]) => add({ ...sizeOf(picture), inline: picture }),
    [OPS.paintImageMaskXObject]: ([stencil]) => {
      const data = isObject(stencil) ? stencil["data"] : undefined;
      const source = typeof data === "string" ? { id: data } : { inline: stencil };
      add({ ...sizeOf(stencil), ...source, fill: state.fill });
    },
    [OPS.constructPath]: () => {
      if (!layers.isHidden()) content.drawings++;
    },
    [OPS.beginMarkedContent]: () => layers.begin(),
    [OPS.beginMarkedContentProps]: ([tag, layer]) => layers.begin(tag === "OC" ? layer : undefined),
    [OPS.endMarkedContent]: () => layers.end(),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- pdf.js's own list
  const all = argsArray as (Arguments | null)[];
  for (const [at, operator] of fnArray.entries()) work[operator]?.(all[at] ?? []);
  return content;
}

function sizeOf(picture: unknown) {
  const { width, height } = isObject(picture) ? picture : {};
  return { width: Number(width), height: Number(height) };
}

/** `#rrggbb`. */
function rgbOf(colour: unknown): Rgb {
  const value = typeof colour === "string" ? Number.parseInt(colour.slice(1), 16) || 0 : 0;
  return [value >> 16, (value >> 8) & 255, value & 255];
}
