/**
 * openapi-typescript prints through the compiler's JavaScript API, which TypeScript 7 has no more;
 * ts-morph carries a compiler that still has it.
 */
import { ts } from "@ts-morph/common";

export default ts;
