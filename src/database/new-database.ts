import { isMainThread, Worker, workerData } from "node:worker_threads"

// The program that makes the database of a data folder, in the folder named by its argument (new-folder.ts starts it). It
// ends with 0 when the database is whole, and says before any other end what went wrong.

const make = async (): Promise<void> => {
  const { PGlite } = await import("@electric-sql/pglite")
  const { PrivateFiles } = await import("./private-files.ts")
  const made = await PGlite.create({ fs: new PrivateFiles(String(workerData)) })
  await made.close()
}

/** Making is one long run of the database, in which no event is heard: another thread does it, and this one listens. */
const watch = (folder: string): void => {
  // Whoever wanted it is gone: nobody will use what comes of it, and nobody else waits for the end.
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"))
  // A signal to the whole group is for the one who wanted it, and that one decides.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {})
  const worker = new Worker(new URL(import.meta.url), { workerData: folder })
  worker.once("error", (error) => process.send?.(String(error), () => process.exit(1)))
  worker.once("exit", (code) => {
    if (code === 0) process.exit(0)
  })
}

if (isMainThread) watch(process.argv[2] ?? "")
else await make()
