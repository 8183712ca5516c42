/**
 * Appended to pdf.js's decoders: what `jpeg2000` lacks of ISO/IEC 15444-1 (https://www.itu.int/rec/T-REC-T.800):
 * every order of packets, and every way to code a block.
 */
/* global ArithmeticDecoder, left, spend, stretch */
class UnusualJpx extends Error {}
/** Markers of other parts of the standard, regions of interest, and headers apart from their packets. */
// oxlint-disable-next-line no-unused-vars -- read by the decoders
const UNREAD = new Set([0xff50, 0xff5e, 0xff60, 0xff61]);
/** After other errors what was read is shown, as the rest is damaged. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
const isFinal = (error) => error instanceof UnusualJpx || left < 0;
const uint16 = (bytes, at) => (bytes[at] << 8) | bytes[at + 1];
/** Numbers of components have one byte, or two where there are many. */
const componentBytes = ({ SIZ }) => (SIZ.Csiz < 257 ? 1 : 2);
const componentAt = (bytes, at, size) => (size === 1 ? bytes[at] : uint16(bytes, at));

/** A component's own style of coding: A.6.2. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function addStyle(context, bytes) {
  const own = context.mainHeader ? context : context.currentTile;
  const size = componentBytes(context);
  const [flags, levels, width, height, modes, reversible, ...precincts] = bytes.subarray(
    2 + size,
    uint16(bytes, 0),
  );
  const [xcb, ycb] = [(width & 15) + 2, (height & 15) + 2];
  if (own.COD === undefined || xcb + ycb > 12) throw new UnusualJpx();
  own.COC[componentAt(bytes, 2, size)] = {
    ...own.COD,
    entropyCoderWithCustomPrecincts: flags & 1,
    precinctsSizes: precincts.map((each) => ({ PPx: each & 15, PPy: each >> 4 })),
    decompositionLevelsCount: levels,
    xcb,
    ycb,
    selectiveArithmeticCodingBypass: modes & 1,
    resetContextProbabilities: modes & 2,
    terminationOnEachCodingPass: modes & 4,
    verticallyStripe: modes & 8,
    segmentationSymbolUsed: modes & 32,
    reversibleTransformation: reversible,
  };
}

/** Orders that follow each other: A.6.6. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function addOrders(context, bytes) {
  const own = context.mainHeader ? context : context.currentTile;
  if (own.partIndex > 0) throw new UnusualJpx();
  const size = componentBytes(context);
  own.orders ??= [];
  for (let at = 2; at < uint16(bytes, 0); at += 5 + 2 * size)
    own.orders.push({
      level: bytes[at],
      component: componentAt(bytes, at + 1, size),
      layers: uint16(bytes, at + 1 + size),
      endLevel: bytes[at + 3 + size],
      endComponent: componentAt(bytes, at + 4 + size, size) || 256,
      order: bytes[at + 4 + 2 * size],
    });
}

/** Where a precinct stands in the picture: B.12.1.3. */
const positionOf = ({ start, from, index, size, scale }) =>
  index === 0 && from % size !== 0 ? start : (Math.floor(from / size) + index) * size * scale;

function precinctsOf(tile, components) {
  const precincts = [];
  for (const [component, { resolutions }] of tile.components.entries())
    for (const [level, resolution] of resolutions.entries()) {
      const { XRsiz, YRsiz } = components[component];
      const { trx0, try0, subbands, precinctParameters } = resolution;
      const { precinctWidth, precinctHeight, numprecinctswide } = precinctParameters;
      const scale = 2 ** (resolutions.length - 1 - level);
      stretch(64 * precinctParameters.numprecincts);
      for (let number = 0; number < precinctParameters.numprecincts; number++) {
        const [column, row] = [number % numprecinctswide, Math.floor(number / numprecinctswide)];
        const across = { start: tile.tx0, from: trx0, index: column, size: precinctWidth };
        const down = { start: tile.ty0, from: try0, index: row, size: precinctHeight };
        const x = positionOf({ ...across, scale: scale * XRsiz });
        const y = positionOf({ ...down, scale: scale * YRsiz });
        precincts.push({ component, level, number, x, y, subbands, layers: 0 });
      }
    }
  return precincts;
}

/** By what precincts are sorted: B.12.1. Layers come before all of it, after the level, or last. */
const ORDERS = [
  ["level", "component", "number"],
  ["level", "component", "number"],
  ["level", "y", "x", "component", "number"],
  ["y", "x", "component", "level", "number"],
  ["component", "y", "x", "level", "number"],
];
function groupsOf(precincts, order) {
  const keys = ORDERS[order];
  if (keys === undefined) throw new UnusualJpx();
  precincts.sort((one, other) => {
    const key = keys.find((each) => one[each] !== other[each]);
    return key === undefined ? 0 : one[key] - other[key];
  });
  if (order === 0) return [precincts];
  if (order > 1) return precincts.map((each) => [each]);
  return [...Map.groupBy(precincts, ({ level }) => level).values()];
}

