/** Fonts draw 日 and the radical ⽇ with one glyph, and some writers map it to the radical. */
const KANGXI = /[\u2f00-\u2fd5]/g;
const SUPPLEMENT = /[\u2e80-\u2ef3]/g;
/** Radicals that Unicode does not fold but that are whole ideographs themselves. */
const IDEOGRAPHS = new Map(
  (
    "⺁厂 ⺇几 ⺎兀 ⺐尢 ⺟母 ⺠民 ⺫罒 ⺬示 ⺰纟 ⺻聿 ⻁虎 ⻃覀 ⻄西 ⻅见 ⻆角 ⻉贝 ⻋车 ⻑長 ⻓长 ⻔门 ⻘青 ⻙韦 " +
    "⻚页 ⻛风 ⻜飞 ⻝食 ⻟飠 ⻠饣 ⻢马 ⻣骨 ⻤鬼 ⻥鱼 ⻦鸟 ⻧卤 ⻨麦 ⻩黄 ⻪黾 ⻫斉 ⻬齐 ⻭歯 ⻮齿 ⻯竜 ⻰龙 ⻱龜 ⻲亀"
  )
    .split(" ")
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);

export const withoutRadicals = (text: string) =>
  text
    .replace(KANGXI, (radical) => radical.normalize("NFKC"))
    .replace(SUPPLEMENT, (radical) => IDEOGRAPHS.get(radical) ?? radical.normalize("NFKC"));
