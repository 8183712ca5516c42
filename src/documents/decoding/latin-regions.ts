/** Parts of the world whose languages share an encoding. */
export type LatinRegion = "western" | "central" | "turkish" | "baltic";

/**
 * Frequent words in plain letters, which every encoding shows alike. None of them is frequent in
 * another region (Latvian "par" is French as well, Lithuanian "bei" German), and none is English: an English text may name anyone.
 */
const WORDS: Record<LatinRegion, string> = {
  western:
    "il di del dell una con per op met aan ook als uit dit zou moet oder wenn sie zum el het een niet voor zijn dat worden deze ook maar naar wordt bij che della sono nel alla delle gli questo anche dei les des dans une pour qui sur avec pas vous nous cette los las por para del como este esta sus amb els dels aquest aquesta aquestes pot quan heu vostre uma dos das mais foi der und das nicht mit ist dem den ein eine auf sich werden wird och att inte till som ikke det eller ovat joka kun tai mutta ekki og sem fyrir eftir",
  central:
    "nie jest jak dla przez oraz ale jego czy tylko tego jako jsem jsou nebo byl bylo jeho kdy aby alebo ako hogy egy nem azt meg volt csak mint vagy din care este sunt prin pentru sau acest acesta aceasta unui unei poate asupra trebui ili ali kao koji samo",
  turkish: "bir ve bu olarak ile olan gibi daha veya ancak kadar",
  baltic: "ir yra kad tai uz lai nav jau arba iki kas kuri vai tiek gali",
};
const ENGLISH = new Set("the of and to is that for it with this are".split(" "));
const REGIONS = Object.entries(WORDS).map(([region, list]) => ({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys of WORDS
  region: region as LatinRegion,
  words: new Set(list.split(" ")),
}));

const MIN_HITS = 2;
const MIN_SHARE = 0.06;
const CLEAR_LEAD = 2;

/** By words within ASCII; null when they do not decide. */
export function latinRegionOf(bytes: Uint8Array): LatinRegion | "english" | null {
  const text = new TextDecoder("latin1").decode(bytes).toLowerCase();
  const words = text.match(/[a-z\u0080-\u00ff]+/g) ?? [];
  const hitsOf = (of: ReadonlySet<string>) => words.filter((word) => of.has(word)).length;
  const [first, second] = REGIONS.map(({ region, words: own }) => ({
    region,
    hits: hitsOf(own),
  })).sort((a, b) => b.hits - a.hits);
  if (first === undefined || second === undefined) return null;
  const english = hitsOf(ENGLISH);
  const least = Math.max(MIN_HITS, words.length * MIN_SHARE);
  if (english >= least && english > first.hits * CLEAR_LEAD) return "english";
  const others = Math.max(second.hits * CLEAR_LEAD, english);
  return first.hits >= least && first.hits > others ? first.region : null;
}
