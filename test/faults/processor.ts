import { readdir, readFile } from "node:fs/promises"

/** Milliseconds of processor that a process took so far, in all of its threads. */
export const processorMs = async ({ pid }: { readonly pid?: number | undefined }): Promise<number> => {
  const threads = await readdir(`/proc/${pid}/task`)
  const each = threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8").catch(() => "0"))
  return (await Promise.all(each)).reduce((sum, line) => sum + Number(line.split(" ", 1)[0]) / 1e6, 0)
}
