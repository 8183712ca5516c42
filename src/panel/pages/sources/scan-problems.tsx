import type { ScanRun } from "../../../db/scans/run-pages.ts";
import type { SourceManifest } from "../../../sources/source-manifest.ts";
import { Data, Problem } from "../../components/data.tsx";
import { counted } from "../../components/figures.ts";

type Scanned = Pick<ScanRun, "failed" | "problems" | "added" | "changed" | "unchanged">;

/** What a scan could not read, why, and what to do about it; nothing where it read all. */
export const ScanProblems = ({ scan, manifest }: { scan: Scanned; manifest: SourceManifest }) => {
  const isWeb = manifest.takes === "addresses";
  const { failed, problems, added, changed, unchanged } = scan;
  if (failed === 0) return null;
  const what = counted(failed, isWeb ? "address" : "item", isWeb ? "addresses" : "items");
  const untold = failed - problems.length;
  const isAll = added + changed + unchanged === 0;
  return (
    <details class="why" open={isAll} data-unfolded={isAll ? "" : undefined}>
      <summary>{what} not read: show reasons</summary>
      <ul>
        {problems.map(({ path, message }) => (
          <li>
            <Data>{path}</Data>
            <Problem text={message} />
          </li>
        ))}
      </ul>
      {untold <= 0 ? null : <p>And {untold} more.</p>}
      <p class="soft">
        {manifest.notifications !== undefined
          ? "Searches do not find them. Quarry tries them again when they change, and at every full listing."
          : "Earlier versions of them stay searchable. Every scan tries them again."}
        {isWeb ? " The settings can leave out pages that you do not need." : ""}
      </p>
    </details>
  );
};
