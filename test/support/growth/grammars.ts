/** Tokens of what is read, by grammar; a blank line of the list is one of the text's. */
const grammar = (tokens: string, ...frames: [string, string][]) => ({
  tokens: tokens.split("§").map((token) => token.replaceAll("¶", "\n")),
  frames,
});

const MARKS = "a§ §¶§\u0301§\u0316§\u0301\u0316§\uff9e§e\u0301§\u200d§\ufe0f§\u200b§\u00ad§\ud83d§";

export const GRAMMARS = {
  unicode: grammar(
    `${MARKS}\u{1f600}§\u0e01\u0e34§\u6f22§\u3042§\u30ab\u3099§\u3000§\u0627\u0651§\u05d0\u05b0§\u0915\u094d§\ufdfa§\u0130§\u03a3§\u0438\u0306§\u00bd§\u0000§\u{e0041}`,
    ["a", ""],
    ["a", "\u0301"],
  ),
  prose: grammar(
    "word §a§A§1§1.§. §.§...§! §? §: §¶§¶¶§\t§ §-§--§_§/§\\§(§)§[§]§\"§'§`§|§@§#§e.g. §z. B. §am 3. §31. Dezember §a@b.c §https://a.b/c §1,000.5 §the §Nr. §“§”§\u3002§aBcD§HTTPServer§x1y2",
    ["a ", ""],
  ),
  markdown: grammar(
    "a§a ¶§¶¶§# a¶§## b¶¶§a¶=¶§---¶§- a¶§  - b¶§1. a¶§> a¶§>> §```¶§~~~¶§`§``§*§**§_§~~§[§]§(§)§[a](b)§![§](§<!--§-->§<div>¶§| a | b |¶§| --- | --- |¶§\\§$$§    a¶§a:¶¶§&amp;§{#a}§#",
    ["a ", ""],
    ["- ", ""],
    ["| a | b |\n| - | - |\n", ""],
  ),
  html: grammar(
    "x§ §<a href=x>§</a>§<a href=http://a.b>y</a>§<b>§</b>§<code></code>§<pre>§<p>§</p>§<div>§</div>§<span></span>§<br>§<ul>§<li>x§<ol>§<table>§<tr>§<td>§<td>x§<td colspan=9 rowspan=9>x§<th>§<h1>x</h1>§<blockquote>§<sup>§<sup></sup>§<del></del>§<ruby></ruby>§<rt>§<img alt=x>§<button>§<details>§<dd>§<!--§-->§<§&amp;§&§<nav>§<main>§</main>§<article>§<footer>§<script>§<svg>§<math>§<mi>x</mi>§<title>x</title>§<meta name=robots content=x>§<p hidden>§<a href='#x'></a>§<i></i>§<label>§<form>",
    ["<p>", "</p>"],
    ["<table><tr><td>", ""],
    ["<pre>", "</pre>"],
  ),
  xml: grammar(
    "x§<a>§</a>§<a/>§<a b='c'>§<item>x</item>§<title>x</title>§<p>x</p>§<b></b>§<!--§-->§<![CDATA[§]]>§&amp;§<description>&lt;p&gt;x</description>§<table>§<row>§<entry>x§<link href='x'>§<section>",
    ["<r>", "</r>"],
    ["<topic><body>", ""],
    ["<rss><channel>", ""],
  ),
  json: grammar(
    '{§}§[§]§,§:§"a"§"a":§"§\\"§\\u00e9§1§true§null§ §¶§{"a":1},§[1],§{"a":[§"x\\n\\ny",',
    ["[", "]"],
    ['{"a":"', '"}'],
    ['{"nbformat":4,"cells":[', "]}"],
  ),
  csv: grammar('a§,§;§\t§|§¶§"§""§"a,b"§a,b,c¶§,,,,§ §1.5,§a"b§é,', ['"', '"']),
  mail: grammar(
    "From: a@b¶§Subject: =?utf-8?B?YQ==?=¶§To: a, b, c¶§ a¶§¶§--b¶§--b--¶§Content-Type: multipart/mixed; boundary=b¶¶§Content-Type: text/html¶¶§Content-Transfer-Encoding: base64¶§YQ==¶§=C3=A9§> §> a¶§From a@b Mon Jan 1¶Subject: x¶¶§a§<p>x</p>§BEGIN:VEVENT¶§SUMMARY:a¶§;§(",
    ["From: a@b\n\n", ""],
    ["From: a@b\nContent-Type: multipart/mixed; boundary=b\n\n--b\n", "\n--b--"],
  ),
  man: grammar(
    ".SH A¶§.B a¶§.BR a b¶§.PP¶§.TP¶§.RS¶§.nf¶§.fi¶§.de X¶§..¶§.TS¶§a\tb¶§.TE¶§\\fB§\\fR§\\(em§a¶§a §¶§.",
    [".TH A 1\n.SH NAME\n", ""],
  ),
  rtf: grammar(
    '{§}§\\par §\\b §\\\'e9§\\u8364?§a§ §\\tab §\\cell §\\row §\\trowd §\\intbl §\\pard §{\\fonttbl§{\\f0 a;}§\\uc9 §\\bin5 §{\\field§{\\*\\fldinst HYPERLINK "http://a.b"}§{\\fldrslt x}§{\\footnote x}§\\page §{\\stylesheet{\\s1 heading 1;}}§\\line §\\v §{\\listtext a}',
    ["\\trowd ", "\\row}"],
  ),
  docx: grammar(
    '<w:p>§</w:p>§<w:p/>§<w:p><w:r><w:t>x</w:t></w:r></w:p>§<w:r>§</w:r>§<w:t>x</w:t>§<w:br/>§<w:br w:type="page"/>§<w:tbl>§</w:tbl>§<w:tr>§</w:tr>§<w:tc>§</w:tc>§<w:hyperlink r:id="a">§</w:hyperlink>§<w:fldChar w:fldCharType="begin"/>§<w:fldChar w:fldCharType="separate"/>§<w:fldChar w:fldCharType="end"/>§<w:instrText>HYPERLINK "http://a.b"</w:instrText>§<m:oMath>§<m:r><m:t>x</m:t></m:r>§<m:f><m:num>',
    ["<w:p>", "</w:p>"],
    ["<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"],
  ),
  xlsx: grammar(
    '<row>§</row>§<c><v>1</v></c>§<c r="XFD1"><v>1</v></c>§<c t="s"><v>0</v></c>§<c t="inlineStr"><is><t>x</t></is></c>§<v>1</v>§<row hidden="1">§<c r="A2" s="0"><v>2.5</v></c>',
    ["<row>", "</row>"],
  ),
  pptx: grammar(
    "<p:sp>§</p:sp>§<p:sp><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>§<p:grpSp>§<a:p>§</a:p>§<a:r><a:t>x</a:t></a:r>§<a:br/>§<a:tbl>§<a:tr>§<a:tc>§<m:oMath>",
    ["<p:sp><p:txBody><a:p>", ""],
  ),
  odf: grammar(
    '<text:p>§</text:p>§<text:p>x</text:p>§<text:span>§</text:span>§<text:s text:c="9"/>§<text:line-break/>§<text:a>§<text:list>§<text:list-item>§<text:note>§<table:table>§<table:table-row>§<table:table-cell><text:p>x</text:p></table:table-cell>§<draw:frame>§<math>§<mi>x</mi>',
    ["<text:p>", "</text:p>"],
    ["<table:table><table:table-row>", ""],
  ),
  pdf: grammar(
    "(a) Tj¶§(hello ) Tj¶§0 -14 Td¶§1 0 Td¶§T*¶§[(a) -500 (b)] TJ¶§[(a)-20]TJ¶§1 0 0 1 300 700 Tm (x) Tj¶§/F1 9 Tf¶§0 1 -1 0 50 50 Tm (r) Tj¶§50 0 Td (x) Tj¶§0 -1 Td (y) Tj¶§(1.) Tj 20 0 Td (item) Tj -20 -14 Td¶§(\\216) Tj¶§( ) Tj¶",
  ),
  answer: grammar(
    '<think>§</think>§```json¶§```¶§{§}§[§]§"§{"days":1}§a§ §¶§,§[cite-bafebafe:1]§[cite-bafebafe:1,2]§[cite§A b. §"hello there you all" §“§- §<passage§</§|§[INST]',
  ),
  parts: grammar(
    '<w:style w:styleId="a"><w:basedOn w:val="b"/>§<w:style w:styleId="b"><w:basedOn w:val="a"/>§</w:style>§<w:name w:val="heading 1"/>§<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>§<Relationship Id="a" Type="x/image" Target="../b"/>§<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>§<itemref idref="a"/>§<w:abstractNum w:abstractNumId="1">§<w:lvl w:ilvl="0">',
  ),
  header: grammar('for=§a§=§"§\\§\\"§;§,§ §filename*=§utf-8\'\'§%41§*0*=§(§)§q=0.5§for="[a]:1";', [
    'form-data; name=a; filename="',
    '"',
  ]),
  pattern: grammar("a§(§)§(a)§a*§(a+)+§[a-z]§[§]§|§a{1,9}§\\d§\\b§.§^§$§(?:a|b)*§\\p{L}§?"),
  web: grammar(
    "User-agent: *¶§Disallow: /*a*b$¶§Allow: /¶§*§/§a§ §#§¶§:§<url><loc>http://a.b/</loc></url>§<loc>§<sitemap>§<!--§&amp;§<Contents><Key>a</Key></Contents>§noindex,",
    ["<urlset>", ""],
    ["<ListBucketResult>", ""],
    ["User-agent: *\n", ""],
  ),
};

export type Grammar = keyof typeof GRAMMARS;
