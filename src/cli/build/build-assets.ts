import { buildSync } from "esbuild";
/** Writes dist/public and what the PDF reader loads from dist, before wrangler and the tests. */
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, extname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

import { replaceFile } from "../replace-file.ts";
import { applyChanges, type Changes } from "./apply-changes.ts";
import { boundDecoders, boundJpx } from "./bound-decoders.ts";

const require = createRequire(import.meta.url);
const ROOT = join(import.meta.dirname, "../../..");
const DIST = join(ROOT, "dist");
const ASSETS = join(DIST, "public/assets");

/** The two files that `@hono/swagger-ui` asks for below its `baseUrl`. */
const SWAGGER_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];

function copySwaggerUi() {
  const from = dirname(require.resolve("swagger-ui-dist/package.json"));
  const to = join(ASSETS, "swagger-ui-dist");
  for (const name of SWAGGER_FILES) {
    replaceFile(join(to, name), readFileSync(join(from, name)), DIST);
  }
}

/** A changed file has another address, which the manifest names. */
function buildPanelAssets() {
  const outdir = join(ASSETS, "panel");
  const entries = ["browser/panel.ts", "assets/panel.css", "assets/icon.svg"];
  const { outputFiles } = buildSync({
    entryPoints: entries.map((name) => join(ROOT, "src/panel", name)),
    outdir,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2024",
    loader: { ".svg": "copy" },
    entryNames: "[name]-[hash]",
  });
  const outputs = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const nameOf = (pattern: RegExp) => {
    const match = [...outputs.keys()].find((name) => pattern.test(name));
    if (match === undefined) throw new Error(`esbuild wrote nothing named ${pattern}`);
    return match;
  };
  const manifest = {
    style: nameOf(/^panel-\w+\.css$/),
    script: nameOf(/^panel-\w+\.js$/),
    icon: nameOf(/^icon-\w+\.svg$/),
  };
  outputs.set("manifest.json", Buffer.from(JSON.stringify(manifest)));
  for (const [name, bytes] of outputs) replaceFile(join(outdir, name), bytes, DIST);
  for (const name of readdirSync(outdir)) {
    if (!outputs.has(name)) rmSync(join(outdir, name), { force: true });
  }
}

const CHARACTER_MAPS: Record<string, RegExp> = {
  gb1: /^(?:Adobe-GB1|UniGB|GB)/,
  cns1: /^(?:Adobe-CNS1|UniCNS|CNS|B5|ET|HK)/,
  korea1: /^(?:Adobe-Korea1|UniKS|KSC)/,
  japan1: /^(?:\d|Adobe-Japan1|Add|EUC|Ext|H$|RKSJ|UniJIS|V$)/,
};
/** Maps that documents do not name, which would double the size. */
const UNUSED_MAPS = /-\d$|UTF(?:8|32)|UniJISPro|UniJISX/;

/** The best quality saves an eighth, and takes seconds of each first start. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** A module for each collection of pdfjs-dist's CMaps: where each ends, and all of them, packed. */
function buildCharacterMaps() {
  const from = join(dirname(require.resolve("pdfjs-dist/package.json")), "cmaps");
  const to = join(DIST, "character-maps");
  const names = readdirSync(from)
    .filter((name) => extname(name) === ".bcmap")
    .map((name) => name.slice(0, -".bcmap".length))
    .filter((name) => !UNUSED_MAPS.test(name));
  const notice = readFileSync(join(from, "LICENSE"), "utf8").replaceAll("*/", "");
  for (const [collection, pattern] of Object.entries(CHARACTER_MAPS)) {
    const included = names.filter((name) => pattern.test(name));
    const maps = included.map((name) => readFileSync(join(from, `${name}.bcmap`)));
    let end = 0;
    const ends = included.map((name, at) => [name, (end += maps[at]?.length ?? 0)]);
    const packed = brotliCompressSync(Buffer.concat(maps), QUALITY).toString("base64");
    const text = `/*! ${notice} */\nexport const ENDS = ${JSON.stringify(ends)};\nexport const PACKED = "${packed}";\n`;
    replaceFile(join(to, `${collection}.js`), text, DIST);
  }
}

/**
 * pdf.js looks at a clock, which stands still in a Worker; it gives turns by operators instead. Its
 * decoders of scans are built apart; a JPEG is handed over as it is, and large pictures are decoded
 * in bands: what is too large has no name in the list of operators. Texts come with the widths of
 * their spaces where many of their characters are spaces, and within marks of their layers. A font
 * has the same name after a cleanup.
 */
