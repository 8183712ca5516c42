import { invalid, tooLarge } from "../../../core/errors.ts";
import { refuseCoded } from "../../../http/middleware/json-body.ts";
import type { PageContext } from "../page-env.ts";
import { formOf, sentForm, type Form } from "./form.ts";

export type FormWithFiles = {
  form: Form;
  files: (field: string) => File[];
};

/** Read whole. @throws QuarryError `too-large`, also without a length; `invalid`: no form */
export async function multipartOf(
  context: PageContext,
  limitBytes: number,
): Promise<FormWithFiles> {
  const type = context.req.header("Content-Type") ?? "";
  if (!type.toLowerCase().startsWith("multipart/form-data")) {
    return { form: await formOf(context, limitBytes), files: () => [] };
  }
  refuseCoded(context.req.raw.headers);
  const length = Number(context.req.header("Content-Length") ?? Number.NaN);
  if (!(length <= limitBytes)) throw tooLarge();
  const data = await context.req.formData().catch(() => {
    throw invalid("the form cannot be read");
  });
  const values = new URLSearchParams();
  for (const [name, value] of data) if (typeof value === "string") values.append(name, value);
  // A field in which nothing was chosen is sent as a file without a name.
  const files = (field: string) =>
    data
      .getAll(field)
      .flatMap((value) => (typeof value === "string" || value.name === "" ? [] : [value]));
  return { form: sentForm(context, values), files };
}
