import { createContext, useContext, type Child } from "hono/jsx";

import { webUrlIn } from "../../core/input/web-address.ts";
import { isoTime } from "../../core/time.ts";
import type { FileStatus as State } from "../../db/schema/rags.ts";
import { countText, percent, relativeTime } from "./figures.ts";

/** Every component may ask this of the page that shows it. */
type View = {
  /** The time of the request, ms. */
  now: number;
  /** Whether changes are offered: a member sees everything and is offered nothing to change. */
  mayChange: boolean;
};

export const View = createContext<View>({ now: 0, mayChange: false });

export const useView = (): View => useContext(View);

/** Shown to administrators alone. What is shown permits nothing: each change asks who sends it. */
export const ForAdmins = ({ children }: { children?: Child }) =>
  useView().mayChange ? <>{children}</> : null;

/** C0 and C1 controls but tab and line feed, and the marks that turn the direction of text. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const HIDDEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const REPLACEMENT = "\uFFFD";

/** Text of others with its control characters made visible. */
export const showHidden = (text: string) => text.replaceAll(HIDDEN, REPLACEMENT);

/** Somebody else's text in a line of ours: its direction is its own, and it breaks anywhere. */
export const Data = ({ children, mono = false }: { children: string; mono?: boolean }) => (
  <bdi class={mono ? "data mono" : "data"} dir="auto">
    {showHidden(children)}
  </bdi>
);

/** A link's address where others choose it: http and https only. Null: no link. */
export const safeHref = (address: string | null) => webUrlIn(address ?? "")?.href ?? null;

export const DataLink = ({ href, text }: { href: string; text: string }) => (
  <a href={href}>
    <Data>{text}</Data>
  </a>
);

/** Letters that always fit on a line, and those kept of a longer name's end. */
const WHOLE_LETTERS = 30;
const END_LETTERS = 18;

/** A name on one line: what does not fit is left out of its middle. The whole is shown on hover. */
export const Shortened = ({ text, mono = false }: { text: string; mono?: boolean }) => {
  const whole = showHidden(text);
  const letters = [...whole];
  const at = letters.length <= WHOLE_LETTERS ? letters.length : letters.length - END_LETTERS;
  return (
    <bdi class={mono ? "short mono" : "short"} dir="auto" title={whole}>
      <span>{letters.slice(0, at).join("")}</span>
      {at === letters.length ? null : <span>{letters.slice(at).join("")}</span>}
    </bdi>
  );
};

/** A link with such a name; screen readers are given it whole. */
export const ShortenedLink = ({ href, text }: { href: string; text: string }) => (
  <a class="name" href={href} aria-label={showHidden(text)}>
    <Shortened text={text} />
  </a>
);

export type Link = { href: string; label: string };
type LinkProps = Link & { kind?: "primary" | "danger" | "small" };

export const LinkButton = ({ href, label, kind }: LinkProps) => (
  <a class={kind === undefined ? "btn" : `btn ${kind}`} href={href}>
    {label}
  </a>
);

type DangerProps = { href: string; label: string; title?: string; children?: Child };

/** Leads to the page that asks before something is removed. */
export const DangerZone = ({ href, label, title, children }: DangerProps) => (
  <section class="danger-zone">
    {title === undefined ? null : <h2>{title}</h2>}
    {children}
    <LinkButton href={href} label={label} kind="danger" />
  </section>
);

/** A time relative to now, the exact one on hover; the page's script keeps it right. */
export const Time = ({ at }: { at: number }) => {
  const exact = isoTime(at);
  return (
    <time datetime={exact} title={exact.replace("T", " ").replace(/\.\d+Z$/, " UTC")}>
      {relativeTime(at, useView().now)}
    </time>
  );
};

/** A time, or the words for none. */
export const TimeOr = ({ at, none }: { at: number | null; none: string }) =>
  at === null ? <span class="soft">{none}</span> : <Time at={at} />;

