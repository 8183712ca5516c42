import { join } from "node:path";
import type { Plugin } from "vite";

const SOURCE = join(import.meta.dirname, "../../src");
/** Imports of our own modules: pdf.js and other data are too large for a message at the start. */
const DYNAMIC_IMPORT = /(?<!typeof )\bimport\((?<path>"\.[^"]+")\)/g;

/**
 * Loads what the Worker imports on demand when a file of tests begins. Vite's module runner asks
 * the test process at every `import()`, and events that ask for the same module at once share one
 * promise: those that did not begin it go on in an event that is not theirs, where workerd refuses
 * their I/O, or wait for good. The runtime itself shares nothing between events.
 */
export function staticImports(): Plugin {
  return {
    name: "static-imports",
    enforce: "pre",
    transform(code, id) {
      if (!id.startsWith(SOURCE)) return null;
      const imports: string[] = [];
      const changed = code.replace(DYNAMIC_IMPORT, (_all, path: string) => {
        const name = `module${imports.length}OnDemand`;
        imports.push(`import * as ${name} from ${path};`);
        return `Promise.resolve(${name})`;
      });
      return imports.length === 0 ? null : `${imports.join(" ")}${changed}`;
    },
  };
}
