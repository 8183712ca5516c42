import type { Child } from "hono/jsx";

import type { Session } from "../../access/sessions/find-session.ts";
import { Data, showHidden } from "./data.tsx";
import { Notice, ShownOnce, Warning } from "./notice.tsx";

type Place = { name: string; path: string; icon: IconName; onPhones?: true };

export const PLACES: readonly Place[] = [
  { name: "Overview", path: "/panel", icon: "overview", onPhones: true },
  { name: "Search", path: "/panel/search", icon: "search", onPhones: true },
  { name: "Sources", path: "/panel/sources", icon: "folder", onPhones: true },
  { name: "RAGs", path: "/panel/rags", icon: "layers", onPhones: true },
  { name: "Inferences", path: "/panel/inferences", icon: "message" },
  { name: "Agents", path: "/panel/agents", icon: "bot" },
  { name: "Evaluation", path: "/panel/evaluation", icon: "check" },
  { name: "Tokens", path: "/panel/tokens", icon: "key" },
  { name: "Settings", path: "/panel/settings", icon: "settings" },
];

/** The place of an address; null: in none, as one's own account. */
export const placeAt = (address: string): Place | null =>
  PLACES.find(({ path }, at) => address === path || (at > 0 && address.startsWith(`${path}/`))) ??
  null;

/** The addresses of the files that every page loads; their names hold the hash of their content. */
export type AssetNames = { style: string; script: string; icon: string };

export type Theme = "light" | "dark";

/** Told by one page, once. */
export type Flash = {
  path: string;
  notice: string | null;
  /** Something that somebody has to look at. */
  problem: string | null;
  secret: { label: string; value: string } | null;
};

export type LayoutProps = {
  title: string;
  place: Place | null;
  assets: AssetNames;
  theme: Theme | null;
  session: Session;
  version: string | undefined;
  flash: Flash | null;
  /** Seconds until what is marked `data-live` is fetched again; null: nothing changes by itself. */
  refreshSeconds: number | null;
  isFinder: boolean;
  children: Child;
};

export const Layout = (props: LayoutProps) => {
  const { title, place, assets, theme, session, version, flash, refreshSeconds, children } = props;
  return (
    <Document title={title} assets={assets} theme={theme} refreshSeconds={refreshSeconds}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <nav aria-label="Places" class="places">
        <a class="brand" href="/panel">
          <i></i>Quarry
        </a>
        {PLACES.map((entry) => (
          <PlaceLink
            entry={entry}
            isHere={entry === place}
            shown={entry.onPhones === true ? "place" : "place wide-only"}
          />
        ))}
        <MorePlaces place={place} session={session} theme={theme} />
        <div class="foot">
          <Mine session={session} theme={theme} />
          {version === undefined || version === "" ? null : <span>version {version}</span>}
        </div>
      </nav>
      <main id="main" tabindex={-1}>
        {flash?.notice == null ? null : <Notice text={flash.notice} />}
        {flash?.problem == null ? null : <Warning text={flash.problem} />}
        {flash?.secret == null ? null : <ShownOnce {...flash.secret} />}
        {children}
      </main>
      <KeysDialog />
      {props.isFinder ? null : <FindDialog />}
    </Document>
  );
};

type DocumentProps = Pick<LayoutProps, "title" | "assets" | "theme" | "children"> & {
  refreshSeconds?: number | null;
};

