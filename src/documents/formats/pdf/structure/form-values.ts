import { ITEM_COST, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { TextItem } from "../layout/segment.ts";

/** The fields of pdf.js's annotations (ISO 32000-2, §12.5) that are used here. */
type Annotation = {
  subtype?: string;
  fieldType?: string | null;
  fieldValue?: unknown;
  exportValue?: unknown;
  options?: { exportValue?: unknown; displayValue?: unknown }[];
  buttonValue?: unknown;
  rect?: number[];
  hidden?: boolean;
  annotationFlags?: number;
  password?: boolean;
  contentsObj?: { str?: unknown };
};

type Value = { lines: string[]; x0: number; x1: number; y0: number; y1: number };

const NO_VIEW = 32;
const MAX_SIZE = 11;
const SIZE_SHARE = 0.7;
/** Letter width in ems, because the drawn width of the value is unknown. */
const LETTER_WIDTH = 0.5;
const MAX_VALUE_CHARACTERS = 100_000;
const MAX_VALUES_A_PAGE = 1000;
const CHECKED = "☑";

/** Inserts each value after its label. */
export function* insertFormValues(
  items: TextItem[],
  annotations: unknown[],
): CooperativeWork<TextItem[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- PDF.js types them as any
  const values = annotations.flatMap((annotation) => valueOf(annotation as Annotation));
  const result = [...items];
  for (const value of values.slice(0, MAX_VALUES_A_PAGE)) {
    const at = placeOf(result, value);
    result.splice(at, 0, ...itemsOf(value, result[at - 1] ?? result[at]));
    yield result.length + ITEM_COST;
  }
  return result;
}

function valueOf(annotation: Annotation): Value[] {
  const { hidden, annotationFlags = 0, password, rect = [] } = annotation;
  if (hidden === true || password === true || (annotationFlags & NO_VIEW) !== 0) return [];
  const text = valueText(annotation).slice(0, MAX_VALUE_CHARACTERS);
  const [x0, y0, x1, y1] = rect;
  if (text.trim() === "" || x0 === undefined || y0 === undefined) return [];
  if (x1 === undefined || y1 === undefined) return [];
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  return [{ lines, x0, x1, y0, y1 }];
}

function valueText({ subtype, fieldType, fieldValue, contentsObj, ...button }: Annotation): string {
  if (subtype === "FreeText") return textOf(contentsObj?.str);
  if (subtype !== "Widget") return "";
  if (fieldType === "Tx" || fieldType === "Ch") {
    // A choice is stored as a code (ISO 32000-2, table 234).
    const names = new Map(button.options?.map((each) => [each.exportValue, each.displayValue]));
    return [fieldValue]
      .flat()
      .map((value) => textOf(names.get(value) ?? value))
      .join(", ");
  }
  const choice = button.buttonValue ?? button.exportValue;
  const isChosen = fieldType === "Btn" && choice !== undefined && choice === fieldValue;
  return isChosen && choice !== "Off" ? CHECKED : "";
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

function placeOf(items: TextItem[], { x0, y0, y1 }: Value): number {
  const placeOf = ({ transform }: TextItem) => ({ x: transform[4] ?? 0, y: transform[5] ?? 0 });
  const label = items.findLastIndex((item) => {
    const { x, y } = placeOf(item);
    return item.str.trim() !== "" && x < x0 && y >= y0 - 2 && y <= y1;
  });
  if (label >= 0) return label + 1;
  const below = items.findIndex((item) => item.str.trim() !== "" && placeOf(item).y < y0);
  return below < 0 ? items.length : below;
}

/** @param neighbour gives the font and, if it is a label, the line of a one-line value */
function itemsOf({ lines, x0, x1, y0, y1 }: Value, neighbour: TextItem | undefined): TextItem[] {
  const size = Math.min(MAX_SIZE, ((y1 - y0) / lines.length) * SIZE_SHARE);
  const labelled = neighbour?.transform[5] ?? Number.NaN;
  const isBeside = lines.length === 1 && labelled >= y0 - 2 && labelled <= y1;
  const top = isBeside ? labelled : y1 - size;
  return lines.map((str, at) => ({
    str,
    transform: [size, 0, 0, size, x0, top - at * size * 1.2],
    width: Math.min(str.length * size * LETTER_WIDTH, x1 - x0),
    height: size,
    fontName: neighbour?.fontName ?? "",
  }));
}
