import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { ZipArchive } from "../../archive/zip-archive.ts";
import { readXml } from "../../xml/xml-stream.ts";
import { formatOf, type CellFormat } from "./number-formats.ts";

/** Built-in formats (ECMA-376 part 1, §18.8.30) that matter for reading. */
const FROM_0 =
  "General|0|0.00|#,##0|#,##0.00|#,##0|#,##0|#,##0.00|#,##0.00|0%|0.00%|0.00E+00|# ?/?|# ??/??|yyyy-mm-dd|d-mmm-yy|d-mmm|mmm-yy|h:mm|h:mm:ss|h:mm|h:mm:ss|yyyy-mm-dd h:mm".split(
    "|",
  );
const FROM_37 =
  "#,##0|#,##0|#,##0.00|#,##0.00|#,##0|#,##0|#,##0.00|#,##0.00|mm:ss|[h]:mm:ss|mm:ss".split("|");
/** Dates, and in some languages times, in Chinese, Japanese, Korean and Thai Excel. */
const EASTERN = "yyyy-mm-dd h:mm";
const EASTERN_TIMES = new Map([
  [32, "h:mm"],
  [33, "h:mm:ss"],
]);
const isEastern = (id: number) => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

const builtIn = (id: number) =>
  FROM_0[id] ?? FROM_37[id - 37] ?? EASTERN_TIMES.get(id) ?? (isEastern(id) ? EASTERN : "General");

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
  yield* readXml(archive.chunks(part ?? ""), {
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
