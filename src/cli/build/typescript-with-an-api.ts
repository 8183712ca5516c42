/** TypeScript 7 lacks the JavaScript API that openapi-typescript needs; ts-morph carries one. */
import { ts } from "@ts-morph/common";

export default ts;
