import { invalid, tooLarge } from "../../../core/errors.ts";
import { refuseCoded } from "../../../http/middleware/json-body.ts";
import type { PageContext } from "../page-env.ts";
import { formOf, sentForm, type Form } from "./form.ts";

export type FormWithFiles = {
  form: Form;
  /** The file that was chosen in a field; null: none was. */
  file: (field: string) => File | null;
};

/**
 * A posted form that may bring files along, read into memory as a whole.
 * @throws QuarryError `too-large`; `invalid` for a body that is no form.
 */
export async function multipartOf(
  context: PageContext,
  limitBytes: number,
): Promise<FormWithFiles> {
  const type = context.req.header("Content-Type") ?? "";
  if (!type.toLowerCase().startsWith("multipart/form-data")) {
    return { form: await formOf(context, limitBytes), file: () => null };
  }
  refuseCoded(context.req.raw.headers);
  const data = await formDataIn(await bodyOf(context.req.raw, limitBytes), type);
  const values = new URLSearchParams();
  const files = new Map<string, File>();
  for (const [name, value] of data) {
    if (typeof value === "string") values.append(name, value);
    // A field in which nothing was chosen is sent as a file without a name.
    else if (value.name !== "") files.set(name, value);
  }
  return { form: sentForm(context, values), file: (field) => files.get(field) ?? null };
}

async function formDataIn(body: Blob, type: string): Promise<FormData> {
  try {
    return await new Response(body, { headers: { "Content-Type": type } }).formData();
  } catch {
    throw invalid("the form cannot be read");
  }
}

async function bodyOf(request: Request, limitBytes: number): Promise<Blob> {
  if (Number(request.headers.get("Content-Length") ?? 0) > limitBytes) throw tooLarge();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const body: ReadableStream<Uint8Array<ArrayBuffer>> | null = request.body;
  for await (const piece of body ?? []) {
    size += piece.byteLength;
    if (size > limitBytes) throw tooLarge();
    pieces.push(piece);
  }
  return new Blob(pieces);
}
