// The public names of `verger`.

export {
  Crawler,
  DIALECTS,
  Robots,
  isAllowed,
  parse,
  robotsUrl,
} from "./engine.js";