/** A failure in its own words; nothing where there is none. */
export const Problem = ({ text }: { text: string | null }) =>
  text === null ? null : (
    <div class="problem">
      <Data>{text}</Data>
    </div>
  );

/** A second line, of somebody's own words. */
export const Faint = ({ text, mono = false }: { text: string; mono?: boolean }) => (
  <div class="faint">
    <Data mono={mono}>{text}</Data>
  </div>
);

/** Actions of a row. `of`: its name. Works without script; Escape closes it. */
export const Menu = ({ of, children }: { of: string; children: Child }) => (
  <details class="menu" name="row-menu">
    <summary class="btn small" aria-label={`Actions for ${showHidden(of)}`}>
      <span aria-hidden="true">⋯</span>
    </summary>
    <div>{children}</div>
  </details>
);

type PostProps = { action: string; label: string; values?: Record<string, string> | undefined };

/** An action of a menu that posts; others are links. */
export const MenuPost = ({ action, label, values }: PostProps) => (
  <form method="post" action={action}>
    <Hidden values={values} />
    <button>{label}</button>
  </form>
);

export type Tone = "ok" | "work" | "warn" | "bad" | "off";

/** A dot and a word: nothing depends on the colour alone. */
export const Status = ({ tone, children }: { tone: Tone; children: Child }) => (
  <span class="status">
    <span class={`dot ${tone}`}></span>
    {children}
  </span>
);

export const FILE_STATES: Record<State, [tone: Tone, word: string]> = {
  pending: ["work", "waiting"],
  processing: ["work", "being read"],
  indexed: ["ok", "indexed"],
  error: ["bad", "failed"],
  deleted: ["off", "deleted"],
};

/** The status of a file; null: no RAG indexes it. */
export const FileStatus = ({ status }: { status: State | null }) => {
  const [tone, word]: [Tone, string] = status === null ? ["off", "in no RAG"] : FILE_STATES[status];
  return <Status tone={tone}>{word}</Status>;
};

export type FileCounts = { pending: number; processing: number; indexed: number; error: number };

export const StatusBar = ({ counts }: { counts: FileCounts }) => {
  const { indexed, error } = counts;
  const underWay = counts.pending + counts.processing;
  const total = indexed + underWay + error;
  if (total === 0) return null;
  const parts = [
    { tone: "ok", files: indexed },
    { tone: "work", files: underWay },
    { tone: "bad", files: error },
  ];
  return (
    <svg
      class="bar"
      viewBox={`0 0 ${total} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={describeCounts(counts)}
    >
      <title>{describeCounts(counts)}</title>
      {parts.map(({ tone, files }, at) => (
        <rect
          class={tone}
          x={parts.slice(0, at).reduce((sum, part) => sum + part.files, 0)}
          width={files}
          height={1}
        />
      ))}
    </svg>
  );
};

/** "4,809 of 4,812 files indexed, 3 failed". */
export function describeCounts({ pending, processing, indexed, error }: FileCounts): string {
  const underWay = pending + processing;
  const total = indexed + underWay + error;
  if (total === 0) return "no files";
  const rest = [
    ...(underWay === 0 ? [] : [`${percent(underWay, total)} under way`]),
    ...(error === 0 ? [] : [`${countText(error, "file")} failed`]),
  ];
  const head = rest.length === 0 ? "all indexed" : `${percent(indexed, total)} indexed`;
  return [head, ...rest].join(", ");
}

export const Hidden = ({ values = {} }: { values?: Record<string, string> | undefined }) => (
  <>
    {Object.entries(values).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

/** One button that posts: scan now, try again. Values go along unseen. */
export const ActionButton = (props: {
  action: string;
  label: string;
  values?: Record<string, string>;
  kind?: "primary" | "danger" | "plain" | "link";
}) => (
  <form method="post" action={props.action} class="action">
    <Hidden values={props.values} />
    <button class={props.kind === "link" ? "link" : `btn ${props.kind ?? "plain"}`}>
      {props.label}
    </button>
  </form>
);
