// The public names of `verger/tools`.

export {
  cleanUrl,
  contentSignals,
  contentUsage,
  coverage,
  crawlerFor,
  DIALECTS,
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
