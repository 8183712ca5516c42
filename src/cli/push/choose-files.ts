import picomatch from "picomatch";

/** Which paths of a folder a push looks at. Both lists are globs on the path inside the folder. */
export type FileChoice = { include: string[]; exclude: string[] };

export type Chooser = {
  file: (path: string) => boolean;
  /** False when nothing below the folder can match, so that it need not be read. */
  folder: (path: string) => boolean;
};

/** A pattern without a slash matches at every depth, as in `.gitignore`. */
export function chooser({ include, exclude }: FileChoice): Chooser {
  const included = include.length === 0 ? () => true : matcher(include);
  const excluded = exclude.length === 0 ? () => false : matcher(exclude);
  return {
    file: (path) => !isHidden(path) && included(path) && !excluded(path),
    folder: (path) => !isHidden(path) && !excluded(path) && !excluded(`${path}/`),
  };
}

/** Whether a segment of the path begins with a dot. */
export function isHidden(path: string): boolean {
  return path.split("/").some((name) => name.startsWith("."));
}

export function matcher(patterns: string[]): (path: string) => boolean {
  const everywhere = patterns.flatMap((pattern) => {
    const inner = pattern.replace(/^\.?\//, "").replace(/\/$/, "");
    const anchored = inner.includes("/") || pattern.startsWith("/");
    const base = anchored ? inner : `**/${inner}`;
    return [base, `${base}/**`];
  });
  return picomatch(everywhere);
}
