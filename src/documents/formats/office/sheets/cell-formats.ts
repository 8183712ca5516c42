import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { ZipArchive } from "../../archive/zip-archive.ts";
import { readXml } from "../../xml/xml-stream.ts";
import { formatOf } from "./number-formats.ts";
import type { CellFormat } from "./number-formats.ts";

/** Built-in formats (ECMA-376 part 1, §18.8.30) that matter for reading. */
const BUILT_IN: Record<number, string> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  5: "#,##0",
  6: "#,##0",
  7: "#,##0.00",
  8: "#,##0.00",
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  12: "# ?/?",
  13: "# ??/??",
  14: "yyyy-mm-dd",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm",
  19: "h:mm:ss",
  20: "h:mm",
  21: "h:mm:ss",
  22: "yyyy-mm-dd h:mm",
  37: "#,##0",
  38: "#,##0",
  39: "#,##0.00",
  40: "#,##0.00",
  41: "#,##0",
  42: "#,##0",
  43: "#,##0.00",
  44: "#,##0.00",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss",
  32: "h:mm",
  33: "h:mm:ss",
};
/** Dates, and in some languages times, in Chinese, Japanese, Korean and Thai Excel. */
const EASTERN = "yyyy-mm-dd h:mm";
const isEastern = (id: number) => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

const builtIn = (id: number) => BUILT_IN[id] ?? (isEastern(id) ? EASTERN : "General");

/** Excel's own limit is 65,490; cells with higher format numbers show plain numbers. */
const MAX_FORMATS = 1 << 16;

/** Formats by the index that cells name (`s`). */
export function* readCellFormats(
  archive: ZipArchive,
  part: string | null,
  is1904: boolean,
): CooperativeWork<CellFormat[]> {
  const codes = new Map<number, string>();
  const built = new Map<number, CellFormat>();
  const formats: CellFormat[] = [];
  let inCellFormats = false;
  yield* readXml(part === null ? [] : archive.chunks(part), {
    open: (name, attributes) => {
      if (name === "numFmt") {
        if (codes.size < MAX_FORMATS)
          codes.set(Number(attributes["numFmtId"]), attributes["formatCode"] ?? "");
      } else if (name === "cellXfs") inCellFormats = true;
      else if (name === "xf" && inCellFormats && formats.length < MAX_FORMATS) {
        const id = Number(attributes["numFmtId"] ?? 0);
        const format = built.get(id) ?? formatOf(codes.get(id) ?? builtIn(id), is1904);
        built.set(id, format);
        formats.push(format);
      }
    },
    close: (name) => {
      if (name === "cellXfs") inCellFormats = false;
    },
  });
  return formats;
}
