import { execFile } from "node:child_process"
import { promisify } from "node:util"

// What a fault needs of the machine it is caused on, and what to say where that is missing.

const run = promisify(execFile)

/** The PostgreSQL server for scratch databases. */
export const server = process.env.DATABASE_URL ?? ""
export const noServer = server === "" ? "DATABASE_URL not set" : undefined

/** Whether the machine has a program of that name. */
export const hasProgram = (name: string): Promise<boolean> =>
  run("which", [name]).then(
    () => true,
    () => false
  )

/** A file system in memory of that size, at a folder that is there. */
export const mounted = (folder: string, megabytes: number): Promise<unknown> =>
  run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", folder])
export const unmounted = (folder: string): Promise<unknown> => run("umount", ["-l", folder])
