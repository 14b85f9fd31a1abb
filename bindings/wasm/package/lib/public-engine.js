// The public names of `verger`.

export {
  Crawler,
  DIALECTS,
  Policy,
  Robots,
  compilePolicy,
  isAllowed,
  parse,
  robotsUrl,
} from "./engine.js";
