/** Appended to pdf.js's decoders of JPEG 2000, `PlainJpx` and OpenJPEG, with `picture-decoders.js`. */
/* global JpxImage, PlainJpx, pureOpenJpeg, spend, inTurns, spent, aTurn, left */
/** Coefficients that are read, each in some passes. */
const JPX = { most: 6e8, each: 1e6 };
/** Coefficients that the entry of a block costs, of up to 4,096. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
const CODE_BLOCK = 5e3;
/** Steps that give no turn are refused where there are many. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function stretch(count) {
  spend(count);
  if (spent > 8 * aTurn) spend(Infinity);
}
/** In half the memory; `from` would make a list of them. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function roundedItems(items) {
  const rounded = new Int16Array(spend(items.length));
  for (let at = 0; at < items.length; at++) rounded[at] = Math.round(items[at]);
  return rounded;
}
class UnusualJpx extends Error {}
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function checkJpx({ Xsiz, Ysiz, XOsiz, YOsiz, XTsiz, YTsiz }, components) {
  const [{ precision }] = components;
  // Two bytes hold no overshoot of more bits.
  const isUsual = precision >= 8 && precision <= 14 && XOsiz + YOsiz === 0;
  const isPlain = components.every(
    (each) => each.precision === precision && !each.isSigned && each.XRsiz * each.YRsiz === 1,
  );
  if (!isPlain || !isUsual) throw new UnusualJpx();
  spend(Math.ceil(Xsiz / XTsiz) * Math.ceil(Ysiz / YTsiz) * components.length * CODE_BLOCK);
}

function checkSamples(bytes, reduction) {
  const { width, height, componentsCount } = JpxImage.parseImageProperties(bytes);
  const samples = width * height * componentsCount;
  const decoded = samples / 4 ** reduction;
  if (!(samples <= 200e6 && decoded <= 14e6)) throw new Error("too large");
  return { width, height, componentsCount, decoded };
}

/** Palettes, and luminance with colour differences: enumerated colour spaces 18 and 24. */
function hasUnusualColours(bytes) {
  const start = bytes.findIndex((byte, at) => byte === 0x4f && bytes[at + 2] === 0x51);
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, start));
  const at = head.indexOf("colr");
  return head.includes("pclr") || (at >= 0 && bytes[at + 4] === 1 && bytes[at + 10] > 17);
}
/** Its pixels as pdf.js takes them; null for what OpenJPEG alone reads, whole and slowly. */
export async function decodeJpx(bytes, { components, isIndexed, hasMask, reduction }) {
  const count = checkSamples(bytes, reduction).componentsCount;
  const isUsual = components === count || (components === 0 && [1, 3].includes(count));
  if (isIndexed || hasMask || !isUsual || hasUnusualColours(bytes)) return null;
  const image = new PlainJpx();
  try {
    await inTurns(image.parse(bytes, reduction), JPX);
    return joinTiles(image, components || 4, reduction);
  } catch (thrown) {
    if (left >= 0) return null;
    throw thrown;
  }
}

/** Without a colour space in the PDF, pdf.js expects RGBA. */
function joinTiles({ tiles, width, componentsCount: count, height }, channels, reduction) {
  if (tiles.length === 1 && channels === count) return tiles[0].items;
  const columns = Math.ceil(width / 2 ** reduction);
  const data = new Uint8ClampedArray(columns * Math.ceil(height / 2 ** reduction) * channels);
  for (const { left, top, width: across, height: down, items } of tiles)
    for (let y = 0; y < down; y++)
      for (let x = 0; x < across; x++) {
        const [from, to] = [(y * across + x) * count, ((top + y) * columns + left + x) * channels];
        for (let channel = 0; channel < channels; channel++)
          data[to + channel] = channel === 3 && count < 4 ? 255 : items[from + (channel % count)];
      }
  return data;
}

/** OpenJPEG takes so much memory that more samples than these are decoded at half the sides. */
const OPEN_JPEG_SAMPLES = 8e6;
/** A module keeps the memory of its largest picture, of which each growth would be a copy. */
export async function openJpeg(bytes, reduction) {
  const { width, height, decoded } = checkSamples(bytes, reduction);
  const decoder = await pureOpenJpeg({ warn: () => {} });
  const { _malloc: allocate, _free: free } = decoder;
  const halves = decoded > OPEN_JPEG_SAMPLES ? 1 : 0;
  free(allocate(bytes.length + (decoded / 4 ** halves) * 6));
  decoder.reduction = reduction + halves;
  decoder.enlarge = (data) => (halves === 0 ? data : doubled(data, { width, height, reduction }));
  return decoder;
}

/** pdf.js expects the size that it asked for. */
function doubled(data, { width, height, reduction }) {
  const sizeOf = (length, by) => Math.ceil(length / 2 ** by);
  const [columns, rows] = [sizeOf(width, reduction), sizeOf(height, reduction)];
  const half = sizeOf(width, reduction + 1);
  const channels = data.length / (half * sizeOf(height, reduction + 1));
  const pixels = new Uint8ClampedArray(columns * rows * channels);
  for (let to = 0, y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) {
      const from = ((y >> 1) * half + (x >> 1)) * channels;
      for (let channel = 0; channel < channels; channel++) pixels[to++] = data[from + channel];
    }
  return pixels;
}
