/** Appended to pdf.js's decoders of JPEG 2000, with `picture-decoders.js` and `jpx-packets.js`. */
/* global JpxImage, PlainJpx, spend, isDue, inTurns, spent, aTurn, convert, addBlack, PIXELS_A_TURN, UnusualJpx */
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
/** Bits of a sample as they are kept: two bytes hold no overshoot of more. */
const [LEAST_DEPTH, MOST_DEPTH] = [8, 14];
// oxlint-disable-next-line no-unused-vars -- called by the decoders
const depthOf = ({ precision }) => Math.max(LEAST_DEPTH, Math.min(MOST_DEPTH, precision));
/** In half the memory; `from` would make a list of them. Fewer bits are spread, but not those of an index. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function roundedItems(items, { precision, isIndexed, isShifted }) {
  const rounded = new Int16Array(spend(items.length));
  const half = 2 ** (precision - 1);
  const isShort = precision < LEAST_DEPTH;
  const scale =
    isShort && !isIndexed ? 255 / (2 * half - 1) : 2 ** Math.min(0, MOST_DEPTH - precision);
  const shift = isShort && isShifted ? half * scale - 128 : 0;
  for (let at = 0; at < items.length; at++) rounded[at] = Math.round(items[at] * scale + shift);
  return rounded;
}
/** A component of fewer samples, as large as the first one. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function* enlarged(part, first = part) {
  const { width, height } = first;
  if (part.width === width && part.height === height) return part;
  const items = new Int16Array(spend(width * height));
  for (let y = 0; y < height; y++) {
    const from = Math.floor((y * part.height) / height) * part.width;
    for (let x = 0; x < width; x++)
      items[y * width + x] = part.items[from + Math.floor((x * part.width) / width)];
    if (isDue(spend(width))) yield;
  }
  return { ...part, width, height, items };
}
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function checkJpx(size, components) {
  const { Xsiz, Ysiz, XOsiz, YOsiz, XTsiz, YTsiz, XTOsiz, YTOsiz } = size;
  const [{ XRsiz, YRsiz }] = components;
  // The first tile has the first sample: B.3.
  const isTiled = (start, from, length) => from <= start && start < from + length;
  if (!isTiled(XOsiz, XTOsiz, XTsiz) || !isTiled(YOsiz, YTOsiz, YTsiz) || XRsiz * YRsiz !== 1)
    throw new UnusualJpx();
  const tiles = Math.ceil((Xsiz - XTOsiz) / XTsiz) * Math.ceil((Ysiz - YTOsiz) / YTsiz);
  spend(tiles * components.length * CODE_BLOCK);
}

/** Bytes before the codestream that are looked through: a profile of inks may have two million. */
const HEADER_BYTES = 1 << 22;
function checkSamples(bytes, reduction) {
  const head = bytes.subarray(0, HEADER_BYTES);
  const { width, height, componentsCount } = JpxImage.parseImageProperties(head);
  const samples = width * height * componentsCount;
  if (!(samples <= 200e6 && samples / 4 ** reduction <= 14e6)) throw new Error("too large");
}

/** Boxes before the codestream: I.5.3. */
function headerOf(bytes) {
  const start = bytes.subarray(0, HEADER_BYTES);
  const end = start.findIndex((_, at) => readUint32(start, at) === 0xff4fff51);
  const head = new TextDecoder("latin1").decode(start.subarray(0, end));
  const boxOf = (name) => {
    const at = head.indexOf(name);
    return at < 0 ? null : bytes.subarray(at + name.length, end);
  };
  const colours = boxOf("colr");
  return {
    colourSpace: colours?.[0] === 1 ? colours[6] : 0,
    palette: boxOf("pclr"),
    mapping: boxOf("cmap"),
    definitions: boxOf("cdef"),
  };
}

