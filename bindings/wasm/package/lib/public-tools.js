// The public names of `verger/tools`.

export {
  DIALECTS,
  cleanUrl,
  contentSignals,
  contentUsage,
  coverage,
  deadRules,
  diagnostics,
  diffFiles,
  format,
  identifyCrawlers,
  knownCrawlers,
  lint,
  lintRules,
  redundantRules,
} from "./tools.js";
