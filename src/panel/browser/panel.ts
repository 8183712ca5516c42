/** Every page loads this whole: a page that is shown takes keys at once. */
import { listenForQuestions } from "./ask.ts";
import { addCopyButtons } from "./copy.ts";
import { addDropPlaces } from "./drop.ts";
import { addChartKeys, listenForKeys } from "./keys.ts";
import { searchWhileTyping } from "./look.ts";
import { keepFresh } from "./refresh.ts";
import { addSelection } from "./selection.ts";
import { keepTimes } from "./times.ts";

addCopyButtons();
listenForKeys();
addChartKeys();
keepTimes();
keepFresh();
searchWhileTyping();
if (document.querySelector("#selected") !== null) addSelection();
if (document.querySelector("[data-drop]") !== null) addDropPlaces();
if (document.querySelector("#ask") !== null) listenForQuestions();
