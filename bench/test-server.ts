// Times of the test server that the published package starts: ready, reset, and 30 days. Usage: node
// bench/test-server.ts [RUNS] [RESETS]. The machine must be quiet.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { writePackage } from "../build/package.ts"
import type { createLatchkey as CreateLatchkey } from "../src/testing.ts"

const DEPENDENCY = "@electric-sql/pglite"
const [runs = 10, resets = 1_000] = process.argv.slice(2).map(Number)

const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

const installPackage = async (): Promise<string> => {
  const installed = join(folder, "node_modules/latchkey")
  await writePackage(installed)
  const link = join(folder, "node_modules", DEPENDENCY)
  mkdirSync(join(link, ".."), { recursive: true })
  symlinkSync(join(import.meta.dirname, "../node_modules", DEPENDENCY), link)
  return installed
}

const installed = await installPackage()
const { createLatchkey }: { readonly createLatchkey: typeof CreateLatchkey } = await import(
  pathToFileURL(join(installed, "dist/library/testing.js")).href
)

const measure = async <A>(work: () => Promise<A>): Promise<readonly [milliseconds: number, result: A]> => {
  const start = performance.now()
  const result = await work()
  return [performance.now() - start, result]
}

const median = (times: ReadonlyArray<number>): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN

const report = (what: string, times: ReadonlyArray<number>): void =>
  console.log(
    `${what.padEnd(28)} median of ${times.length}: ${median(times).toFixed(0)} ms (${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)})`
  )

const measureStarts = async (what: string, options: Parameters<typeof createLatchkey>[0]): Promise<void> => {
  const times: Array<number> = []
  for (let run = 0; run <= runs; run++) {
    const [milliseconds, latchkey] = await measure(() => createLatchkey(options))
    times.push(milliseconds)
    await latchkey.close()
  }
  console.log(`${what.padEnd(28)} first: ${times[0]?.toFixed(0)} ms`)
  report(what, times.slice(1))
}

/** Resident memory of the process that listens on the port, in MB. */
const readMemory = (url: string): number => {
  const port = new URL(url).port
  const pid = /pid=(\d+)/.exec(execFileSync("ss", ["-ltnpH", `sport = :${port}`], { encoding: "utf8" }))?.[1]
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}

await measureStarts("ready, demo", {})
await measureStarts("ready, empty", { seed: "empty" })

const latchkey = await createLatchkey({ now: "2027-01-04T09:00:00Z" })
const headers = { "service-access-token": latchkey.token }
interface ListingsResponse {
  readonly data: { readonly listings: ReadonlyArray<{ readonly listing_id: string }> }
}
const response: ListingsResponse = JSON.parse(await (await fetch(`${latchkey.url}/v3/listings`, { headers })).text())
const [listing] = response.data.listings
if (listing === undefined) throw new Error("The demo operator has no listing.")
const book = () =>
  latchkey.sandbox.book({
    listing_id: listing.listing_id,
    check_in_date: "2027-09-10",
    check_out_date: "2027-09-14",
    guest_name: "Ada Moreau"
  })

const [advances, resetsAfter]: [Array<number>, Array<number>] = [[], []]
for (let run = 0; run < runs; run++) {
  advances.push((await measure(() => latchkey.advance("30d")))[0])
  resetsAfter.push((await measure(() => latchkey.reset()))[0])
}
report("30 days with the demo", advances)
report("reset after 30 days", resetsAfter)

const times: Array<number> = []
for (let reset = 1; reset <= resets; reset++) {
  await book()
  times.push((await measure(() => latchkey.reset()))[0])
  if (reset % Math.ceil(resets / 5) === 0) console.log(`memory after ${reset} resets: ${readMemory(latchkey.url)} MB`)
}
report("reset after a booking", times)
await latchkey.close()
