// `npm run faults [-- name …]`: causes every fault on real processes and prints what was lost and how long it took, as the
// table of docs/reports/reliability.md. Ends with status 1 when something acknowledged was lost or an answer was not a promised one.
import { cpus } from "node:os"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect } from "effect"
import { layerQuiet } from "../attacks/grounds.ts"
import { FAULTS } from "./all.ts"
import type { Suffered } from "./fault.ts"
import { held, tableOf } from "./table.ts"

const chosen = process.argv.slice(2)

const all = Effect.gen(function* () {
  const suffered: Array<Suffered> = []
  let broken = false
  for (const { name, skipped, run } of FAULTS) {
    if (chosen.length > 0 && !chosen.includes(name)) continue
    const why = yield* skipped
    if (why !== undefined) {
      console.log(`skipped: ${name}: ${why}`)
      continue
    }
    console.log(`== ${name}`)
    const said = yield* Effect.exit(Effect.scoped(run))
    if (said._tag === "Success") {
      suffered.push(...said.value)
      for (const { fell } of said.value) for (const line of fell) console.log(`fell: ${line}`)
    } else {
      broken = true
      console.log(`broke off: ${Cause.pretty(said.cause)}`)
    }
  }
  console.log(
    `\n${cpus().length} cores, ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}\n\n${tableOf(suffered)}`
  )
  if (broken || !suffered.every(held)) process.exitCode = 1
})

NodeRuntime.runMain(Effect.provide(all, layerQuiet))
