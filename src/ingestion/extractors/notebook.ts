import { UnreadableDocument } from "./extracted-document.ts";
import type { Extraction } from "./extracted-document.ts";
import { MarkdownBuilder } from "./markdown-builder.ts";

/** Jupyter notebooks (nbformat 4): text cells as they are, code cells as code, printed output. */
export function extractNotebook(text: string): Extraction {
  let notebook: unknown;
  try {
    notebook = JSON.parse(text);
  } catch {
    throw new UnreadableDocument("notebook is damaged or incomplete");
  }
  const out = new MarkdownBuilder();
  let title: string | null = null;
  const language = wordAt(notebook, ["metadata", "kernelspec", "language"]) ?? "python";
  for (const cell of listAt(notebook, "cells")) {
    const source = linesAt(cell, "source");
    if (wordAt(cell, ["cell_type"]) === "code") {
      out.code(source, language);
      for (const output of listAt(cell, "outputs")) out.code(linesAt(output, "text"));
    } else {
      title ??= /^# (.+)$/m.exec(source)?.[1] ?? null;
      out.raw(source);
    }
  }
  return { text: out, title, language: null, pages: [], notes: [] };
}

function fieldOf(value: unknown, key: string): unknown {
  const isObject = typeof value === "object" && value !== null;
  return isObject ? (value as Record<string, unknown>)[key] : undefined;
}

function listAt(value: unknown, key: string): unknown[] {
  const list = fieldOf(value, key);
  return Array.isArray(list) ? list : [];
}

function wordAt(value: unknown, path: string[]): string | null {
  const found = path.reduce(fieldOf, value);
  return typeof found === "string" ? found : null;
}

/** Notebooks keep texts as one string or as a list of lines with their line ends. */
function linesAt(value: unknown, key: string): string {
  const lines = fieldOf(value, key);
  if (typeof lines === "string") return lines;
  return Array.isArray(lines) ? lines.filter((line) => typeof line === "string").join("") : "";
}
