/** Every page loads this; code for few pages is fetched when the page has a use for it. */
import { addCopyButtons } from "./copy.ts";
import { listenForKeys } from "./keys.ts";
import { searchWhileTyping } from "./look.ts";
import { keepFresh } from "./refresh.ts";
import { keepTimes } from "./times.ts";

addCopyButtons();
listenForKeys();
keepTimes();
keepFresh();
searchWhileTyping();
if (document.querySelector("svg.chart") !== null) {
  const { addChartKeys } = await import("./keys.ts");
  addChartKeys();
}
if (document.querySelector("#selected") !== null) {
  const { addSelection } = await import("./selection.ts");
  addSelection();
}
if (document.querySelector("[data-drop]") !== null) {
  const { addDropPlaces } = await import("./drop.ts");
  addDropPlaces();
}
if (document.querySelector("#ask") !== null) {
  const { listenForQuestions } = await import("./ask.ts");
  listenForQuestions();
}
