import { findByName } from "../../db/catalog/panel-lists.ts";
import { Data } from "../components/data.tsx";
import { PLACES, placeAt } from "../components/layout.tsx";
import { SearchFilter } from "../components/table.tsx";
import { isAdmin, page, type PageContext } from "./page.tsx";
import { filterIn } from "./request/list.tsx";
import { ADMINS_TABS, SETTINGS, TABS } from "./settings/settings-page.tsx";

const FIND = "/panel/find";

/**
 * Pages and everything that has a name, by a part of it; the dialog of `Ctrl K` shows its list.
 * `?first=` leads on to the first.
 */
export async function findPage(context: PageContext): Promise<Response> {
  const part = filterIn(context, "q") ?? "";
  const mayAll = isAdmin(context);
  const named = part === "" ? [] : await findByName(context.get("services").db, part, mayAll);
  const pages = [
    ...PLACES,
    { name: "First steps", path: "/panel/first-steps" },
    { name: "Account", path: "/panel/account" },
    ...Object.entries(mayAll ? ADMINS_TABS : TABS).map(([tail, name]) => {
      return { name, path: SETTINGS + tail };
    }),
  ];
  const links = [
    ...pages
      .filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()))
      .map(({ name, path }) => ({ kind: "Page", name, href: path })),
    ...named.map(({ kind, name, identifier }) => {
      const list = `/panel/${kind}`;
      const search = `${list}?${new URLSearchParams({ q: name }).toString()}`;
      const href = kind === "tokens" ? search : `${list}/${identifier}`;
      return { kind: placeAt(list)?.name, name, href };
    }),
  ];
  const [first] = links;
  if (first !== undefined && context.req.query("first") !== undefined)
    return context.redirect(first.href, 303);
  return await page(
    context,
    { title: "Find", isFinder: true },
    <>
      <SearchFilter action={FIND} label="Page or name" part={part} />
      <ul id="found" class="plain" data-live>
        {links.map(({ kind, name, href }) => (
          <li>
            <a href={href}>
              <Data>{name}</Data> <span class="faint">{kind}</span>
            </a>
          </li>
        ))}
        {links.length === 0 ? <li class="soft">No matches.</li> : null}
      </ul>
    </>,
  );
}
