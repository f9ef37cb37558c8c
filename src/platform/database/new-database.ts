import { isMainThread, Worker, workerData } from "node:worker_threads"

// The program that creates a database in the folder of its argument. If it fails, it sends the reason to its parent
// before it exits.

/** Only errors that an administrator can act on. */
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

/** Creation blocks its thread, so a worker does it. */
const runInWorker = (folder: string): void => {
  const killProcess = () => process.kill(process.pid, "SIGKILL")
  process.on("disconnect", killProcess)
  if (!process.connected) killProcess()
  // Ctrl-C reaches the whole process group, but only the parent may end this program.
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
