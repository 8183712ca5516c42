/**
 * Appended to pdf.js's decoders, which it uses: `Jbig2Image`, `CCITTFaxDecoder`, `JpxImage`,
 * `JpegImage`. Those of JBIG2 and JPEG are generators; `spend` is called within them, for each
 * pixel, symbol, bit and block.
 */
/* global Jbig2Image, CCITTFaxDecoder, JpxImage, JpegImage, pureOpenJpeg, meansOf, setVerbosityLevel */
/** A damaged picture would write a line into the log for each of its markers. */
setVerbosityLevel(0);
/** Counts of the picture that is being decoded: others are, between its turns. */
let [left, spent, aTurn, samplesLeft] = [0, 0, 0, 0];
/** Of a JBIG2 page in stripes, which may leave it out. */
// oxlint-disable-next-line no-unused-vars -- read by the decoders
let pageHeight = 0;
function spend(count) {
  spent += count;
  if (!((left -= count) >= 0)) throw new Error("too large");
  return count;
}
// oxlint-disable-next-line no-unused-vars -- called by the decoders
const isDue = () => spent >= aTurn;
/** Bytes of memory that a row takes beside its pixels. */
const ROW = 64;
// oxlint-disable-next-line no-unused-vars -- called by the decoders
const paidRow = (width) => spend(width + ROW);
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function allocate(samples) {
  if (!((samplesLeft -= samples) >= 0)) throw new Error("too large");
  return samples;
}

const BILEVEL = { most: 1e8, each: 2.5e5 };
/** Blocks of 64 samples: each scan of a progressive JPEG visits each. */
const JPEG = { most: 1e7, each: 6e3 };
/** Of two bytes each: 26 megapixels of which colours have a quarter. */
const MAX_SAMPLES = 40e6;

/** What a generator returns, which yields where others are to have a turn. */
async function inTurns(steps, { most, each }, height = 0) {
  let [budget, samples] = [most, MAX_SAMPLES];
  for (;;) {
    [left, spent, aTurn, samplesLeft, pageHeight] = [budget, 0, each, samples, height];
    const step = steps.next();
    if (step.done) return step.value;
    [budget, samples] = [left, samplesLeft];
    await new Promise((resolve) => setTimeout(resolve));
  }
}

export async function decodeBilevel(bytes, width, height, globals, fax) {
  if (fax) return inTurns(decodeFax(bytes, height, fax), BILEVEL);
  const chunks = [globals, bytes].filter(Boolean).map((data) => {
    return { data, start: 0, end: data.length };
  });
  const data = await inTurns(new Jbig2Image().parseChunks(chunks), BILEVEL, height);
  for (let at = 0; at < data.length; at++) data[at] ^= 0xff;
  return data;
}
function* decodeFax(bytes, height, fax) {
  let at = 0;
  const columns = spend(fax.Columns);
  const decoder = new CCITTFaxDecoder({ next: () => (at < bytes.length ? bytes[at++] : -1) }, fax);
  const data = new Uint8Array(spend(((columns + 7) >> 3) * height)).fill(fax.BlackIs1 ? 0 : 0xff);
  for (let to = 0; to < data.length; to++) {
    const byte = decoder.readNextChar();
    if (byte < 0) break;
    data[to] = byte;
    spent += 8;
    if (isDue()) yield;
  }
  return data;
}

/** A module keeps the memory of its largest picture. */
export function openJpeg(bytes, reducePower = 0) {
  const { width, height, componentsCount } = JpxImage.parseImageProperties(bytes);
  const samples = width * height * componentsCount;
  if (!(samples <= 200e6 && samples / 4 ** reducePower <= 10e6)) throw new Error("too large");
  return pureOpenJpeg({ warn: () => {} });
}

const PIXELS_A_TURN = 1 << 18;
/** `writeRows` is handed a few rows at a time, a multiple of `by` but for the last ones. */
async function readJpeg(image, { width, height, ...colours }, by, writeRows) {
  const rows = by * Math.max(1, Math.floor(PIXELS_A_TURN / width / by));
  for (image.from = 0; image.from < height; image.from = image.end) {
    image.end = Math.min(height, image.from + rows);
    writeRows(image.getData({ width, height, ...colours }), image.from, image.end);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** Of `form`'s width and height. */
export async function jpegSamples(bytes, options, form) {
  const pixels = form.width * form.height;
  if (!(pixels <= 12e6)) throw new Error("too large");
  const image = new JpegImage(options);
  await inTurns(image.parse(bytes), JPEG);
  let data = null;
  await readJpeg(image, form, 1, (samples, from, end) => {
    const step = samples.length / (end - from);
    data ??= new Uint8ClampedArray(step * form.height);
    data.set(samples, from * step);
  });
  return data;
}

/** PNGs of larger photographs are above what a picture may have; models reduce them further. */
const [FULL, REDUCED] = [9e6, 6e6];
export async function decodeJpeg(bytes) {
  const image = new JpegImage();
  await inTurns(image.parse(bytes), JPEG);
  const { width, height } = image;
  const by = width * height > FULL ? Math.ceil(Math.sqrt((width * height) / REDUCED)) : 1;
  const [columns, lines] = [Math.ceil(width / by), Math.ceil(height / by)];
  const data = new Uint8ClampedArray(columns * lines * 3);
  await readJpeg(image, { width, height, forceRGB: true }, by, (samples, from, end) => {
    for (let y = from; y < end; y += by) {
      const rows = Math.min(by, end - y);
      const band = samples.subarray((y - from) * width * 3, (y - from + rows) * width * 3);
      const means = by === 1 ? band : meansOf(band, { width, rows, channels: 3, by });
      data.set(means, (y / by) * columns * 3);
    }
  });
  return { width: columns, height: lines, data };
}
