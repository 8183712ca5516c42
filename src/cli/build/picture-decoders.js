/**
 * Appended to pdf.js's decoders, which it uses: `Jbig2Image`, `CCITTFaxDecoder`, `JpegImage`. Those of
 * JBIG2 and JPEG are generators; `spend` is called within them, for each pixel, symbol, bit and block.
 */
/* global Jbig2Image, CCITTFaxDecoder, JpegImage, dctZigZag, setVerbosityLevel */
/** A damaged picture would write a line into the log for each of its markers. */
setVerbosityLevel(0);
/** Counts of the picture that is being decoded: others are, between its turns. */
let [left, spent, aTurn] = [0, 0, 0];
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
const BILEVEL = { most: 1e8, each: 2.5e5 };
/** Blocks of 64 samples: each scan of a progressive JPEG visits each. */
const JPEG = { most: 1e7, each: 6e3 };
/** What a generator returns, which yields where others are to have a turn. */
async function inTurns(steps, { most, each }, height = 0) {
  let budget = most;
  for (;;) {
    [left, spent, aTurn, pageHeight] = [budget, 0, each, height];
    const step = steps.next();
    if (step.done) return step.value;
    budget = left;
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

/**
 * Bytes of a JPEG's samples, and its pixels: as PNG they take less than a picture may have, and models
 * reduce them further.
 */
const [JPEG_BYTES, JPEG_PIXELS] = [24e6, 7.1e6];
/** Colours of a progressive picture that are as fine as its grey take a quarter. */
const isHalved = ({ progressive, components, maxH, maxV }, component) =>
  progressive &&
  components.indexOf(component) > 0 &&
  components.length === 3 &&
  component.h * component.v === maxH * maxV;
/** Progressive pictures have two bytes for a sample, and a bit more for each of the file's. */
function sideOf(frame) {
  const { samplesPerLine, scanLines, components, maxH, maxV, progressive } = frame;
  const pixels = samplesPerLine * scanLines;
  let [bytes, marks] = [0, 0];
  for (const component of components) {
    const share = (component.h * component.v) / (maxH * maxV);
    bytes += share * (isHalved(frame, component) ? 0.5 : progressive ? 2 : 1);
    marks += progressive ? share / 8 : 0;
  }
  const share = Math.min(1, JPEG_PIXELS / pixels, (JPEG_BYTES / pixels - marks) / bytes);
  if (!(share >= 1 / 64)) throw new Error("too large");
  return Math.floor(Math.sqrt(64 * share));
}

/** Where each frequency of 8 by 8 lies in a block of the lowest ones; the others lie in none. */
const placesOf = (side) =>
  Int32Array.from(dctZigZag, (place) =>
    place % 8 < side && place >> 3 < side ? (place >> 3) * side + (place % 8) : 2 ** 30,
  );
/**
 * Blocks of 8 by 8 samples become `side` by `side`, of their lowest frequencies: J. Smith and
 * S.-F. Chang (1996) and libjpeg's `scale_num`.
 */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function prepareBlocks(frame, component, blocks) {
  const { progressive, precision, maxH, maxV } = frame;
  frame.side ??= sideOf(frame);
  const side = isHalved(frame, component) ? Math.ceil(frame.side / 2) : frame.side;
  const scale = side / frame.side;
  const area = side * side;
  const basis = Float32Array.from({ length: area }, (_, at) => {
    const frequency = Math.floor(at / side);
    const angle = ((2 * (at % side) + 1) * frequency * Math.PI) / (2 * side);
    return Math.sqrt((frequency === 0 ? 1 : 2) / 8 / 2 ** (precision - 8)) * Math.cos(angle);
  });
  const stride = progressive ? area + 4 : area;
  const [scaleX, scaleY] = [(scale * component.h) / maxH, (scale * component.v) / maxV];
  const places = placesOf(side);
  Object.assign(component, { side, area, stride, basis, places, scaleX, scaleY });
  component.output = progressive ? null : new Uint8Array(blocks * stride).fill(128);
  component.blockData = new Int16Array(progressive ? blocks * stride : 64);
}

const [sums, samples] = [new Float32Array(64), new Float32Array(64)];
/** One row of frequencies as it varies across; false: there are none. */
function addRow({ side, basis, blockData, quantizationTable }, from, v) {
  let isEmpty = true;
  sums.fill(0, 0, side);
  for (let u = 0; u < side; u++) {
    const value = blockData[from + u] * quantizationTable[v * 8 + u];
    if (value === 0) continue;
    isEmpty = false;
    for (let x = 0; x < side; x++) sums[x] += value * basis[u * side + x];
  }
  return !isEmpty;
}
/** From the frequencies at `from` to samples at `to`. */
function invert(component, from, to) {
  const { side, area, basis, output } = component;
  const width = output === null ? side : 8;
  samples.fill(128.5, 0, area);
  for (let v = 0; v < side; v++) {
    if (!addRow(component, from + v * width, v)) continue;
    for (let y = 0; y < side; y++) {
      const share = basis[v * side + y];
      for (let x = 0; x < side; x++) samples[y * side + x] += share * sums[x];
    }
  }
  const data = output ?? component.blockData;
  for (let at = 0; at < area; at++) {
    const value = Math.max(0, Math.min(255, Math.floor(samples[at])));
    data[to + at] = value;
    if (value !== 128) component.isColoured = true;
  }
}

/** Blocks of a picture that is not progressive come once, and whole. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
const decodeAtOnce = (decode) => (component, blockOffset) => {
  component.blockData.fill(0);
  decode(component, 0);
  invert(component, 0, blockOffset);
};

/** Whether a frequency has a value, which later scans refine, is kept for those in no block, too. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function mark({ blockData, area }, block, frequency) {
  if (frequency < 64) blockData[block + area + (frequency >> 4)] |= 1 << (frequency & 15);
}
// oxlint-disable-next-line no-unused-vars -- called by the decoders
const isMarked = ({ blockData, area }, block, frequency) =>
  (blockData[block + area + (frequency >> 4)] >> (frequency & 15)) & 1;

const columnOf = ({ side, stride }, x) => Math.floor(x / side) * stride + (x % side);
const rowOf = ({ side, stride, blocksPerLine }, y) =>
  Math.floor(y / side) * stride * (blocksPerLine + 1) + (y % side) * side;

const PIXELS_A_TURN = 1 << 18;
/** Of `form`'s width and height, or what gives rows of its own. */
export async function jpegSamples(bytes, options, form) {
  const image = new JpegImage(options);
  await inTurns(image.parse(bytes), JPEG);
  const { width, height } = form.inRows ? image : form;
  const readRows = (from, rows) => {
    Object.assign(image, { from, end: from + rows });
    return image.getData({ ...form, width, height });
  };
  if (form.inRows) return { width, height, readRows };
  if (!(width * height <= 12e6)) throw new Error("too large");
  let data = null;
  const most = Math.ceil(PIXELS_A_TURN / width);
  for (let from = 0; from < height; from += most) {
    const rows = Math.min(most, height - from);
    const band = readRows(from, rows);
    const step = band.length / rows;
    data ??= new Uint8ClampedArray(step * height);
    data.set(band, from * step);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return data;
}

/** The sample of a pixel, whose place in a plane of blocks is the sum of its column's and its row's. */
function samplerOf(component, width, height) {
  const { output, scaleX, scaleY } = component;
  const columns = Int32Array.from({ length: width }, (_, x) =>
    columnOf(component, Math.floor(x * scaleX)),
  );
  const rows = Int32Array.from({ length: height }, (_, y) =>
    rowOf(component, Math.floor(y * scaleY)),
  );
  return (x, y) => output[columns[x] + rows[y]];
}

/** Its pixels are made when they are read, as all of them are larger than the samples. */
export async function decodeJpeg(bytes) {
  const image = new JpegImage();
  await inTurns(image.parse(bytes), JPEG);
  const { width, height, components, _isColorConversionNeeded: isConverted } = image;
  const samplers = components.map((component) => samplerOf(component, width, height));
  const [first, second, third, black] = samplers;
  const size = { width, height };
  const copyGrey = (x, y, line, at) => line.fill(first(x, y), at, at + 3);
  const [, blue, red] = components;
  const isGrey = third === undefined || (isConverted && !blue.isColoured && !red.isColoured);
  if (isGrey && black === undefined) return { ...size, bits: 8, copy: copyGrey };
  const copy = (x, y, line, at) => {
    line[at] = first(x, y);
    line[at + 1] = second(x, y);
    line[at + 2] = third(x, y);
    if (isConverted) convert(line, at);
    if (black !== undefined) addBlack(line, at, isConverted, black(x, y));
  };
  return { ...size, bits: 24, copy };
}

/** https://www.w3.org/Graphics/JPEG/jfif3.pdf */
function convert(line, at) {
  const [luma, blueness, redness] = [line[at], line[at + 1] - 128, line[at + 2] - 128];
  line[at] = luma + 1.402 * redness;
  line[at + 1] = luma - 0.344 * blueness - 0.714 * redness;
  line[at + 2] = luma + 1.772 * blueness;
}

/** Adobe's inks are inverted, and converted ones twice. */
function addBlack(line, at, isConverted, black) {
  for (let colour = at; colour < at + 3; colour++)
    line[colour] = ((isConverted ? 255 - line[colour] : line[colour]) * black) / 255;
}
