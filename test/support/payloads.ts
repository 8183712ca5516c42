/** Texts that strangers may write into a field: markup, script, formulas, long words. */
export const PAYLOADS = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "</title><script>alert(1)</script>",
  "</textarea><script>alert(1)</script>",
  "javascript:alert(1)",
  '=HYPERLINK("https://evil.test")',
  "&lt;b&gt;&amp;",
  "${alert(1)} {{7*7}}",
  "\u202Etxt.exe\u202C",
  "مرحبا بالعالم",
  "a\u0008b\u001Bc",
  "x".repeat(180),
];

/** Lists the parts of a page that a browser would run: none, if all of it was escaped. */
export function runnable(html: string): string[] {
  const tags = html.match(/<[a-z][^>]*>/gi) ?? [];
  return tags.filter((tag) => {
    const bare = tag.replaceAll(/"[^"]*"/g, '""').toLowerCase();
    const isForeign = bare.startsWith("<img") || /\son\w+\s*=/.test(bare);
    const isScript = bare.startsWith("<script") && !tag.startsWith(OWN_SCRIPT);
    return isForeign || isScript || tag.includes('href="javascript:');
  });
}

const OWN_SCRIPT = '<script type="module" src="/assets/';
