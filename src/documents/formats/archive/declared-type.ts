import type { ZipArchive } from "./zip-archive.ts";

const latin1 = new TextDecoder("latin1");
const HEAD_BYTES = 4_096;
/** The entry of the package itself. */
const ROOT = /<[^<>]{0,500}full-path=["']\/["'][^<>]{0,500}>/;

/**
 * The type that a package declares: its `mimetype`, which some writers leave out, or that of its
 * root in the manifest (ODF 1.3, part 2, §3.3 and §4.3). Empty where there is neither.
 */
export function declaredType(archive: ZipArchive): string {
  const headOf = (name: string) => {
    const [start] = archive.chunks(name);
    return latin1.decode(start?.subarray(0, HEAD_BYTES)).trim();
  };
  const root = ROOT.exec(headOf("META-INF/manifest.xml"))?.[0] ?? "";
  return headOf("mimetype") || (/media-type=["']([^"']*)/.exec(root)?.[1] ?? "");
}