export const Document = ({ title, assets, ...rest }: DocumentProps) => (
  <html lang="en" data-theme={rest.theme ?? undefined}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${showHidden(title)} · Quarry`}</title>
      {assets.style === "" ? null : <link rel="stylesheet" href={assets.style} />}
      {assets.icon === "" ? null : <link rel="icon" href={assets.icon} type="image/svg+xml" />}
      {assets.script === "" ? null : <script type="module" src={assets.script}></script>}
    </head>
    <body data-refresh={rest.refreshSeconds?.toString()}>{rest.children}</body>
  </html>
);

const PlaceLink = ({ entry, isHere, shown }: { entry: Place; isHere: boolean; shown?: string }) => (
  <a href={entry.path} class={shown} aria-current={isHere ? "page" : undefined}>
    <Icon name={entry.icon} />
    {entry.name}
  </a>
);

type Mine = { session: Session; theme: Theme | null };

/** On phones: what the bar at the bottom has no room for. */
const MorePlaces = ({ place, session, theme }: Mine & { place: Place | null }) => (
  <details class="more-places">
    <summary class={place === null || place.onPhones === true ? undefined : "here"}>
      <Icon name="more" />
      More
    </summary>
    <div>
      {PLACES.filter(({ onPhones }) => onPhones !== true).map((entry) => (
        <PlaceLink entry={entry} isHere={entry === place} />
      ))}
      <Mine session={session} theme={theme} />
    </div>
  </details>
);

/** Each is offered where the page has the other one. */
const THEMES = [
  { value: "dark", name: "Dark", where: "where-light" },
  { value: "light", name: "Light", where: "where-dark" },
];

const Mine = ({ session, theme }: Mine) => (
  <>
    <a href="/panel/find">Find</a>
    <a href="/panel/account" title={session.email}>
      <Data>{session.email}</Data>
    </a>
    <span class="mine">
      <form method="post" action="/panel/theme">
        {THEMES.map(({ value, name, where }) =>
          theme === value ? null : (
            <button class={theme === null ? `link ${where}` : "link"} name="theme" value={value}>
              {name}
            </button>
          ),
        )}
        {theme === null ? null : (
          <button class="link" name="theme" value="">
            As the system
          </button>
        )}
      </form>
      <form method="post" action="/panel/sign-out">
        <button class="link">Sign out</button>
      </form>
    </span>
  </>
);

/*
 * Icons of Lucide (https://lucide.dev), 0.400.0. ISC License, copyright Lucide Contributors 2022;
 * for portions Cole Bemis 2013-2022 as part of Feather (MIT).
 */
const PATHS = {
  overview: "m12 14 4-4M3.34 19a10 10 0 1 1 17.32 0",
  search: "M3 11a8 8 0 1 0 16 0a8 8 0 1 0 -16 0M21 21l-4.3-4.3",
  folder:
    "M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z",
  layers:
    "m12.83 2.18a2 2 0 0 0-1.66 0L2.6 6.08a1 1 0 0 0 0 1.83l8.58 3.91a2 2 0 0 0 1.66 0l8.58-3.9a1 1 0 0 0 0-1.83ZM22 17.65l-9.17 4.16a2 2 0 0 1-1.66 0L2 17.65M22 12.65l-9.17 4.16a2 2 0 0 1-1.66 0L2 12.65",
  message: "M21 15a2 2 0 0 1-2 2H7l-4 4V5a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2z",
  bot: "M12 8V4H8M6 8h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-12a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2M2 14h2M20 14h2M15 13v2M9 13v2",
  check: "m3 17 2 2 4-4M3 7l2 2 4-4M13 6h8M13 12h8M13 18h8",
  key: "M2 18v3c0 .6.4 1 1 1h4v-3h3v-3h2l1.4-1.4a6.5 6.5 0 1 0-4-4ZM16.5 7.5h.01",
  settings: "M20 7h-9M14 17H5M14 17a3 3 0 1 0 6 0a3 3 0 1 0 -6 0M4 7a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
  more: "M4 12h16M4 6h16M4 18h16",
} as const;

type IconName = keyof typeof PATHS;

/** Decorates a word; it has no meaning alone. */
const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);

const KEYS = [
  ["/", "Search this list, or the documents"],
  ["Ctrl K", "Go to a page, or to something by its name"],
  ["?", "Show these keys"],
  ["Esc", "Close, or leave a field"],
] as const;

/** Opened by the page's script; without it the keys do nothing either. */
const KeysDialog = () => (
  <dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Keys</h2>
    <dl class="keys">
      {KEYS.map(([key, does]) => (
        <div>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
    <form method="dialog">
      <button class="btn">Close</button>
    </form>
  </dialog>
);

/** Filled by the page's script from the page that it names. Escape would first empty a search field. */
const FindDialog = () => (
  <dialog id="find" aria-label="Go to">
    <form method="get" action="/panel/find">
      <input type="hidden" name="first" value="on" />
      <input
        type="text"
        name="q"
        aria-label="Page or name"
        placeholder="Page or name"
        autocomplete="off"
        autofocus
        data-look="q"
      />
    </form>
    <ul id="found" class="plain"></ul>
  </dialog>
);
