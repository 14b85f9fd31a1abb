// The public names of `verger`.

export {
  Crawler,
  compilePolicy,
  DIALECTS,
  isAllowed,
  Policy,
  parse,
  Robots,
  robotsUrl,
} from "./engine.js";
