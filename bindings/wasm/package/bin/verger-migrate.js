#!/usr/bin/env node
import process from "node:process";

import { main } from "../migrate/main.js";

process.exitCode = main();