const CHANGES: Changes = {
  "m=e[f].fontID}else m=this.idFactory.createFontId();":
    "m=e[f].fontID}else m=p?`f${s}`:t.cacheKey?.slice(9)??this.idFactory.createFontId();",
  "this.checked<TimeSlotManager.CHECK_TIME_EVERY?!1:(this.checked=0,this.endTime<=Date.now())}":
    "this.checked>=1e3}turn(){return this.checked<1e3?void 0:new Promise(e=>setTimeout(e))}",
  "{next(Cr);return}flushTextContentItem()": "{next(M.turn());return}flushTextContentItem()",
  "let a=await this._getModule(Ke);if(!a)throw new Jbig2Error(`JBig2 failed to initialize`);":
    "return(await decoders()).decodeBilevel(e,t,n,r,i);let a;",
  "let e=Oe.getReducePowerForJPX(n.width,n.height,n.numComps);":
    "let e=jpxReduction(n.width*n.height,n.numComps);",
  "let a=await this._getModule(tt);":
    "return(await decoders()).decodeJpx(e,{components:t,isIndexed:n,hasMask:r,reduction:i});let a;",
  "readBlock(){this.decodeImage()}get jpegOptions(){":
    "readBlock(){this.eof=!0,this.buffer=new Uint8Array}get isAsyncDecoder(){return!0}get jpegOptions(){",
  "decodeImage(e){if(this.eof)return this.buffer;e=this.#t(e||this.bytes);let t=new JpegImage(this.jpegOptions);t.parse(e);let n=t.getData({width:this.drawWidth,height:this.drawHeight,forceRGBA:this.forceRGBA,forceRGB:this.forceRGB});":
    "async decodeImage(e){if(this.eof)return this.buffer;let{drawWidth:t,drawHeight:r,forceRGBA:i,forceRGB:a,inRows:o}=this,n=await(await decoders()).jpegSamples(this.#t(e||this.bytes),this.jpegOptions,{width:t,height:r,forceRGBA:i,forceRGB:a,inRows:o,isSourcePDF:!0});",
  "!this.needsDecode){let e=s*l;if(t&&!u)":
    "!this.needsDecode){let c=isHandedOver(this)&&await this.#e(n,r);if(c)return c;let e=s*l;if(t&&!u)",
  "if(s!==-1&&f*p>s){let e=`Image exceeded maximum allowed size and was removed.`;if(!c)throw Error(e);warn$1(e);return}":
    "if(!countPixels(this,f,p,u,t instanceof Re)){r.addImageOps(T.paintImageXObject,[``,f,p]);return}",
  "await f.getOperatorList({stream:o,task:n,resources:s,operatorList:c}),c}":
    "await decodeAfterCount(f,()=>f.getOperatorList({stream:o,task:n,resources:s,operatorList:c})),c}",
  "if(br.buildImage({xref:this.xref,res:e,image:t,isInline:n,pdfFunctionFactory:this._pdfFunctionFactory,globalColorSpaceCache:this.globalColorSpaceCache,localColorSpaceCache:o}).then(async e=>(g=await e.createImageData(!1,l),":
    "if((this.decoding=this.decoding.then(()=>br.buildImage({xref:this.xref,res:e,image:t,isInline:n,pdfFunctionFactory:this._pdfFunctionFactory,globalColorSpaceCache:this.globalColorSpaceCache,localColorSpaceCache:o})).then(async e=>(g=await pictureInBands(e,this.reduction)||await e.createImageData(!1,l),",
  "this._sendImgData(b,null,x))),i){let e={objId:b":
    "this._sendImgData(b,null,x)))),i){let e={objId:b",
  "getBytes(e,t=null){let n=this.pos,r;if(e){for(this.ensureBuffer(n+e)":
    "getBytes(e,t=null){if(this.isDropping)dropRead(this);let n=this.pos,r;if(e){for(this.ensureBuffer(n+e,!0)",
  "ensureBuffer(e){let t=this.buffer;if(e<=t.byteLength)return t;":
    "ensureBuffer(e,o){let t=this.buffer;if(e<=t.byteLength)return t;if(e>5e7&&!o)throw Error(`too large`);",
  "let o=e?e.length:0,s=this.bufferLength;for(;;){let t=this.getCode(i);if(t<256){s+1>=o":
    "let o=e?e.length:0,s=this.bufferLength;for(let h=s+65536;s<h;){let t=this.getCode(i);if(t<256){s+1>=o",
  "for(let t=0;t<n;++t,++s)e[s]=e[s-c]}}}":
    "for(let t=0;t<n;++t,++s)e[s]=e[s-c]}this.bufferLength=s;this.block=[t<<1|this.eof,i,a];this.eof=!1}}",
  "readBlock(){let e,t,n,r=this.stream;try{t=this.getBits(3)}":
    "readBlock(){let e,t,n,r=this.stream,b=this.block;this.block=null;try{t=b?b[0]:this.getBits(3)}",
  "let i,a;if(t===1)i=Qe,a=$e;": "let i,a;if(b)[,i,a]=b;else if(t===1)i=Qe,a=$e;",
  "for await(let e of n)a.push(e),o+=e.byteLength;":
    "for await(let e of n)if(a.push(e),(o+=e.byteLength)>64e6)throw Error(`too large`);",
  "e?.bitmap?.close();this.#e.clear()": "this.#e.clear()",
  "{r?.bitmap?.close();return}": "{return}",
  "v.str.push(` `),m?.addExtraChar(` `)),!1;":
    "v.str.push(` `),(v.gaps??=[]).push(e),m?.addExtraChar(` `)),!1;",
  "saveLastChar(g)&&(h.str.push(` `),": "saveLastChar(g)&&(h.str.push(` `),(h.gaps??=[]).push(0),",
  "function runBidiTransform(e){let t=e.str.join(``);":
    "function runBidiTransform(e){e.gaps&&closeNarrowGaps(e,e.spaceInFlowMin/.102);let t=e.str.join(``);",
  "fontName:e.fontName,hasEOL:e.hasEOL}}async":
    "fontName:e.fontName,hasEOL:e.hasEOL,gaps:e.gaps?.length>n.str.length/4?e.gaps.map(t=>t*e.textAdvanceScale):void 0}}async",
  "v.initialized=!1,v.str.length=0)}function enqueueChunk":
    "v.initialized=!1,v.gaps=void 0,v.str=[])}function enqueueChunk",
  "if(flushTextContentItem(),a){u.level++;let e=y[1]instanceof F?":
    "if(flushTextContentItem(),a){u.level++;if(y[0]instanceof N&&y[0].name===`OC`){next(S.parseMarkedContentProps(y[1],n).catch(()=>{}).then(e=>{_.items.push({type:`beginMarkedContentProps`,layer:e})}));return}let e=y[1]instanceof F?",
  "let w=textSinkWrapper(o);S.getTextContent({stream:p,":
    "let w=textSinkWrapper(o),H=a&&m.get(`OC`),mark=e=>H&&o.enqueue({items:[e],styles:{},lang:l},1);(H?S.parseMarkedContentProps(H,n).catch(()=>{}):Promise.resolve()).then(e=>{mark({type:`beginMarkedContentProps`,layer:e});return S.getTextContent({stream:p,",
  "prevRefs:g}).then(function(){w.enqueueInvoked||D.set":
    "prevRefs:g})}).then(function(){mark({type:`endMarkedContent`}),w.enqueueInvoked||D.set",
  "if(!e)return-1;if(e[0]===`u`){let t=e.length,r;":
    "if(!e)return-1;if(e.indexOf(`.`)>0)return getUnicodeForGlyph(e.split(`.`)[0],t);if(e[0]===`u`){let t=e.length,r;",
  "if(c!==void 0){n[a]=String.fromCharCode(c);continue}let l=0;":
    "if(c!==void 0){n[a]=String.fromCharCode(c);continue}let m=textOfVariant(s,o);if(m){n[a]=m;continue}let l=0;",
  "addOp(e,t){this.optimizer.push(e,t),this.weight++,":
    "addOp(e,t){if((this.ops=(this.ops||0)+1)>2e5)throw Error(`too many operators`);this.optimizer.push(e,t),this.weight++,",
};

