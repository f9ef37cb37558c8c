/** The published package's entries that use the caller's own `effect`, by subpath. Each is a file of src. */
export const LIBRARY_ENTRIES: Readonly<Record<string, string>> = {
  ".": "src/layers.ts"
}

/** Bundled into neither build: PGlite finds its WebAssembly files beside its own code. */
export const RUNTIME_DEPENDENCY = "@electric-sql/pglite"

/** The package that the library entries share with their caller. */
export const PEER_DEPENDENCY = "effect"
