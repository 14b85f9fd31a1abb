// The start of a WebAssembly module.

import { VERSION } from "./version.js";
import { visible } from "./visible.js";

/** The custom section with the name and the version of a module, as in `src/lib.rs`. */
const SECTION = "verger";

/** Characters of a foreign name in a message. */
const NAME = 80;

/**
 * Makes the functions that start a module.
 *
 * @param {string} name of the module
 * @param {import("./memory.js").Memory} memory
 * @param {{ initSync: Function, input: Function }} native its functions
 */
export function starter(name, memory, native) {
  return {
    /** Whether the module is started. */
    isStarted: () => memory.isStarted,

    /** Starts the module: its bytes, or a compiled module. */
    start(source) {
      const module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source);
      check(module, `${name} ${VERSION}`);
      const { memory: bytes } = native.initSync({ module });
      memory.start(bytes, native.input);
    },
  };
}

/** Checks that a module belongs to this JavaScript: another one could give other answers. */
function check(module, expected) {
  const [section] = WebAssembly.Module.customSections(module, SECTION);
  const found =
    section === undefined
      ? "another module"
      : `that of ${visible(new TextDecoder().decode(section), NAME)}`;
  if (found === `that of ${expected}`) return;
  throw new Error(
    `expected the module of ${expected}, but found ${found}; use the .wasm file of the same package`,
  );
}

/**
 * Makes `init` for platforms that start a module later.
 *
 * @param {{ isStarted: () => boolean, start: (module: WebAssembly.Module) => void }} module
 * @param {URL} address of the file
 */
export function initializer({ isStarted, start }, address) {
  let starting;

  return async function init(source = address) {
    if (isStarted()) return;
    starting ??= load(source)
      .then((module) => {
        if (!isStarted()) start(module);
      })
      .catch((error) => {
        // The next call tries again.
        starting = undefined;
        throw error;
      });
    await starting;
  };
}

/** `init` of platforms that start the module at the import. */
export async function init() {}

/**
 * A compiled module from its address, bytes, or response.
 *
 * @param {URL | string | Response | Promise<Response> | ArrayBuffer | Uint8Array | WebAssembly.Module} source
 * @returns {Promise<WebAssembly.Module>}
 */
export async function load(source) {
  let given = await source;
  if (given instanceof WebAssembly.Module) return given;
  if (typeof given === "string" || given instanceof URL) given = await fetch(given);
  if (typeof Response === "undefined" || !(given instanceof Response)) {
    return WebAssembly.compile(given);
  }
  if (!given.ok)
    throw new Error(`${given.url}: expected a module, but found status ${given.status}`);
  // Servers may send another type, which streaming rejects.
  return WebAssembly.compile(await given.arrayBuffer());
}
