import { wordsOf } from "./words.ts";

/**
 * Frequent words that build sentences, as `wordsOf` folds them, few of which code has. Norwegian
 * counts as Danish: the stems agree. English and Vietnamese are here so that their texts are not
 * taken for others: FTS5 stems English, and Vietnamese words have one form. Others have no words here.
 */
export const FUNCTION_WORDS = {
  en: `
    an and any are at be been by can for from has have how if in is it its may not of on one or
    should such than that the their them there these they this to was what when which who will
    with you`,
  de: `
    aber als auch auf bei bis darf das dem den der des die durch ein eine er es fur haben hat im
    ist jeder jemand kann keine konnen man mit nach nicht noch nur ob oder sein seine sich sie
    uber und unter von vor wenn wer werden wie wird zu zum`,
  fr: `
    a ainsi au aux avant avec ce cette dans de des du elle en est et etre fait il ils la le les
    leur leurs lors mais ne nous on ou par pas peut peuvent pour que quel qui sa sans se sera ses
    si soit son sont sous sur tous tout toute un une vous y`,
  es: `
    a al alguien cada como con cual cuando de debe del desde donde e el en entre es esta este ha
    hay la las los mas no nos o para pero por puede pueden que quien se si sin sobre su sus tiene
    toda todo un una uno y ya`,
  it: `
    a ad ai alla alle anche che chi come con da dal dalla dei del della delle di e essere gli ha i
    il in la le ma nel nella non oppure per piu possono puo quando questo se si sia sono su sua
    suo tra tutti un una`,
  pt: `
    a alguem ao cada como da das de deve dos e ela ele entre esta foi ha isso mais mas nao nos o
    onde ou para pela pelo pode podem por quando que quem se sem sera seu seus so sobre sua tem
    toda todo um uma`,
  nl: `
    aan alle als bij dan dat de deze die dit door een en er haar heeft het hij hoe hun ieder
    iemand is kan kunnen maar mag men met naar niet om ook op te tegen tot uit van voor waar
    wanneer wie worden wordt zal zich zij zijn zonder`,
  sv: `
    alla andra ar att av de dem den denna dess det du ej eller en ett for fran hans har hon hur i
    inte kan man med nagon nagot och om pa sin sina sitt ska skall som till utan vad var vara vem
    vid`,
  da: `
    af alle andre at av de dem den denne der deres det dette du eller en enhver er et for fra hans
    have hva hvad hvem hvis hvor hvordan i ikke ingen kan man med noe noen nogen og om pa sig sin
    skal som til ved vil vaere`,
  fi: `
    ei etta han hanen ilman ja joka joku jonkun jos kaikki kuin kuka kun milloin miten mutta myos
    niin ole olla on onko ovat ovatko saa saako se sen sita tai tama voi voidaan voidaanko voiko`,
  hu: `
    a aki amely amelyek arra az azt be csak de egy ennek erre es ez ezt ha hogy hogyan is kell
    lehet meg mikor minden mint nem nincs olyan sem senki vagy van`,
  ro: `
    a al ale cand care ce cu dar de din dintre este fara fi fie fost ii in isi la lor mai nici nu
    o orice pe pentru poate prin sa sau se si sub sunt toate un unde unei`,
  tr: `
    ama bir bu bunu da daha de degil en gibi gore hangi hem her hic icin ile ise kadar kendi ki
    kimse mi midir nasil ne olan olarak olmak sonra tum uzere var ve veya ya`,
  pl: `
    albo ale byc czy dla gdzie i ich jak jako jeden jego jej jest juz kazdy kiedy kto ktora ktore
    ktory lub moga moze mozna na nad nie o od oraz po pod przez sa sie tego tej tylko w wszystkie
    z za ze`,
  cs: `
    a ale ani az bude byt ie jak jako je jeho jejich jsou k kazdy kdo kdy ktere ktery lze ma mezi
    mit mohou muze na nebo neni po pokud pri pro proti se svych tak ten tim v ve vse za ze`,
  vi: `
    ai ban bi cac cho co cua de den duoc hay hoac khi khong la mot nao nay neu nguoi nhung phai
    ra rang tap theo thi trong tu va ve voi`,
  other: "",
} as const;

