import { isMainThread, Worker, workerData } from "node:worker_threads"

// The program that makes the database of a data folder, in the folder named by its argument (database-folder.ts starts it). It
// ends with 0 when the database is whole, and says before any other end what went wrong.

/** What the file system of the embedded database fails with, by its numbers (WASI's), as far as an administrator can help. */
const WASI_ERRORS: ReadonlyMap<unknown, string> = new Map([
  [2, "permission denied"],
  [19, "the quota is used up"],
  [22, "a file is too large"],
  [29, "input or output failed"],
  [51, "no space is left on the disk"],
  [63, "the operation is not permitted"],
  [69, "the file system is read-only"]
])

const reasonOf = (cause: unknown): string => {
  if (cause instanceof Error) return cause.message
  const errno = typeof cause === "object" && cause !== null && "errno" in cause ? cause.errno : cause
  return WASI_ERRORS.get(errno) ?? `making the database failed with ${errno}`
}

const createDatabase = async (folder: string): Promise<void> => {
  const { PGlite } = await import("@electric-sql/pglite")
  const { PrivateFileSystem } = await import("./private-file-system.ts")
  const database = await PGlite.create({ fs: new PrivateFileSystem(folder) })
  await database.close()
}

/** Making is one long run of the database, in which no event is heard: another thread does it, and this one listens. */
const runInWorker = (folder: string): void => {
  // Whoever wanted it is gone, perhaps already before this was read: nobody will use what comes of it.
  const killProcess = () => process.kill(process.pid, "SIGKILL")
  process.on("disconnect", killProcess)
  if (!process.connected) killProcess()
  // A signal to the whole group is for the one who wanted it, and that one decides.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {})
  const worker = new Worker(new URL(import.meta.url), { workerData: folder })
  let failed = false
  worker.once("error", (cause) => {
    failed = true
    process.send?.(reasonOf(cause), () => process.exit(1))
  })
  worker.once("exit", (code) => {
    if (!failed) process.exit(code)
  })
}

if (isMainThread) runInWorker(process.argv[2] ?? "")
else await createDatabase(String(workerData))
