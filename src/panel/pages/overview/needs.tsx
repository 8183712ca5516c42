import type { Child } from "hono/jsx";

import type { Needs } from "../../../db/maintenance/overview-store.ts";
import { Data, LinkButton, type Tone } from "../../components/data.tsx";
import { count, countText, sentence } from "../../components/figures.ts";
import { leftOutSentences } from "../sources/scan-state.tsx";

export type Need = { tone: Tone; what: Child; why: string; href: string; remedy: string };

const SHOWN = 20;
const NO_REASON = "It could not be read.";

/** Sources come before files: one of them may keep thousands of files from being seen. */
export function needsOf({
  failingSources,
  failingFiles,
  waiting,
  failing,
  endpoints,
  problem,
}: Needs): Need[] {
  const groups = filesByReason(failingFiles).slice(0, SHOWN);
  const listedFiles = groups.reduce((sum, files) => sum + files.length, 0);
  return [
    ...needOfStorage(problem),
    ...failingSources.map(needOfSource),
    ...waiting.map(needOfWaiting),
    ...endpoints.map(needOfEndpoint),
    ...groups.flatMap(needOf),
    ...needOfUnlisted(listedFiles, failing),
  ];
}

function needOfStorage(problem: string | null): Need[] {
  if (problem === null) return [];
  const what = <strong>Nothing can be stored.</strong>;
  const why = `${sentence(problem)} Uploads and indexing continue once there is room.`;
  return [{ tone: "bad", what, why, href: "/panel/sources", remedy: "See the sources" }];
}

const needOfWaiting = ({ identifier, name, errorMessage }: Needs["waiting"][number]) => ({
  tone: "warn" as const,
  what: (
    <>
      Files in <Data>{name}</Data> wait to be tried again
    </>
  ),
  why: sentence(errorMessage),
  href: `/panel/sources/${identifier}?status=pending`,
  remedy: "See the files",
});

const needOfEndpoint = ({ id, url }: Needs["endpoints"][number]) => ({
  tone: "bad" as const,
  what: (
    <>
      Events are not sent to <Data>{url}</Data> any more
    </>
  ),
  why: "It failed for three days, or answered that it is gone (410).",
  href: `/panel/settings/events/${id}`,
  remedy: "Open the endpoint",
});

function needOfSource(source: Needs["failingSources"][number]): Need {
  const { heldRemovals, identifier, name, error } = source;
  const href = `/panel/sources/${identifier}`;
  const subject = (says: string) => (
    <>
      Source{" "}
      <strong>
        <Data>{name}</Data>
      </strong>{" "}
      {says}
    </>
  );
  if (error === null && heldRemovals > 0) {
    return {
      tone: "warn",
      what: subject(`has lost ${countText(heldRemovals, "file")}.`),
      why: "That is more than half of it. Quarry removes nothing until somebody confirms.",
      href,
      remedy: "Review removals",
    };
  }
  if (source.status === "active" && source.leftOut.length === 0) {
    const { nobody = 0, unreadable = 0 } = source.access ?? {};
    const unread =
      unreadable === 0 ? "" : ` ${unreadable} of them have permissions that could not be read.`;
    return {
      tone: "warn",
      what: subject(`has ${countText(nobody, "file")} that nobody can read.`),
      why: `Searches do not find them.${unread}`,
      href: `${href}/permissions`,
      remedy: "See permissions",
    };
  }
  if (source.status === "active") {
    return {
      tone: "warn",
      what: subject("is read only in part."),
      why: leftOutSentences(source, source.leftOut).join(" "),
      href: `${href}/settings`,
      remedy: "Open settings",
    };
  }
  const why = `${sentence(error ?? NO_REASON)} What is indexed stays searchable.`;
  return { tone: "bad", what: subject("is not read."), why, href, remedy: "Open the source" };
}

/** Files that failed for the same reason in the same source are one need. */
const filesByReason = (failing: Needs["failingFiles"]) => [
  ...Map.groupBy(
    failing,
    ({ sourceIdentifier, errorMessage }) => `${sourceIdentifier} ${errorMessage ?? ""}`,
  ).values(),
];

function needOf(files: Needs["failingFiles"]): Need[] {
  const [first] = files;
  if (first === undefined) return [];
  const { filePath, sourceIdentifier, sourceName, errorMessage } = first;
  const isOne = files.length === 1;
  const tail = isOne ? `/file?path=${encodeURIComponent(filePath)}` : "?status=error";
  return [
    {
      tone: "warn",
      what: (
        <>
          {isOne ? (
            <Data mono>{filePath}</Data>
          ) : (
            <strong>{countText(files.length, "file")}</strong>
          )}{" "}
          in <Data>{sourceName}</Data>
        </>
      ),
      why: sentence(errorMessage ?? NO_REASON),
      href: `/panel/sources/${sourceIdentifier}${tail}`,
      remedy: isOne ? "See the file" : "See the files",
    },
  ];
}

/** The list of failing files ends before their count does. */
function needOfUnlisted(listedFiles: number, all: number): Need[] {
  if (all <= listedFiles) return [];
  const what = countText(all - listedFiles, "more file", "more files");
  const to = { href: "/panel/rags", remedy: "See the RAGs" };
  return [{ tone: "warn", what, why: "They failed as well.", ...to }];
}

export const Builds = ({ of: { indexes, filesDone, files } }: { of: Needs["builds"] }) =>
  indexes === 0 ? null : (
    <p class="notice">
      {countText(indexes, "index is", "indexes are")} being rebuilt: {count(filesDone)} of{" "}
      {countText(files, "file")}. The previous ones answer until then.
    </p>
  );

export const NeedsList = ({ needs }: { needs: readonly Need[] }) => (
  <ul class="needs">
    {needs.map(({ tone, what, why, href, remedy }) => (
      <li>
        <span class={`dot ${tone}`}></span>
        <div>
          {what}
          <div class="soft">
            <Data>{why}</Data>
          </div>
        </div>
        <LinkButton href={href} label={remedy} />
      </li>
    ))}
  </ul>
);