/** Russian and Ukrainian ones: a query is not searched by them. */
const CYRILLIC_FUNCTION_WORDS = new Set(
  `а або але без би була були было быть був бути в вам ви від він вона вони воно вы где да де
  для до его ее если есть еще є же з за и из или им их і й його її їх к как какие какой когда кого
  коли которые который кто куди ли лише меня мені мне мої моя может можна можно можу можут можуть
  мой мы на над не него нет ни них ній ними но о об обо он она они оно от по под поза после при
  про під після с своего свого своєї скільки сколько со та так також такий там те тем ти то того
  тоже той только том треба ты у уже хто це цей ці цього чего чем чи чого чому что чтобы ще що щоб
  эта эти это этого этой этом я як яка яке який якого які якщо`.match(/\S+/g),
);

/** A language of the Latin script; those of other scripts need no telling apart. */
export type Language = keyof typeof FUNCTION_WORDS;

export const isLanguage = (name: string): name is Language => Object.hasOwn(FUNCTION_WORDS, name);
export const LANGUAGES = Object.keys(FUNCTION_WORDS).filter(isLanguage);

const NORWEGIAN = /^n[bno]$/;

/** The language of a BCP 47 tag; null for those that are not distinguished here. */
export function languageOfTag(tag: string | null): Language | null {
  const [primary = ""] = tag?.toLowerCase().split("-") ?? [];
  const name = primary.replace(NORWEGIAN, "da");
  return isLanguage(name) ? name : null;
}

const languagesByWord = new Map<string, Language[]>();
for (const language of LANGUAGES) {
  for (const word of FUNCTION_WORDS[language].match(/\S+/g) ?? []) {
    languagesByWord.set(word, [...(languagesByWord.get(word) ?? []), language]);
  }
}

/** The beginning of a longer text decides. */
const LOOKED_AT_CHARACTERS = 600;
/** Least weight of function words, each shared among its languages: a share of all words. */
const MIN_SHARE = 0.06;
const MIN_WEIGHT = 0.6;
/** Against the next language. */
const MIN_MARGIN = 1.25;

/** Words of at least two letters: others may be names, one alone a part of a compound. */
const MIN_FUNCTION_WORDS = 3;
const DIACRITIC = /[\u00df-\u024f\u1ea0-\u1eff]/g;
const MIN_DIACRITICS = 0.01;
const VIETNAMESE = /[\u1ea0-\u1eff]/;

/** The language of a question in Latin script; null where its words do not show it. */
export const languageOfQuestion = (question: string): Language | null =>
  languageFrom(question, 1) ?? (VIETNAMESE.test(question) ? "vi" : null);

/** The language of a text in Latin script, by its function words; null if they do not show it. */
export function languageOf(text: string): Language | null {
  const sample = text.slice(0, LOOKED_AT_CHARACTERS);
  return languageFrom(sample, hasDiacritics(sample) ? 1 : MIN_FUNCTION_WORDS);
}

/** Tells a language by letters where words do not: most languages have diacritics. */
export function languageByLetters(text: string): Language | null {
  const sample = text.slice(0, LOOKED_AT_CHARACTERS);
  if (VIETNAMESE.test(sample)) return "vi";
  return hasDiacritics(sample) ? "other" : null;
}

const hasDiacritics = (text: string): boolean =>
  (text.match(DIACRITIC)?.length ?? 0) > MIN_DIACRITICS * text.length;

function languageFrom(text: string, leastWords: number): Language | null {
  const words = wordsOf(text.slice(0, LOOKED_AT_CHARACTERS));
  const weights = new Map<Language, number>();
  const tellingWords = new Set<string>();
  for (const word of words) {
    const languages = languagesByWord.get(word);
    if (languages === undefined) continue;
    if (word.length > 1) tellingWords.add(word);
    for (const language of languages)
      weights.set(language, (weights.get(language) ?? 0) + 1 / languages.length);
  }
  const [first, next] = [...weights].sort((a, b) => b[1] - a[1]);
  const [[best, most], [, second]] = [first ?? [null, 0], next ?? [null, 0]];
  const tells = most >= Math.max(MIN_WEIGHT, MIN_SHARE * words.length, MIN_MARGIN * second);
  return tells && tellingWords.size >= leastWords ? best : null;
}

export const isFunctionWord = (word: string, language: Language | null): boolean =>
  CYRILLIC_FUNCTION_WORDS.has(word) ||
  (language !== null && (languagesByWord.get(word)?.includes(language) ?? false));
