import { hasParts } from "../web/pages/page-url.ts";

/**
 * Whether a pattern names a path or a folder above it. `*` stands for any characters; a pattern
 * without a slash names files and folders at every depth, as in `.gitignore`.
 */
export function pathMatcher(patterns: string[]): (path: string) => boolean {
  const forms = patterns.flatMap((pattern) => {
    const inner = pattern.replace(/^\.?\/|^(?:\*\*\/)+/, "").replace(/\/$/, "");
    const isAnchored = !pattern.startsWith("**/") && /\/./.test(pattern);
    const base = `${isAnchored ? "/" : "*/"}${inner}`;
    return [base, `${base}/*`].map((form) => form.split(/\*+/));
  });
  return (path) => forms.some((parts) => hasParts(`/${path}`, parts, { toEnd: true }));
}
