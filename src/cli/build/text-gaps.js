/**
 * Prepended to pdf.js, which takes each gap of 0.102 em for a space. Where the other gaps of a text
 * are far wider, one below 0.13 em is the distance of two letters, as in "netw ork".
 */
const [NARROW, SHARE] = [0.13, 0.45];

/** `gaps`: widths of the spaces of `str`, in the unit of `emWidth`. */
// oxlint-disable-next-line no-unused-vars -- called by pdf.js
function closeNarrowGaps(item, emWidth) {
  const { str, gaps } = item;
  const isBelow = (gap, limit) => gap > 0 && gap < limit * emWidth;
  if (!gaps.some((gap) => isBelow(gap, NARROW))) return;
  const median = gaps.toSorted((a, b) => a - b)[gaps.length >> 1];
  const isNarrow = (gap) => isBelow(gap, NARROW) && gap < SHARE * median;
  const isLetter = (part) => /^\p{L}/u.test(part);
  const narrow = new Set();
  let at = 0;
  item.str = str.filter((part, index) => {
    if (part !== " ") return true;
    const isWithin = isNarrow(gaps[at]) && isLetter(str[index - 1]) && isLetter(str[index + 1]);
    if (isWithin) narrow.add(at);
    at++;
    return !isWithin;
  });
  item.gaps = gaps.filter((_gap, index) => !narrow.has(index));
}
