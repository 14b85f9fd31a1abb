/** The version of the package, which its WebAssembly modules must have. */
export const VERSION = "0.1.0";
