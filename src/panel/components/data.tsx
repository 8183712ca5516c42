/** C0 and C1 controls but tab and line feed, and the marks that turn the direction of text. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const HIDDEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const REPLACEMENT = "\uFFFD";

/** Text of others with its control characters made visible. */
export const visible = (text: string) => text.replaceAll(HIDDEN, REPLACEMENT);

/**
 * Text that somebody else wrote, within a line of ours: its direction is its own, it breaks
 * anywhere, and it changes nothing around it.
 */
export const Data = ({ children, mono = false }: { children: string; mono?: boolean }) => (
  <bdi class={mono ? "data mono" : "data"} dir="auto">
    {visible(children)}
  </bdi>
);

/** A link's address where others choose it: http and https only. Null: no link. */
export function safeHref(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null;
  const { protocol, href } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? href : null;
}

/** A longer text of others as it is, line breaks included. */
export const Passage = ({ text }: { text: string }) => (
  <div class="passage data" dir="auto">
    {visible(text)}
  </div>
);
