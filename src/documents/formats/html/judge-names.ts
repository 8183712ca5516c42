import type { Attributes } from "./html-roles.ts";

/** `certain`: comments or advertised pages, whatever it holds; `likely`: unless it holds the text. */
export type NameCertainty = "certain" | "likely";

const CERTAIN =
  /^(?:comments|commentlist|respond|disqus|kommentare?|related|recommended|sharedaddy|newsletter|outbrain|taboola)$/;
const LIKELY =
  /^(?:commentform|footer|\w*teasers?|widgets?|sidebar|share|sharing|social|relatedposts|subscribe|subscription|signup|breadcrumbs?|promo|banner|ads?|advert(?:isement)?|cookie|pagination|pager|popular|trending|tags|tagcloud|aside|upsell|crosssell|donate|login|poll|saboxplugin|abh|likes|ratings?|follow)$/;
const LIKELY_PHRASES =
  /author-?(?:box|info|bio|desc|tooltip|card|about|profile)|about-?(?:the-?)?author|\bwp-rp|\b(?:entry|post|article)-?(?:utility|footer|tags?|share|rating)|tag-?(?:list|links|cloud)|post-ratings|read-?(?:more|also|next)|see-?also|more-?(?:articles|stories|news|posts|from)|saiba-mais|veja-tambem|\btoc-?container|(?:print|back|share)-?(?:button|link)|paywall|copyright|disclaimer|disclosure|factbox|community-notice|inline-?textbox|prev-?next|next-?prev|post-?nav|affiliate|view-?more|contact-?box|embed(?:ded)?-?article|internal-?link|interesting/;
const COMMENTS = /^(?:comments|commentlist|replies|answers|discussion|kommentare?)$/;

/** Elements that names say nothing about: parts of a text, or the page itself. */
const UNNAMED = /^(?:html|body|main|article|h[1-6]|p|pre|li|d[ldt]|table|tbody|t[rdh]|summary)$/;
const AROUND_ELEMENTS = new Set(["nav", "aside", "footer"]);
const AROUND_ROLES = new Set(["complementary", "contentinfo", "navigation", "search", "banner"]);
/** The ids of sections are made from their headings. */
const SECTION = /\b(?:(?:sub)*section|chapter|appendix|level\d|(?:ref)?sect\d|refentry)\b/;
/**
 * Classes that say what a page is about or how it looks: WordPress gives articles such ones, and
 * Elementor's widgets are all parts of a page.
 */
const OF_THE_PAGE = /^(?:tag|category|has|no|with|without|is|js|post-\d|type|elementor)-/;
const MAX_CHARACTERS = 1_000;

export function judgeNames(
  name: string,
  attributes: Attributes,
): { around: NameCertainty | null; isComments: boolean } {
  if (UNNAMED.test(name)) return { around: null, isComments: false };
  const { class: classes = "", id = "", role = "" } = attributes;
  const isSection = name === "section" || SECTION.test(classes);
  const own = `${classes} ${isSection ? "" : id}`
    .slice(0, MAX_CHARACTERS)
    .split(/\s+/)
    .filter((each) => !OF_THE_PAGE.test(each))
    .map((each) => each.replace(/([a-z])([A-Z])/g, "$1-$2").replaceAll("_", "-"))
    .join(" ")
    .toLowerCase();
  const words = own.split(/[\s-]+/);
  const isComments = words.some((each) => COMMENTS.test(each));
  if (words.some((each) => CERTAIN.test(each))) return { around: "certain", isComments };
  const isAround = AROUND_ELEMENTS.has(name) || AROUND_ROLES.has(role) || LIKELY_PHRASES.test(own);
  const isLikely = isAround || words.some((each) => LIKELY.test(each));
  return { around: isLikely ? "likely" : null, isComments };
}
