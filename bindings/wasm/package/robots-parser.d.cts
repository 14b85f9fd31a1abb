import type { Robots as Parsed } from "./robots-parser.js" with { "resolution-mode": "import" };

/** Parses a robots.txt. See the types of the ES module. */
declare function robotsParser(
  url: string | URL,
  contents: string | Uint8Array | null | undefined,
): robotsParser.Robots;

declare namespace robotsParser {
  type Robots = Parsed;
}

export = robotsParser;
