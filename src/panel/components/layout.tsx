import type { Child } from "hono/jsx";

import type { Session } from "../../access/sessions/find-session.ts";
import type { AssetNames } from "../pages/request/assets.ts";
import type { Flash } from "../pages/request/flash.ts";
import type { Theme } from "../pages/request/theme.ts";
import { Data, visible } from "./data.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { KeysDialog } from "./keys-dialog.tsx";
import { Notice, ShownOnce, Warning } from "./notice.tsx";

type Place = { name: string; path: string; icon: IconName; onPhones?: true };

/** The places of the panel, in the order of the left column. */
const PLACES: readonly Place[] = [
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

export type LayoutProps = {
  title: string;
  place: Place | null;
  assets: AssetNames;
  theme: Theme | null;
  session: Session;
  /** Empty: it has none. */
  version: string;
  flash: Flash | null;
  /** Seconds until what is marked `data-live` is fetched again; null: nothing changes by itself. */
  refreshSeconds: number | null;
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
          <PlaceLink entry={entry} isHere={entry === place} />
        ))}
        <MorePlaces place={place} session={session} theme={theme} />
        <Foot session={session} theme={theme} version={version} />
      </nav>
      <main id="main" tabindex={-1}>
        {flash?.notice == null ? null : <Notice text={flash.notice} />}
        {flash?.problem == null ? null : <Warning text={flash.problem} />}
        {flash?.secret == null ? null : <ShownOnce {...flash.secret} />}
        {children}
      </main>
      <KeysDialog />
    </Document>
  );
};

type DocumentProps = Pick<LayoutProps, "title" | "assets" | "theme" | "children"> & {
  refreshSeconds?: number | null;
};

/** A whole HTML document, with what every page loads. */
export const Document = ({ title, assets, ...of }: DocumentProps) => (
  <html lang="en" data-theme={of.theme ?? undefined}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${visible(title)} · Quarry`}</title>
      {assets.style === "" ? null : <link rel="stylesheet" href={assets.style} />}
      {assets.icon === "" ? null : <link rel="icon" href={assets.icon} type="image/svg+xml" />}
      {assets.script === "" ? null : <script type="module" src={assets.script}></script>}
    </head>
    <body data-refresh={of.refreshSeconds?.toString()}>{of.children}</body>
  </html>
);

const PlaceLink = ({ entry, isHere }: { entry: Place; isHere: boolean }) => (
  <a
    href={entry.path}
    class={entry.onPhones === true ? "place" : "place wide-only"}
    aria-current={isHere ? "page" : undefined}
  >
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
        <a href={entry.path} aria-current={entry === place ? "page" : undefined}>
          <Icon name={entry.icon} />
          {entry.name}
        </a>
      ))}
      <Mine session={session} theme={theme} />
    </div>
  </details>
);

const Foot = ({ session, theme, version }: Mine & { version: string }) => (
  <div class="foot">
    <Mine session={session} theme={theme} />
    {version === "" ? null : <span>version {version}</span>}
  </div>
);

/** Each is offered where the page has the other one. */
const THEMES = [
  { value: "dark", name: "Dark", where: "where-light" },
  { value: "light", name: "Light", where: "where-dark" },
];

/** One's own account, the colours, signing out. */
const Mine = ({ session, theme }: Mine) => (
  <>
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