/** Bytes for each value, from a palette's column: I.5.3.4. */
function tableOf(palette, column) {
  const [count, columns] = [uint16(palette, 0), palette[2]];
  const values = palette.subarray(3 + columns);
  const scale = 255 / (2 ** ((palette[3 + column] & 127) + 1) - 1);
  if (column >= columns || scale < 1) throw new UnusualJpx();
  return Uint8ClampedArray.from(
    { length: 256 },
    (_, at) => values[Math.min(at, count - 1) * columns + column] * scale,
  );
}
/** Channels of a palette come by their mapping (I.5.3.5), colours by their numbers (I.5.3.6). */
function channelsOf({ palette, mapping, definitions }, { count, isIndexed }) {
  let channels = Array.from({ length: count }, (_, component) => ({ component, table: null }));
  if (isIndexed) return channels;
  if (palette !== null && mapping !== null)
    channels = Array.from({ length: palette[2] }, (_, at) => ({
      component: uint16(mapping, 4 * at),
      table: mapping[4 * at + 2] === 1 ? tableOf(palette, mapping[4 * at + 3]) : null,
    }));
  const sorted = [...channels];
  const defined = definitions === null ? 0 : uint16(definitions, 0);
  for (let at = 0; at < defined; at++) {
    const [channel, type, colour] = [2, 4, 6].map((from) => uint16(definitions, from + 6 * at));
    if (type === 0 && colour > 0 && colour <= channels.length && channel < channels.length)
      sorted[colour - 1] = channels[channel];
  }
  return sorted;
}
const isPlainOrder = (channels) =>
  channels.every(({ component, table }, at) => component === at && table === null);

const [CMYK, SYCC, EXTENDED_SYCC] = [12, 18, 24];
/**
 * A function that makes a pixel from samples at `from`. Without a colour space in the PDF, pdf.js expects RGBA,
 * whose last is that of the picture with `hasMask` only.
 */
function pixelWriter(channels, { components, hasMask, colourSpace }) {
  const count = channels.length;
  const read = (items, from, at) => {
    const { component, table } = channels[at];
    const value = items[from + component];
    return table === null ? value : table[value];
  };
  if (count < components) throw new UnusualJpx();
  if (components > 0)
    return (items, from, data, to) => {
      for (let at = 0; at < components; at++) data[to + at] = read(items, from, at);
    };
  const isGrey = count < 3;
  const hasAlpha = hasMask && count % 2 === 0;
  return (items, from, data, to) => {
    for (let at = 0; at < 3; at++) data[to + at] = read(items, from, isGrey ? 0 : at);
    data[to + 3] = hasAlpha ? read(items, from, count - 1) : 255;
    if (isGrey || hasAlpha) return;
    if (colourSpace === SYCC || colourSpace === EXTENDED_SYCC) convert(data, to);
    if (colourSpace !== CMYK || count < 4) return;
    for (let at = to; at < to + 3; at++) data[at] = 255 - data[at];
    addBlack(data, to, false, 255 - read(items, from, 3));
  };
}

/** Its pixels as pdf.js takes them. */
export async function decodeJpx(bytes, { reduction, ...form }) {
  checkSamples(bytes, reduction);
  const header = headerOf(bytes);
  const image = new PlainJpx();
  const isIndexed = form.isIndexed || header.palette !== null;
  await inTurns(image.parse(bytes, { reduction, isIndexed }), JPX);
  const channels = channelsOf(header, { ...form, count: image.componentsCount });
  const frame = frameOf(image, reduction);
  const [first] = image.tiles;
  const isWhole = first?.width === frame.width && first.height === frame.height;
  if (isWhole && channels.length === form.components && isPlainOrder(channels)) return first.items;
  const write = pixelWriter(channels, { ...form, colourSpace: header.colourSpace });
  return joinTiles(image, { frame, bytes: form.components || 4, write });
}

function frameOf({ x, y, width, height }, reduction) {
  const [left, top, right, bottom] = [x, y, x + width, y + height].map((edge) =>
    Math.ceil(edge / 2 ** reduction),
  );
  return { left, top, width: right - left, height: bottom - top };
}

async function joinTiles({ tiles, componentsCount }, { frame, bytes, write }) {
  const data = new Uint8ClampedArray(frame.width * frame.height * bytes);
  let pixels = 0;
  for (const { left, top, width, height, items } of tiles)
    for (let row = 0; row < height; row++) {
      const to = (top - frame.top + row) * frame.width + left - frame.left;
      for (let column = 0; column < width; column++)
        write(items, (row * width + column) * componentsCount, data, (to + column) * bytes);
      if ((pixels += width) < PIXELS_A_TURN) continue;
      pixels = 0;
      await new Promise((resolve) => setTimeout(resolve));
    }
  return data;
}
