import { notionConfig } from "../../../src/sources/notion/manifest.ts";
import { notionReader } from "../../../src/sources/notion/notion-reader.ts";
import { simulatedScans } from "../source/simulated-scans.ts";
import { BASE, NotionDouble } from "./notion-double.ts";

/** Waits between calls, in milliseconds; nobody waits for them. */
function passTime(): number[] {
  const waits: number[] = [];
  const scheduler = { wait: async (ms: number) => void waits.push(ms) };
  Object.assign(globalThis, { scheduler });
  return waits;
}

/** Scans of a workspace. */
export function notionSource(notion: NotionDouble, settings: Record<string, unknown> = {}) {
  const config = notionConfig.parse({ token: notion.token, apiBaseUrl: BASE, ...settings });
  const waits = passTime();
  const outgoing = { fetch: notion.fetch, allowPrivate: false };
  const source = simulatedScans((context) => notionReader(config, { ...context, outgoing }));
  return { ...source, waits };
}

export function openNotion(settings: Record<string, unknown> = {}) {
  const notion = new NotionDouble();
  return { notion, source: notionSource(notion, settings) };
}