function* packetsIn({ tile, components, orders, most }) {
  const precincts = precinctsOf(tile, components);
  for (const { order, level, endLevel, component, endComponent, layers } of orders) {
    stretch(16 * precincts.length);
    const chosen = precincts.filter(
      (each) =>
        each.level >= level &&
        each.level < endLevel &&
        each.component >= component &&
        each.component < endComponent,
    );
    for (const group of groupsOf(chosen, order))
      for (let layer = 0; layer < Math.min(layers, most); layer++)
        for (const precinct of group) {
          stretch(1);
          if (layer < precinct.layers) continue;
          precinct.layers = layer + 1;
          const blocks = precinct.subbands.map((each) => each.precincts[precinct.number]);
          yield {
            layerNumber: layer,
            codeblocks: blocks.flatMap((each) => each?.codeblocks ?? []),
          };
        }
  }
}
/** The packets of a tile in the order in which they are written. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function packetsOf(tile, { components, currentTile, orders }) {
  const { progressionOrder: order, layersCount: layers } = tile.codingStyleDefaultParameters;
  const whole = { order, level: 0, endLevel: 33, component: 0, endComponent: 16_384, layers };
  const own = currentTile.orders ?? orders ?? [whole];
  return packetsIn({ tile, components, orders: own, most: layers });
}

/** Least numbers of squares of blocks, of four such squares, and so on: B.10.2. */
class TagTree {
  constructor(width, height) {
    this.levels = [];
    for (let [columns, rows] = [width, height]; ;) {
      this.levels.push({ columns, least: new Uint16Array(columns * rows), known: new Set() });
      if (columns * rows === 1) break;
      [columns, rows] = [Math.ceil(columns / 2), Math.ceil(rows / 2)];
    }
  }
  /** Whether the number at a place is below `limit`. */
  isBelow(limit, { x, y, readBits }) {
    let [least, isKnown] = [0, false];
    for (let level = this.levels.length - 1; level >= 0; level--) {
      const { columns, known, least: numbers } = this.levels[level];
      const at = (y >> level) * columns + (x >> level);
      least = Math.max(least, numbers[at]);
      while (least < limit && !known.has(at)) {
        if (readBits(1)) known.add(at);
        else least++;
      }
      numbers[at] = least;
      isKnown = known.has(at);
    }
    return isKnown && least < limit;
  }
}
/** Whether a packet has passes of a block, whose first one says how many planes of bits are zero: B.10.4 and B.10.5. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function isIncluded(block, layer, readBits) {
  if (block.zeroBitPlanes !== undefined) return readBits(1);
  const { precinct } = block;
  if (precinct.inclusion === undefined) {
    const [width, height] = [
      precinct.cbxMax - precinct.cbxMin + 1,
      precinct.cbyMax - precinct.cbyMin + 1,
    ];
    precinct.inclusion = new TagTree(width, height);
    precinct.zeroBitPlanes = new TagTree(width, height);
  }
  const place = { x: block.cbx - precinct.cbxMin, y: block.cby - precinct.cbyMin, readBits };
  if (!precinct.inclusion.isBelow(layer + 1, place)) return false;
  let planes = 0;
  while (!precinct.zeroBitPlanes.isBelow(planes + 1, place)) planes++;
  block.zeroBitPlanes = planes;
  return true;
}

/** How many passes are coded together, after `before` of them: D.4.2 and D.6. */
function mostPasses({ terminationOnEachCodingPass, selectiveArithmeticCodingBypass }, before) {
  if (terminationOnEachCodingPass) return 1;
  if (!selectiveArithmeticCodingBypass) return Infinity;
  if (before === 0) return PLAIN_FROM;
  return isPlainPass(before) ? 2 : 1;
}
const PLAIN_FROM = 10;
/** Passes over what is significant, and over its bits; the third kind, with which a block begins, is never plain. */
const isPlainPass = (pass) => pass >= PLAIN_FROM && pass % 3 > 0;
/** The passes of a packet in parts that are coded together. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function* partsOf(block, passes) {
  block.parts ??= [];
  block.passes ??= 0;
  for (let rest = passes; rest > 0;) {
    let part = block.parts.at(-1);
    if (part === undefined || part.passes === part.most) {
      part = { most: mostPasses(block.style, block.passes), passes: 0, length: 0 };
      block.parts.push(part);
    }
    const count = Math.min(rest, part.most - part.passes);
    part.passes += count;
    block.passes += count;
    rest -= count;
    yield { part, count };
  }
}

/** Bits as they are: D.6. */
class PlainBits {
  constructor(bytes) {
    Object.assign(this, { bytes, at: 0, byte: 0, rest: 0 });
  }
  readBit() {
    if (this.rest === 0) {
      this.rest = this.byte === 0xff ? 7 : 8;
      this.byte = this.bytes[this.at++] ?? 0xff;
    }
    return (this.byte >> --this.rest) & 1;
  }
}
/** Before each pass, as `model` decodes the block's `data`. */
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function startPass(model, { style, parts }, pass, data) {
  if (pass === 0)
    Object.assign(model, { isCausal: style.verticallyStripe, rest: parts.values(), at: 0, end: 0 });
  if (style.resetContextProbabilities) model.reset();
  if (pass < model.end) return;
  const { passes, length } = model.rest.next().value;
  const coded = data.subarray(model.at, model.at + length);
  model.at += length;
  model.end += passes;
  // After its end a part reads as ones: D.4.1.
  const bytes = new Uint8Array(coded.length + 2).fill(0xff);
  bytes.set(coded);
  const isPlain = style.selectiveArithmeticCodingBypass && isPlainPass(pass);
  model.setDecoder(isPlain ? new PlainBits(bytes) : new ArithmeticDecoder(bytes, 0, coded.length));
}
