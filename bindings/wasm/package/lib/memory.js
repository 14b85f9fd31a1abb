// Arguments of a call, written into the memory of a WebAssembly module as bytes.
//
// `plain` and `plainUrl` run first for all arguments of a call: getters and methods of arguments are
// code of the caller, which can make other calls. Writing runs no such code, so nothing overwrites
// an argument, frees an object or selects another agent before the call.

/** Room that is kept between calls, as in `src/input.rs`. */
const KEPT = 1 << 20;

/**
 * The longest arguments of a call in bytes, all together. They are copied, and the memory of a module
 * never shrinks. A robots.txt has no meaning beyond its first 500 KiB in most dialects.
 */
const LIMIT = 1 << 26;

/** The first room, enough for nearly every call about a URL. */
const FIRST = 1 << 12;

/** Length from which the platform's encoder is faster than a loop; it takes 60 ns in Node.js 20. */
const LONG = 32;

/** Length from which a string is encoded before room is made: its exact size is not known. */
const HUGE = 1 << 16;

const encoder = new TextEncoder();

/** The memory of one module. */
export class Memory {
  #module;
  #input = null;
  #memory = null;
  #view = new Uint8Array(0);
  #address = 0;
  #capacity = 0;

  /** @param {string} module its name */
  constructor(module) {
    this.#module = module;
  }

  /** Whether the module is started. */
  get isStarted() {
    return this.#memory !== null;
  }

  /**
   * @param {WebAssembly.Memory} memory
   * @param {(kept: number, length: number) => number} input returns the address of room
   */
  start(memory, input) {
    this.#memory = memory;
    this.#input = input;
  }

  /**
   * Writes a plain argument after others of this total length, and returns its length in bytes.
   *
   * @param {string | Uint8Array} value
   * @param {number} offset
   * @param {string} name of the argument
   */
  write(value, offset, name) {
    if (typeof value !== "string") {
      const length = byteLengthOf.call(value);
      const at = this.#room(offset, length, name);
      this.#view.set(value, at);
      return length;
    }
    const length = value.length;
    if (length >= HUGE) {
      if (length > LIMIT) throw tooLong(name, length);
      return this.write(encode(value), offset, name);
    }
    const at = this.#room(offset, length * 3, name);
    const view = this.#view;
    let index = 0;
    if (length < LONG) {
      for (; index < length; index += 1) {
        const unit = value.charCodeAt(index);
        if (unit > 0x7f) break;
        view[at + index] = unit;
      }
      if (index === length) return length;
    }
    const rest = index === 0 ? value : value.slice(index);
    if (isWellFormed(rest)) {
      return index + encoder.encodeInto(rest, view.subarray(at + index)).written;
    }
    const bytes = encodeHalves(rest);
    view.set(bytes, at + index);
    return index + bytes.length;
  }

  /** Makes room for some bytes after the others, and returns their address. */
  #room(offset, length, name) {
    if (this.#memory === null) throw notStarted(this.#module);
    const needed = offset + length;
    if (needed > LIMIT) throw tooLong(name, needed);
    const isTooLarge = offset === 0 && this.#capacity > KEPT && needed <= KEPT;
    if (needed > this.#capacity || isTooLarge) {
      const capacity = Math.max(needed, FIRST);
      this.#address = this.#input(offset, capacity);
      this.#capacity = capacity;
    }
    // The buffer is replaced when the memory grows.
    if (this.#view.buffer !== this.#memory.buffer) {
      this.#view = new Uint8Array(this.#memory.buffer);
    }
    return this.#address + offset;
  }
}

/** A getter of the platform, whatever a subclass defines. */
function getter(prototype, name) {
  return Object.getOwnPropertyDescriptor(prototype, name).get;
}

const TypedArray = Object.getPrototypeOf(Uint8Array.prototype);
const kindOf = getter(TypedArray, Symbol.toStringTag);
const byteLengthOf = getter(TypedArray, "byteLength");

function tooLong(name, length) {
  return new RangeError(
    `${name}: expected at most ${LIMIT} bytes of all arguments together, but found ${length}`,
  );
}

export function notStarted(module) {
  return new Error(`\`${module}\` is not started: call \`await init()\` of it first`);
}

/** The native part of an object, or the error of an object without one. */
export function open(native) {
  if (native === null) throw new TypeError("the object was freed");
  return native;
}

/** Lets `using` free an object at the end of its block, where the platform has it. */
export function disposable({ prototype }) {
  if (Symbol.dispose === undefined) return;
  Object.defineProperty(prototype, Symbol.dispose, {
    configurable: true,
    writable: true,
    value: prototype.free,
  });
}

/**
 * A text, or the bytes of an argument.
 *
 * @returns {string | Uint8Array}
 */
export function plain(value, name) {
  if (typeof value === "string") return value;
  const kind = ArrayBuffer.isView(value) ? (kindOf.call(value) ?? "DataView") : undefined;
  if (kind === "Uint8Array") return value;
  if (kind !== undefined) {
    const prototype = kind === "DataView" ? DataView.prototype : TypedArray;
    const [buffer, start, length] = ["buffer", "byteOffset", "byteLength"].map((name) =>
      getter(prototype, name).call(value),
    );
    return new Uint8Array(buffer, start, length);
  }
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw new TypeError(`${name}: expected a string or bytes, but found ${typeName(value)}`);
}

/** The text or bytes of a URL argument, which can also be a `URL`. */
export function plainUrl(url, name = "url") {
  return plain(typeof url === "object" && url instanceof URL ? url.href : url, name);
}

/** The type of a value in messages. */
export function typeName(value) {
  if (value === null) return "null";
  return typeof value === "object" ? (value.constructor?.name ?? "object") : typeof value;
}

/** UTF-8; a lone surrogate becomes its three bytes. */
function encode(text) {
  return isWellFormed(text) ? encoder.encode(text) : encodeHalves(text);
}

/** Whether a text has no lone surrogates. Platforms without the method get `false`. */
function isWellFormed(text) {
  return text.isWellFormed?.() ?? false;
}

function encodeHalves(text) {
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.codePointAt(index);
    if (code < 0x80) {
      bytes[length++] = code;
      continue;
    }
    if (code < 0x800) {
      bytes[length++] = 0xc0 | (code >> 6);
    } else {
      if (code < 0x10000) {
        bytes[length++] = 0xe0 | (code >> 12);
      } else {
        bytes[length++] = 0xf0 | (code >> 18);
        bytes[length++] = 0x80 | ((code >> 12) & 0x3f);
        index += 1;
      }
      bytes[length++] = 0x80 | ((code >> 6) & 0x3f);
    }
    bytes[length++] = 0x80 | (code & 0x3f);
  }
  return bytes.subarray(0, length);
}
