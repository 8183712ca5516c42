import { applyChanges, type Changes } from "./apply-changes.ts";

/**
 * Each pixel, symbol and bit of a JBIG2 picture and each block, table and marker of a JPEG is paid
 * for, as few bytes may stand for billions.
 */
const PAID: Changes = {
  "readBit(contexts, pos) {": "readBit(contexts, pos) { spend(1);",
  "new Uint8ClampedArray(rowSize * info.height)":
    "new Uint8ClampedArray(spend(rowSize * (info.height ?? pageHeight)))",
  "const pseudoPixelContext = ReusedContexts[templateIndex];":
    "const pseudoPixelContext = ReusedContexts[templateIndex]; spend((width + ROW) * height);",
  "    row = new Uint8Array(row);": "    if (isDue()) yield; row = new Uint8Array(row);",
  "const pseudoPixelContext = RefinementReusedContexts[templateIndex];":
    "const pseudoPixelContext = RefinementReusedContexts[templateIndex]; spend((width + ROW) * height);",
  "let symbolHeight = symbolBitmap.length;":
    "let symbolHeight = symbolBitmap.length; if (isDue(spend(symbolWidth * symbolHeight))) yield;",
  "  for (mg = 0; mg < gridHeight; mg++) {":
    "  for (mg = 0; mg < gridHeight; mg++) { if (isDue(spend(gridWidth * (1 + patternWidth * patternHeight)))) yield;",
  "const offsetT = t - (referenceCorner & 1 ? 0 : symbolHeight - 1);":
    "const [across, up] = [referenceCorner & 2 ? symbolWidth - 1 : 0, referenceCorner & 1 ? 0 : symbolHeight - 1], offsetT = t - (transposed ? across : up);",
  "const offsetS = currentS - (referenceCorner & 2 ? symbolWidth - 1 : 0);":
    "const offsetS = currentS - (transposed ? up : across);",
  "    while (runLength--) {": "    spend(runLength); while (runLength--) {",
  "component.blockData = new Int16Array(blocksBufferSize);":
    "prepareBlocks(frame, component, blocksBufferSize / 64);",
  "return 64 * ((component.blocksPerLine + 1) * row + col);":
    "return component.stride * ((component.blocksPerLine + 1) * row + col);",
  "component.index = index;":
    "component.index = index; component.quantizationTable = quantizationTables[component.quantizationId];",
  "decodeFn = decodeBaseline;": "decodeFn = decodeAtOnce(decodeBaseline);",
  "const z = dctZigZag[k];\n      component.blockData[blockOffset + z] = receiveAndExtend(s) * (1 << successive);":
    "mark(component, blockOffset, k); component.blockData[blockOffset + component.places[k]] = receiveAndExtend(s) * (1 << successive);",
  "const offsetZ = blockOffset + dctZigZag[k];":
    "const offsetZ = blockOffset + component.places[k];",
  "component.blockData[offsetZ] = successiveACNextValue << successive;":
    "mark(component, blockOffset, k); component.blockData[offsetZ] = successiveACNextValue << successive;",
  "function decodeScan(": "function* decodeScan(",
  "processed = decodeScan(": "processed = yield* decodeScan(",
  "  parse(data, {\n    dnlScanLines": "  *parse(data, {\n    dnlScanLines",
  "return this.parse(data, {": "return yield* this.parse(data, {",
  "decodeBlock(component, decodeFn, mcu);":
    "decodeBlock(component, decodeFn, mcu); if (isDue(spend(1))) yield;",
  "decodeMcu(component, decodeFn, mcu, j, k);":
    "decodeMcu(component, decodeFn, mcu, j, k); if (isDue(spend(1))) yield;",
  "i += 17 + codeLengthSum;": "i += 17 + codeLengthSum; if (isDue(spend(4))) yield;",
  "      offset += 2;\n    }\n    if (!frame) {":
    "      offset += 2; if (isDue(spend(1))) yield;\n    }\n    if (!frame) {",
  "function buildComponentData(": "function* buildComponentData(",
  [`this.components.push({
        index: component.index,
        output: buildComponentData(frame, component),
        scaleX: component.h / frame.maxH,
        scaleY: component.v / frame.maxV,
        blocksPerLine: component.blocksPerLine,
        blocksPerColumn: component.blocksPerColumn
      });`]:
    "component.output ??= yield* buildComponentData(frame, component); this.components.push(component);",
  "this.width = frame.samplesPerLine;":
    "this.width = Math.ceil((frame.samplesPerLine * frame.side) / 8);",
  "this.height = frame.scanLines;": "this.height = Math.ceil((frame.scanLines * frame.side) / 8);",
  "(j & mask3LSB) << 3 | j & 7;": "columnOf(component, j);",
  "blocksPerScanline * (j & mask3LSB) | (j & 7) << 3;": "rowOf(component, j);",
  "quantizeAndInverse(component, offset, computationBuffer);":
    "invert(component, offset, offset); if (isDue(spend(1))) yield;",
  "const dataLength = width * height * numComponents;":
    "const dataLength = width * (this.end - this.from) * numComponents;",
  "      for (y = 0; y < height; y++) {\n        j = 0 | y * componentScaleY;":
    "      for (y = this.from; y < this.end; y++) {\n        j = 0 | y * componentScaleY;",
};

