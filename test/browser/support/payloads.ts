/** Fifty texts that somebody could store: each is data, whatever it looks like. */
const MARKUP = [
  `<script>window.executed=1</script>`,
  `"><script>window.executed=1</script>`,
  `'><img src=x onerror=window.executed=1>`,
  `<svg onload=window.executed=1>`,
  `<svg><script>window.executed=1</script></svg>`,
  `<body onload=window.executed=1>`,
  `<iframe src="javascript:parent.executed=1"></iframe>`,
  `<a href="javascript:window.executed=1">click</a>`,
  `<details open ontoggle=window.executed=1>`,
  `<input autofocus onfocus=window.executed=1>`,
  `<math><mtext></math><img src=x onerror=window.executed=1>`,
  `</title><script>window.executed=1</script>`,
  `</textarea><script>window.executed=1</script>`,
  `</option></select><img src=x onerror=window.executed=1>`,
  `</script><script>window.executed=1</script>`,
  `<!--<img src="--><img src=x onerror=window.executed=1>">`,
  `<style>*{display:none}</style>`,
  `<link rel=stylesheet href=//evil.test/x.css>`,
  `<meta http-equiv=refresh content="0;url=//evil.test">`,
  `<base href=//evil.test>`,
  `<form action=//evil.test><button>Go</button></form>`,
  `" onmouseover="window.executed=1" x="`,
  `' autofocus onfocus='window.executed=1`,
  "`-window.executed=1-`",
];
const SCRIPTS = [
  `javascript:window.executed=1`,
  `data:text/html,<script>parent.executed=1</script>`,
  `\${window.executed=1}`,
  `{{constructor.constructor('window.executed=1')()}}`,
  `<%= window.executed = 1 %>`,
  `';window.executed=1;//`,
  `\\";window.executed=1;//`,
  `&lt;script&gt;window.executed=1&lt;/script&gt;`,
  `&#x3c;img src=x onerror=window.executed=1&#x3e;`,
];
const FORMULAS = [`=cmd|' /C calc'!A0`, `=HYPERLINK("http://evil.test")`, `+1+1`, `@SUM(1,1)`];
const WRITING = [
  "\u202Etxt.exe",
  "שלום עולם <b>מודגש</b>",
  "مرحبا بالعالم",
  "a\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301",
  "👩‍👩‍👧‍👦 family",
  "\u200Bzero\u200Bwidth",
  "\u0001\u0008\u001Bcontrol",
  "line\u2028separator",
  "W".repeat(190),
  "a/b/../c",
  "%3Cscript%3E",
  "null",
  "../../etc/passwd",
];

export const PAYLOADS = [...MARKUP, ...SCRIPTS, ...FORMULAS, ...WRITING];

/** Ten thousand characters, where there is room for them. */
export const LONG_PAYLOAD = `${"<i>long</i>".repeat(900)}${"x".repeat(100)}`;
