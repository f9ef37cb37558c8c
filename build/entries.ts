/**
 * The published package's entries that another project imports, by subpath. Each is a file of src. The first uses the
 * caller's own `effect`, the second no package.
 */
export const LIBRARY_ENTRIES: Readonly<Record<string, string>> = {
  ".": "src/layers.ts",
  "./testing": "src/testing.ts"
}

/** Bundled into neither build: PGlite finds its WebAssembly files beside its own code. */
export const RUNTIME_DEPENDENCY = "@electric-sql/pglite"

/** The package that the library entries share with their caller. */
export const PEER_DEPENDENCY = "effect"

/** A file beside the bundled program: an embedded database with all migrations, as a tar archive compressed by zstd. */
export const MIGRATED_DATABASE_FILE = "migrated-database.tar.zst"
