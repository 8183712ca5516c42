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
  "function JpxImage_parse(data) {": "function* JpxImage_parse(data, reduction) {",
  "this.parseCodestream(data, 0, data.length);":
    "yield* this.parseCodestream(data, 0, data.length, reduction);",
  "this.parseCodestream(data, position, position + dataLength);":
    "yield* this.parseCodestream(data, position, position + dataLength, reduction);",
  "function JpxImage_parseCodestream(data, start, end) {\n      var context = {};":
    "function* JpxImage_parseCodestream(data, start, end, reduction) {\n      var context = { reduction };",
  "calculateTileGrids(context, components);":
    "checkJpx(siz, components); calculateTileGrids(context, components);",
  "doNotRecover = true;": "throw new UnusualJpx();",
  'warn("JPX: Codestream code 0xFF53 (COC) is not implemented.");': "throw new UnusualJpx();",
  'throw new Error("Unknown codestream code: " + code.toString(16));': "throw new UnusualJpx();",
  "cod.ycb = (data[j++] & 0xf) + 2;":
    "cod.ycb = (data[j++] & 0xf) + 2; if (cod.xcb + cod.ycb > 12) throw new UnusualJpx();",
  "cod.precinctsSizes = precinctsSizes;":
    "if (context.tiles.length > 1) throw new UnusualJpx(); cod.precinctsSizes = precinctsSizes;",
  "if (doNotRecover || this.failOnCorruptedImage) {":
    "if (e instanceof UnusualJpx) throw e; if (doNotRecover || this.failOnCorruptedImage) {",
  "              parseTilePackets(context, data, position, length);":
    "              yield* parseTilePackets(context, data, position, length);",
  "this.tiles = transformComponents(context);": "this.tiles = yield* transformComponents(context);",
  "function parseTilePackets(": "function* parseTilePackets(",
  "while (position < dataLength) {\n      alignToByte();":
    "while (position < dataLength) {\n      if (isDue(spend(16))) yield; alignToByte();",
  "var b = data[offset + position];":
    'var b = data[offset + position]; if (position > dataLength) throw new JpxError("cut");',
  // Trees whose first layers are empty begin with a bit for each: ISO/IEC 15444-1, B.10.2 and B.10.4.
  "precinct.zeroBitPlanesTree = zeroBitPlanesTree;":
    'precinct.zeroBitPlanesTree = zeroBitPlanesTree; for (let layer = 0; layer < layerNumber; layer++) if (readBits(1)) throw new JpxError("tree");',
  "        codeblock = {\n          cbx: i,":
    "        spend(CODE_BLOCK); codeblock = {\n          cbx: i,",
  "function createPacket(resolution, precinctNumber, layerNumber) {":
    "function createPacket(resolution, precinctNumber, layerNumber) { for (const { codeblocks } of resolution.subbands) stretch(codeblocks.length);",
  "var posX = pxIndex * precinctIterationSizes.minWidth;":
    "stretch(8); var posX = pxIndex * precinctIterationSizes.minWidth;",
  "function copyCoefficients(": "function* copyCoefficients(",
  "        copyCoefficients(": "        yield* copyCoefficients(",
  "for (j = 0; j < codingpasses; j++) {":
    "for (j = 0; j < codingpasses; j++) { if (isDue(spend(blockWidth * blockHeight))) yield;",
  "function transformTile(": "function* transformTile(",
  "codingStyleParameters.decompositionLevelsCount;\n    var spqcds":
    'codingStyleParameters.decompositionLevelsCount - context.reduction;\n    if (decompositionLevelsCount < 0) throw new Error("too large");\n    var spqcds',
  "var result = transform.calculate(": "var result = yield* transform.calculate(",
  "left: component.tcx0,\n      top: component.tcy0,":
    "left: Math.ceil(component.tcx0 / 2 ** context.reduction),\n      top: Math.ceil(component.tcy0 / 2 ** context.reduction),",
  "items: result.items,": "items: roundedItems(result.items),",
  "function transformComponents(": "function* transformComponents(",
  "transformedTiles[c] = transformTile(": "transformedTiles[c] = yield* transformTile(",
  "function transformCalculate(": "function* transformCalculate(",
  "ll = this.iterate(": "ll = yield* this.iterate(",
  "function Transform_iterate(": "function* Transform_iterate(",
  "rowBuffer.set(items.subarray(k, k + width), bufferPadding);":
    "if (isDue(spend(width))) yield; rowBuffer.set(items.subarray(k, k + width), bufferPadding);",
  "var buffer = colBuffers[currentBuffer];":
    "if (isDue(spend(height))) yield; var buffer = colBuffers[currentBuffer];",
};

/**
 * `jpeg2000` is the decoder that pdf.js had before its translation of OpenJPEG, and a quarter as slow.
 * It reads numbers and bits with the functions of pdf.js's text that it follows.
 */
export function boundJpx(text: string): string {
  const decoder = text.slice(text.indexOf("class JpxError"), text.indexOf("module.exports"));
  const loop = "for (j = 0; j < jj; j++, pos += alpha01) {";
  const changed = applyChanges(decoder, JPX).replaceAll(
    loop,
    `${loop} if ((j & 0xffff) === 0 && isDue(spend(0xffff))) yield;`,
  );
  return `const PlainJpx = (() => { const [warn, info] = [() => {}, () => {}]; ${changed} return JpxImage; })();\n`;
}
