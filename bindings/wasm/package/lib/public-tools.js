// The public names of `verger/tools`.

export {
  DIALECTS,
  cleanUrl,
  contentUse,
  coverage,
  diagnostics,
  diff,
  format,
  identifyCrawlers,
  knownCrawlers,
  lint,
  lintRules,
  uselessRules,
} from "./tools.js";
