// The public names of `verger/policy`.

export { DIALECTS, Policy, compilePolicy } from "./policy.js";