/** They decode regions of JBIG2 and call each other: each row of pixels is a turn to take. */
const IN_TURNS =
  /\b(decodeBitmap(?:Template0)?|decodeRefinement|decodeSymbolDictionary|decodeTextRegion|decodePatternDictionary|decodeHalftoneRegion|decodeMMRBitmap|readUncompressedBitmap|processSegments?|parseJbig2(?:Chunks)?)\(/;
const VISITS = /^( {2})(drawBitmap|on[A-Z]\w+)\(/gm;

function makeJbig2Yield(text: string): string {
  return text
    .replaceAll(RegExp(`function ${IN_TURNS.source}`, "g"), "function* $1(")
    .replaceAll(RegExp(`(?<!function\\* )${IN_TURNS.source}`, "g"), "yield* $1(")
    .replaceAll(VISITS, "$1*$2(")
    .replaceAll("mask = mask0;", "mask = mask0; spent += width; if (isDue()) yield;")
    .replaceAll(/this\.(?:drawBitmap|onImmediate\w+)\(|visitor\[callbackName\]/g, "yield* $&")
    .replaceAll(
      /new Uint8Array\(((?:region)?[wW]idth)\)/g,
      "new Uint8Array((isDue(paidRow($1)) && (yield), $1))",
    );
}

/** pdf.js's decoders as generators, whose work and memory are bounded. */
export function boundDecoders(text: string): string {
  const start = text.indexOf("function decodeBitmapTemplate0");
  const end = text.indexOf("class Jbig2Image");
  const jbig2 = makeJbig2Yield(text.slice(start, end));
  return applyChanges(text.slice(0, start) + jbig2 + text.slice(end), PAID).replaceAll(
    "if (component.blockData[offsetZ])",
    "if (isMarked(component, blockOffset, k))",
  );
}

/** Steps of JPEG 2000 are paid for by the coefficients that they read. */
const JPX: Changes = {
  "function JpxImage_parse(data) {": "function* JpxImage_parse(data, options) {",
  "this.parseCodestream(data, 0, data.length);":
    "yield* this.parseCodestream(data, 0, data.length, options);",
  "this.parseCodestream(data, position, position + dataLength);":
    "yield* this.parseCodestream(data, position, position + dataLength, options);",
  "function JpxImage_parseCodestream(data, start, end) {\n      var context = {};":
    "function* JpxImage_parseCodestream(data, start, end, options) {\n      var context = { ...options };",
  "calculateTileGrids(context, components);":
    "checkJpx(siz, components); calculateTileGrids(context, components);",
  "doNotRecover = true;": "",
  'case 0xff53: // Coding style component (COC)\n              warn("JPX: Codestream code 0xFF53 (COC) is not implemented.");':
    "case 0xff53: addStyle(context, data.subarray(position)); length = readUint16(data, position); break; case 0xff5f: addOrders(context, data.subarray(position));",
  'throw new Error("Unknown codestream code: " + code.toString(16));':
    "if (UNREAD.has(code)) throw new UnusualJpx(); throw new JpxError(code);",
  "cod.ycb = (data[j++] & 0xf) + 2;":
    "cod.ycb = (data[j++] & 0xf) + 2; if (cod.xcb + cod.ycb > 12) throw new UnusualJpx();",
  "if (doNotRecover || this.failOnCorruptedImage) {":
    "if (isFinal(e)) throw e; if (doNotRecover || this.failOnCorruptedImage) {",
  "              parseTilePackets(context, data, position, length);":
    "try { yield* parseTilePackets(context, data, position, length); } catch (thrown) { if (isFinal(thrown)) throw thrown; }",
  "this.tiles = transformComponents(context);": "this.tiles = yield* transformComponents(context);",
  "function parseTilePackets(": "function* parseTilePackets(",
  "while (position < dataLength) {\n      alignToByte();":
    "while (position < dataLength) {\n      if (isDue(spend(16))) yield; alignToByte();",
  "var b = data[offset + position];":
    'var b = data[offset + position]; if (position > dataLength) throw new JpxError("cut");',
  "        codeblock = {\n          cbx: i,":
    "        spend(CODE_BLOCK); codeblock = {\n          cbx: i,",
  "var packet = packetsIterator.nextPacket();": "var packet = packetsIterator.next().value;",
  "(codeblock.tbx0_ - subband.tbx0) /\n            precinctParameters.precinctWidthInSubband\n        );":
    "codeblock.tbx0_ / precinctParameters.precinctWidthInSubband) - Math.floor(subband.resolution.trx0 / precinctParameters.precinctWidth);",
  "(codeblock.tby0_ - subband.tby0) /\n            precinctParameters.precinctHeightInSubband\n        );":
    "codeblock.tby0_ / precinctParameters.precinctHeightInSubband) - Math.floor(subband.resolution.try0 / precinctParameters.precinctHeight);",
  "var decoder = new ArithmeticDecoder(encodedData, 0, totalLength);\n      bitModel.setDecoder(decoder);":
    "",
  "var sopMarkerUsed = context.COD.sopMarkerUsed;\n    var ephMarkerUsed = context.COD.ephMarkerUsed;":
    "const { sopMarkerUsed, ephMarkerUsed } = tile.codingStyleDefaultParameters;",
  "while (queue.length > 0) {\n        var packetItem = queue.shift();":
    "for (var packetItem of queue) {",
  "shift = components[0].precision - 8;": "shift = depthOf(components[0]) - 8;",
  "shift = components[c].precision - 8;": "shift = depthOf(components[c]) - 8;",
  "codeblock.precinct = precinct;":
    "codeblock.precinct = precinct; (precinct.codeblocks ??= []).push(codeblock); codeblock.style = dimensions.style;",
  "var codOrCoc = component.codingStyleParameters;\n    var result = {};":
    "var codOrCoc = component.codingStyleParameters;\n    var result = { style: codOrCoc };",
  "tile.length = readUint32(data, position + 4);":
    "tile.length = readUint32(data, position + 4) || end - position + 2;",
  "if (row + 1 < height && coefficentsMagnitude[index + width] !== 0) {":
    "if (row + 1 < height && !(this.isCausal && row % 4 === 3) && coefficentsMagnitude[index + width] !== 0) {",
  "if (row > 0) {\n          i = index - width;":
    "if (row > 0 && !(this.isCausal && row % 4 === 0)) {\n          i = index - width;",
  "var contribution, sign0, sign1, significance1;":
    "if (this.decoder instanceof PlainBits) return this.decoder.readBit(); var contribution, sign0, sign1, significance1;",
  "function copyCoefficients(": "function* copyCoefficients(",
  "        copyCoefficients(": "        yield* copyCoefficients(",
  "for (j = 0; j < codingpasses; j++) {":
    "for (j = 0; j < codingpasses; j++) { startPass(bitModel, codeblock, j, encodedData); if (isDue(spend(blockWidth * blockHeight))) yield;",
  'throw new JpxError("Invalid segmentation symbol");': "",
  "function transformTile(": "function* transformTile(",
  "codingStyleParameters.decompositionLevelsCount;\n    var spqcds":
    'codingStyleParameters.decompositionLevelsCount - context.reduction;\n    if (decompositionLevelsCount < 0) throw new Error("too large");\n    var spqcds',
  "var result = transform.calculate(": "var result = yield* transform.calculate(",
  "left: component.tcx0,\n      top: component.tcy0,":
    "left: Math.ceil(component.tcx0 / 2 ** context.reduction),\n      top: Math.ceil(component.tcy0 / 2 ** context.reduction),",
  "this.width = context.SIZ.Xsiz - context.SIZ.XOsiz;":
    "this.x = context.SIZ.XOsiz; this.y = context.SIZ.YOsiz; this.width = context.SIZ.Xsiz - this.x;",
  "items: result.items,":
    "items: roundedItems(result.items, { precision, isIndexed: context.isIndexed, isShifted: c % 3 === 0 || !tile.codingStyleDefaultParameters.multipleComponentTransform }),",
  "function transformComponents(": "function* transformComponents(",
  "n = (n + magnitudeCorrection) * delta;":
    "n = (n + (reversible && bitsDecoded[position] >= mb ? 0 : 0.5)) * delta;",
  "var transformedTiles = [];":
    "if (tile.codingStyleDefaultParameters === undefined) continue; var transformedTiles = [];",
  "if (tile.codingStyleDefaultParameters.multipleComponentTransform) {":
    "if (tile.codingStyleDefaultParameters.multipleComponentTransform && componentsCount > 2) {",
  "case 0xff64: // Comment (COM)": "case 0xff63: case 0xff64:",
  "transformedTiles[c] = transformTile(context, tile, c);":
    "transformedTiles[c] = yield* enlarged(yield* transformTile(context, tile, c), transformedTiles[0]);",
  "function transformCalculate(": "function* transformCalculate(",
  "ll = this.iterate(": "ll = yield* this.iterate(",
  "function Transform_iterate(": "function* Transform_iterate(",
  // The first sample of a level that begins at an odd place is one of high frequency: F.3.3 to F.3.7.
  "hl_lh_hh,\n      u0,\n      v0\n    ) {": "hl_lh_hh\n    ) { const { u0, v0 } = hl_lh_hh;",
  "subbandCoefficients.push({":
    "subbandCoefficients.push({ u0: resolution.trx0 & 1, v0: resolution.try0 & 1,",
  'var right = subband.type.charAt(0) === "H" ? 1 : 0;':
    'var right = (subband.type.charAt(0) === "H") ^ (subband.resolution.trx0 & 1);',
  'var bottom = subband.type.charAt(1) === "H" ? levelWidth : 0;':
    'var bottom = (subband.type.charAt(1) === "H") ^ (subband.resolution.try0 & 1) ? levelWidth : 0;',
  "l = i * 2 * width;": "l = (i * 2 + v0) * width + u0;",
  "var bufferPadding = 4;": "var bufferPadding = 6;",
  "buffer[i1] = buffer[j1];": "buffer[i1--] = buffer[j1++]; buffer[i1] = buffer[j1];",
  "this.filter(rowBuffer, bufferPadding, width);":
    "this.filter(rowBuffer, bufferPadding - u0, width + u0);",
  "this.filter(buffer, bufferPadding, height);":
    "this.filter(buffer, bufferPadding - v0, height + v0);",
  "rowBuffer.set(items.subarray(k, k + width), bufferPadding);":
    "if (isDue(spend(width))) yield; rowBuffer.set(items.subarray(k, k + width), bufferPadding);",
  "var buffer = colBuffers[currentBuffer];":
    "if (isDue(spend(height))) yield; var buffer = colBuffers[currentBuffer];",
};

/** Texts from one mark to another, and what stands there instead. */
const PARTS: [from: string, to: string, by: string][] = [
  ["  function createPacket(", "  function buildPackets(", ""],
  [
    "    var progressionOrder = tile.",
    "  function parseTilePackets(",
    "tile.packetsIterator = packetsOf(tile, context);\n  }\n",
  ],
  [
    "      if (!readBits(1)) {",
    "      alignToByte();\n      if (ephMarkerUsed)",
    `var queue = [], codeblock;
    for (codeblock of readBits(1) ? packet.codeblocks : []) {
      if (!isIncluded(codeblock, packet.layerNumber, readBits)) continue;
      const codingpasses = readCodingpasses();
      while (readBits(1)) codeblock.Lblock++;
      for (const { part, count } of partsOf(codeblock, codingpasses)) {
      const dataLength = readBits(codeblock.Lblock + 31 - Math.clz32(count));
      part.length += dataLength;
      queue.push({ codeblock, codingpasses: count, dataLength });
    } }\n`,
  ],
  ["  // Section B.10.2 Tag trees", "  // Section D. Coefficient bit modeling", ""],
];

function replaceParts(text: string): string {
  return PARTS.reduce((whole, [from, to, by]) => {
    const [start, end] = [whole.indexOf(from), whole.indexOf(to)];
    if (start < 0 || end < start) throw new Error(`The text has no ${from}`);
    return whole.slice(0, start) + by + whole.slice(end);
  }, text);
}

/**
 * `jpeg2000` is the decoder that pdf.js had before its translation of OpenJPEG, and a quarter as slow.
 * It reads numbers and bits with the functions of pdf.js's text that it follows.
 */
export function boundJpx(text: string): string {
  const decoder = replaceParts(
    text.slice(text.indexOf("class JpxError"), text.indexOf("module.exports")),
  );
  const loop = "for (j = 0; j < jj; j++, pos += alpha01) {";
  const changed = applyChanges(decoder, JPX).replaceAll(
    loop,
    `${loop} if ((j & 0xffff) === 0 && isDue(spend(0xffff))) yield;`,
  );
  return `const PlainJpx = (() => { const [warn, info] = [() => {}, () => {}]; ${changed} return JpxImage; })();\n`;
}
