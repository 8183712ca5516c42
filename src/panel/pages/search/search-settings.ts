import type { z } from "zod";

import { searchSettings } from "../../../core/input/search-settings.ts";
import { settingFields } from "../../../core/input/setting-fields.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { panelSearch, type PanelSearch } from "../../search/search-rag.ts";
import { typed, type Form } from "../request/form.ts";
import { bodyIn } from "../request/setting-form.ts";

/** The fields of one setting, as they stand in the address; those of the second have a `b.`. */
export const SETTING_FIELDS = [
  "rag",
  ...Object.keys(searchSettings.shape),
  "reranker",
  "selectedFiles",
  "selectedFolders",
  "modifiedAfter",
  "modifiedBefore",
  "providerFilter",
];

export const SECOND = "b.";
/** The value that stands for a RAG's search without any reranker. */
export const NO_RERANKER = "none";

/**
 * The values of an address. A comparison that has just begun starts from the first setting, so that
 * what is changed then is the only difference.
 */
export function withSecond(given: URLSearchParams): URLSearchParams {
  const values = new URLSearchParams(given);
  const isBegun = SETTING_FIELDS.some((name) => values.has(SECOND + name));
  if (!values.has("compare") || isBegun) return values;
  for (const name of SETTING_FIELDS) {
    const value = values.get(name);
    if (value !== null) values.set(SECOND + name, value);
  }
  return values;
}

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** `labels = contract, 2026`: a field of the metadata and the values of which one must match. */
function filterOf(line: string) {
  const at = line.indexOf("=");
  const field = (at === -1 ? line : line.slice(0, at)).trim();
  const values = at === -1 ? [] : line.slice(at + 1).split(",");
  return { field, values: values.map((value) => value.trim()).filter((value) => value !== "") };
}

/**
 * The body of the API's search that the address asks for. What was left empty is the default.
 * @throws QuarryError `invalid`.
 */
export function searchIn(form: Form, prefix: string): PanelSearch {
  const text = (field: string) => form.text(prefix + field);
  const files = linesOf(form.exact(`${prefix}selectedFiles`));
  const folders = linesOf(form.exact(`${prefix}selectedFolders`));
  const filters = linesOf(form.exact(`${prefix}providerFilter`)).map(filterOf);
  const restricted = files.length + folders.length > 0;
  const reranker = text("reranker");
  const isRerankerChosen = reranker !== "" && reranker !== NO_RERANKER;
  return parseOrRefuse(panelSearch, {
    semanticSearch: [...linesOf(form.exact("q")), ...linesOf(form.exact("more"))],
    ...bodyIn(form, settingFields(searchSettings), { prefix }),
    reranker: reranker === NO_RERANKER ? null : typed(reranker),
    useReranking: isRerankerChosen || text("useReranking") === "on",
    modifiedAfter: typed(text("modifiedAfter")),
    modifiedBefore: typed(text("modifiedBefore")),
    ...(filters.length === 0 ? {} : { providerFilter: filters }),
    ...(restricted ? { useAllFiles: false, selectedFiles: files, selectedFolders: folders } : {}),
  });
}

type Body = z.input<typeof panelSearch>;

/** What a program sends to get the same passages: nothing that is the default anyhow. */
export function publicBodyOf(search: PanelSearch): Body {
  const { reranker: _tried, useReranking, candidateMultiplier, includeDuplicates, ...of } = search;
  const { useAllFiles, selectedFiles, selectedFolders, ...rest } = of;
  return {
    ...rest,
    ...(useReranking ? { useReranking, candidateMultiplier } : {}),
    ...(includeDuplicates ? { includeDuplicates } : {}),
    ...(useAllFiles ? {} : { useAllFiles, selectedFiles, selectedFolders }),
    includeSources: true,
  };
}
