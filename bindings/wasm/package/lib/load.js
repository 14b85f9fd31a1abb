// A compiled module from its address, bytes, or response.

/**
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
  if (!given.ok) throw new Error(`${given.url}: expected a module, but found status ${given.status}`);
  // Servers may send another type, which streaming rejects.
  return WebAssembly.compile(await given.arrayBuffer());
}