/** Stands in for a browser's decoder: it hands the JPEG over. */
const HANDS_OVER = `const decoders=()=>import("./picture-decoders.js");class ImageDecoder{static isTypeSupported(){return Promise.resolve(!0)}constructor({data:e}){this.data=e}decode(){return Promise.resolve({image:this.data.slice().buffer})}close(){}}\n`;

const readOwnFile = (name: string) => readFileSync(join(import.meta.dirname, name), "utf8");

function buildPdfReader() {
  const text = readFileSync(join(dirname(require.resolve("unpdf")), "pdfjs.mjs"), "utf8");
  const head = "/*! Changed: it gives turns, and hands scans over. */\n";
  const own = ["picture-bands.js", "text-gaps.js", "glyph-texts.js"].map(readOwnFile);
  const parts = [head, HANDS_OVER, ...own, applyChanges(text, CHANGES)];
  replaceFile(join(DIST, "pdfjs.js"), parts.join(""), DIST);
}

/**
 * Decoders of CCITT, JBIG2, JPX and JPEG, from the last edition of pdf.js that needs no WebAssembly,
 * which a Worker compiles only at its deployment.
 */
function buildPictureDecoders() {
  const from = dirname(require.resolve("pdfjs-dist/package.json"));
  const text = readFileSync(join(from, "image_decoders/pdf.image_decoders.mjs"), "utf8");
  const own = boundDecoders(text);
  const jpx = readFileSync(require.resolve("jpeg2000/src/jpx.js"), "utf8");
  const { outputFiles } = buildSync({
    stdin: {
      contents: `${own.slice(0, own.lastIndexOf("globalThis.pdfjsImageDecoders"))}${boundJpx(jpx)}
${["picture-decoders.js", "jpx-packets.js", "jpx-decoder.js"].map(readOwnFile).join("")}`,
      resolveDir: from,
    },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2024",
    logLevel: "error",
  });
  const licence = readFileSync(join(from, "LICENSE"), "utf8").replaceAll("*/", "");
  const decoders = outputFiles[0]?.text ?? "";
  replaceFile(
    join(DIST, "picture-decoders.js"),
    `/*! Changed: what a picture takes is bounded.\n${licence} */\n${decoders}`,
    DIST,
  );
}

export function buildAssets() {
  buildPdfReader();
  buildPictureDecoders();
  copySwaggerUi();
  buildCharacterMaps();
  buildPanelAssets();
}
