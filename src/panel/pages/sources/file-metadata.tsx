import { parseJson } from "../../../core/input/parse-json.ts";
import { isObject } from "../../../core/is-object.ts";
import { keepsOriginals } from "../../../ingestion/uploads/pushed-files.ts";
import { Data, useView } from "../../components/data.tsx";
import { FormMessage, type FormValues, type FormState } from "../../components/form.tsx";
import { Facts } from "../../components/page-head.tsx";
import type { ShownFile } from "./shown-source.ts";

type Metadata = Record<string, unknown>;

/** Empty rows for new fields; saving offers as many again. */
const NEW_ROWS = 2;

/** A value as it is typed: a list has a line for each, what else is no text is JSON. */
function fieldTextOf(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
    return value.join("\n");
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The typed value in place of `before`; one that was not changed keeps its type. */
function valueOf(typed: string, before: unknown): unknown {
  if (before !== undefined && typed === fieldTextOf(before)) return before;
  if (typeof before === "number" && Number.isFinite(Number(typed))) return Number(typed);
  if (isObject(before) && !Array.isArray(before)) {
    const parsed = parseJson(typed);
    return parsed === undefined ? typed : parsed;
  }
  const lines = typed.split("\n").map((line) => line.trim());
  const values = lines.filter((line) => line !== "");
  return Array.isArray(before) || values.length > 1 ? values : (values[0] ?? "");
}

/** The metadata that the rows of a form say; a row without a name or a value is left out. */
export function metadataOf(form: FormValues, before: Metadata): Metadata {
  const texts = form.all("value").map((text) => text.replaceAll("\r\n", "\n").trim());
  const rows = form.all("name").flatMap((name, at): [string, unknown][] => {
    const [key, typed] = [name.trim(), texts[at] ?? ""];
    return key === "" || typed === "" ? [] : [[key, valueOf(typed, before[key])]];
  });
  return Object.fromEntries(rows);
}

type Props = { of: ShownFile; state: FormState };

export const FileMetadata = ({ of: { shown: sourceView, file }, state }: Props) => {
  const mayChange = useView().mayChange && keepsOriginals(sourceView.source);
  const entries = Object.entries(file.metadata).map(([name, value]) => [name, fieldTextOf(value)]);
  if (!mayChange) {
    if (entries.length === 0) return null;
    return (
      <section>
        <h2>Metadata</h2>
        <Facts
          pairs={entries.map(([name = "", value = ""]) => [
            <Data>{name}</Data>,
            <Data>{value}</Data>,
          ])}
        />
      </section>
    );
  }
  const typed = state.valuesOf("name").map((name, at) => [name, state.valuesOf("value")[at] ?? ""]);
  const rows = state.status === 200 ? entries : typed;
  return (
    <section>
      <h2>Metadata</h2>
      <form method="post" action={`${sourceView.path}/file/metadata`} class="form full">
        <FormMessage state={state} />
        <p class="hint">
          Searches can filter by these fields. For several values, use a line for each. Empty a
          value to remove its field. Nothing is read or embedded again.
        </p>
        <input type="hidden" name="path" value={file.path} />
        {[...rows, ...Array.from({ length: NEW_ROWS }, () => ["", ""])].map(
          ([name = "", value = ""], at) => (
            <div class="metadata-row">
              <input
                name="name"
                value={name}
                aria-label={`Field ${at + 1}`}
                placeholder="Field"
                dir="auto"
              />
              <textarea
                name="value"
                rows={Math.max(1, value.split("\n").length)}
                aria-label={name === "" ? `Value ${at + 1}` : `Value of ${name}`}
                placeholder="Value"
                dir="auto"
              >{`\n${value}`}</textarea>
            </div>
          ),
        )}
        <p class="submit">
          <button class="btn">Save metadata</button>
        </p>
      </form>
    </section>
  );
};
