// The public names of `verger/tools`.

export {
  DIALECTS,
  coverage,
  diff,
  format,
  identifyCrawlers,
  knownCrawlers,
  lint,
  lintRules,
  uselessRules,
} from "./tools.js";
