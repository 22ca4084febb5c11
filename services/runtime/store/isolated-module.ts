/**
 * Loads a native module so that its C++ template code and Node's cannot be mixed up.
 *
 * Compilers put a copy of each template instantiation (`std::regex`, `std::vector<..>`) into every program that uses
 * it, as a weak symbol. On Linux, the loader makes the whole process share the first copy that it meets: Node's. From
 * Node 22 on, the executable exports some that were compiled for another `std::string` than the prebuild of the
 * `rocksdb` package; RocksDB then runs them in its static constructors, and the process dies in `free()` before any
 * error can be thrown. Which symbols collide depends on how a Node was built, so version numbers are no guide (22.20
 * of PyPI's wheels works with one prebuild and fails with another).
 *
 * The remedy is the one that a linker offers at build time (`-fvisibility=hidden`), applied to a copy: every weak
 * symbol that the module defines is marked hidden, so that the loader (glibc's) binds the module's uses of it to the
 * module. Functions of libstdc++ itself are undefined in the module and stay shared. macOS and Windows bind a symbol
 * to the library it was linked against, so the problem cannot occur there.
 *
 * Sources: System V ABI (gABI) chapters 4 and 5: file header, section header, symbol table; Itanium C++ ABI §5.2.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Offsets and codes of a 64-bit little-endian ELF file. */
const elf = {
  magic: 0x464c457f,
  class64LittleEndian: 0x0102,
  header: { sectionsOffset: 0x28, sectionBytes: 0x3a, sectionCount: 0x3c },
  section: { type: 4, offset: 24, size: 32 },
  dynamicSymbols: 11,
  symbol: { bytes: 24, info: 4, visibility: 5, sectionIndex: 6 },
  /** Binding, the high half of `info`. */
  weak: 2,
  /** Visibility, the low two bits of its byte. */
  hidden: 2,
} as const;

/** Throws the loader's error, or an Error if the file is not a 64-bit little-endian ELF module. */
export function loadIsolated(file: string): unknown {
  const bytes = readFileSync(file);
  isolate(bytes);
  // The folder for temporary files may forbid executables; the package's own folder does not.
  try {
    return loadCopy(bytes, tmpdir());
  } catch (error) {
    try {
      return loadCopy(bytes, dirname(file));
    } catch {
      throw error;
    }
  }
}

/** Marks the weak symbols that the module defines as hidden, in place. Returns how many. */
export function isolate(module: Buffer): number {
  if (module.readUInt32LE(0) !== elf.magic || module.readUInt16LE(4) !== elf.class64LittleEndian) {
    throw new Error('not a 64-bit little-endian ELF module');
  }
  let marked = 0;
  const sections = Number(module.readBigUInt64LE(elf.header.sectionsOffset));
  const sectionBytes = module.readUInt16LE(elf.header.sectionBytes);
  for (let i = 0; i < module.readUInt16LE(elf.header.sectionCount); i++) {
    const section = sections + i * sectionBytes;
    if (module.readUInt32LE(section + elf.section.type) !== elf.dynamicSymbols) continue;
    const start = Number(module.readBigUInt64LE(section + elf.section.offset));
    const end = start + Number(module.readBigUInt64LE(section + elf.section.size));
    for (let symbol = start; symbol < end; symbol += elf.symbol.bytes) {
      const isWeak = module.readUInt8(symbol + elf.symbol.info) >> 4 === elf.weak;
      const isDefined = module.readUInt16LE(symbol + elf.symbol.sectionIndex) !== 0;
      if (!isWeak || !isDefined) continue;
      const visibility = module.readUInt8(symbol + elf.symbol.visibility);
      module.writeUInt8((visibility & ~3) | elf.hidden, symbol + elf.symbol.visibility);
      marked++;
    }
  }
  return marked;
}

/** The copy is gone from disk once it is loaded: the mapping keeps it. */
function loadCopy(bytes: Buffer, parent: string): unknown {
  const folder = mkdtempSync(join(parent, 'crawlstream-module-'));
  try {
    const copy = join(folder, 'module.node');
    writeFileSync(copy, bytes, { mode: 0o700 });
    const loaded = { exports: {} };
    process.dlopen(loaded, copy);
    return loaded.exports;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
