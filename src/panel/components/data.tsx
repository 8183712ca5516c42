import type { Child } from "hono/jsx";

import { webUrlIn } from "../../core/input/web-address.ts";
import { isoTime } from "../../core/time.ts";
import { relative } from "./figures.ts";
import { Hidden } from "./form.tsx";
import { useView } from "./view.tsx";

/** C0 and C1 controls but tab and line feed, and the marks that turn the direction of text. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const HIDDEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const REPLACEMENT = "\uFFFD";

/** Text of others with its control characters made visible. */
export const visible = (text: string) => text.replaceAll(HIDDEN, REPLACEMENT);

/** Somebody else's text in a line of ours: its direction is its own, and it breaks anywhere. */
export const Data = ({ children, mono = false }: { children: string; mono?: boolean }) => (
  <bdi class={mono ? "data mono" : "data"} dir="auto">
    {visible(children)}
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
  const whole = visible(text);
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
  <a class="name" href={href} aria-label={visible(text)}>
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
      {relative(at, useView().now)}
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
    <summary class="btn small" aria-label={`Actions for ${visible(of)}`}>
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
