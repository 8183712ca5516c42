/** Orders of a directory listing, by Apache's and Caddy's own links. */
const ORDER =
  /^\?(?:C=[NMSD](?:[;&]O=[AD])?|sort=(?:name|namedirfirst|size|time)&order=(?:asc|desc))$/;

/**
 * Forms, versions and lists about a page, which wikis and weblogs link from each of their pages.
 * https://www.mediawiki.org/wiki/Manual:Parameters_to_index.php, https://www.dokuwiki.org/devel:actions
 */
const VIEWS: [generator: string, address: RegExp][] = [
  [
    "mediawiki",
    /[?&](?:action=(?!view\b)|(?:oldid|diff|curid|printable|mobileaction|veaction)=|redlink=1)|[/=]Special:/,
  ],
  ["dokuwiki", /[?&](?:do=(?!show\b)|(?:rev|idx)=)/],
  ["wordpress", /[?&](?:replytocom|share)=/],
  // The first part of a list, whose parts are counted from 0.
  ["drupal", /\?page=0(?:%2C0)*$/],
];

/** Whether a link of a page made by this generator leads to another view of what is read already. */
export const isOtherView = ({ search, pathname }: URL, generator: string): boolean =>
  ORDER.test(search) ||
  VIEWS.some(([name, view]) => generator.startsWith(name) && view.test(`${pathname}${search}`));

/** Parameters by which a form to sign in or to agree leads back. */
const RETURN = /^(?:next|continue|return|redirect|dest|goto|back|rd$|service$)/i;

/** A value that is an address: from the root, or whole. */
const ADDRESS = /^(?:\/|https?:)/i;

export const isFormBefore = ({ pathname }: URL, form: URL): boolean =>
  [...form.searchParams].some(
    ([name, value]) =>
      RETURN.test(name) &&
      ADDRESS.test(value) &&
      URL.parse(value, form.href)?.pathname === pathname,
  );
