/** Elements whose content is no text of the document. */
export const SKIPPED = new Set(
  "script style noscript template svg canvas iframe object audio video map datalist select button rp annotation annotation-xml".split(
    " ",
  ),
);

/** Elements that stand on lines of their own. */
export const BLOCKS = new Set(
  "address article aside blockquote body center details dialog div dd dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table caption thead tbody tfoot tr td th ul".split(
    " ",
  ),
);

const NAVIGATION_ROLES = new Set(["navigation", "search", "contentinfo", "menu", "menubar"]);
const NAVIGATION_NAMES =
  /^(nav|navbar|navigation|main-nav|site-nav|top-nav|nav-menu|menu|main-menu|breadcrumbs?|site-footer|page-footer|side-?bar|cookie-(banner|notice|consent|bar)|skip-links?)$/;
const CONTAINERS = new Set(["div", "ul", "ol", "section", "aside"]);

/** Whether an element leads around the site instead of belonging to the document. */
export function isNavigation(
  name: string,
  attributes: Record<string, string>,
  insideContent: boolean,
): boolean {
  if (name === "nav" || NAVIGATION_ROLES.has(attributes["role"] ?? "")) return true;
  if (name === "footer" && !insideContent) return true;
  if (!CONTAINERS.has(name)) return false;
  const names = `${attributes["class"] ?? ""} ${attributes["id"] ?? ""}`.toLowerCase();
  return names.split(/\s+/).some((each) => NAVIGATION_NAMES.test(each));
}
