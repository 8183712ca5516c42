import { invalid, QuarryError } from "../../../core/errors.ts";
import type { SourceWithScan } from "../../../db/catalog/source-store.ts";
import { mediaTypeByName, UNKNOWN_MEDIA_TYPE } from "../../../documents/media-type/media-types.ts";
import { putFile } from "../../../ingestion/uploads/put-file.ts";
import { storedPath } from "../../../sources/file-names.ts";
import { uploadInWords } from "../../browser/upload-results.ts";
import type { PageContext } from "../page-env.ts";
import { multipartOf } from "../request/multipart.ts";
import { takenBy } from "../../../sources/registry.ts";

/** Bytes of one form: it is read into memory as a whole, unlike what the page's script sends. */
const UPLOAD_LIMIT_BYTES = 32 * 1_024 * 1_024;
const FILES_MAX = 100;
const FAILURES_TOLD = 5;

/**
 * Stores the files of a form. Returns what came of it, as a notice or a problem.
 * @throws QuarryError `too-large`; `invalid` for another provider, no files or too many.
 */
export async function uploadFiles(
  context: PageContext,
  source: SourceWithScan["source"],
): Promise<{ notice: string } | { problem: string }> {
  if (takenBy(source.provider) !== "files") throw invalid("this source reads its files by itself");
  const files = (await multipartOf(context, UPLOAD_LIMIT_BYTES)).files("files");
  if (files.length === 0) throw invalid("no files were chosen");
  if (files.length > FILES_MAX) throw invalid(`at most ${FILES_MAX} files at a time`);
  const failed: string[] = [];
  for (const file of files) {
    const problem = await store(context, source, file);
    if (problem !== null) failed.push(`${file.name}: ${problem}`);
  }
  const uploaded = files.length - failed.length;
  const words = uploadInWords({ chosen: files.length, uploaded, skipped: 0, failed });
  if (failed.length === 0) return { notice: `${words}.` };
  const more = failed.length - FAILURES_TOLD;
  const rest = more > 0 ? `; and ${more} more` : "";
  return { problem: `${words}. ${failed.slice(0, FAILURES_TOLD).join("; ")}${rest}` };
}

async function store(
  context: PageContext,
  source: SourceWithScan["source"],
  file: File,
): Promise<string | null> {
  try {
    await putFile(context.get("services"), {
      source,
      path: storedPath(file.name),
      body: await file.arrayBuffer(),
      contentLength: file.size,
      mimeType:
        file.type === "" || file.type === UNKNOWN_MEDIA_TYPE
          ? mediaTypeByName(file.name)
          : file.type,
      metadata: null,
    });
    return null;
  } catch (thrown) {
    if (thrown instanceof QuarryError) return thrown.message;
    throw thrown;
  }
}
