// `npm run attack [-- name …]`: every attack at full length, on the embedded database and, where DATABASE_URL names a
// server, on PostgreSQL. Prints what was tried, how often, and what fell; ends with status 1 when something did.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect } from "effect"
import { ATTACKS } from "./all.ts"
import { type Figures, linesOf, tally } from "./figures.ts"
import { embeddedGround, layerQuiet, serverGround } from "./grounds.ts"
import { seedOfRun } from "./inputs.ts"

const server = process.env.DATABASE_URL ?? ""
const chosen = process.argv.slice(2)
const seed = seedOfRun()

const all = Effect.gen(function* () {
  console.log(`ATTACK_SEED=${seed}`)
  if (server === "") console.log("PostgreSQL: skipped, DATABASE_URL not set")
  const figures: Array<Figures> = []
  for (const { name, on, run } of ATTACKS) {
    if (chosen.length > 0 && !chosen.includes(name)) continue
    for (const database of on) {
      if (database === "PostgreSQL" && server === "") continue
      const ground = database === "embedded" ? embeddedGround : serverGround(server)
      const said = yield* Effect.flatMap(ground, (made) => run(made, seed)).pipe(
        Effect.scoped,
        // An attack that breaks says nothing of the service; the others go on.
        Effect.catchCause((cause) => Effect.succeed(broken(name, database, cause)))
      )
      console.log(linesOf(said).join("\n"))
      figures.push(said)
    }
  }
  console.table(figures.map(rowOf))
  if (figures.some(({ fell }) => fell.length > 0)) process.exitCode = 1
})

const broken = (name: string, on: string, cause: Cause.Cause<unknown>): Figures => {
  const count = tally(name, on)
  count.fell("the attack broke off", Cause.pretty(cause))
  return count.figures()
}

const rowOf = ({ attack, on, tried, fell, seconds }: Figures) => ({
  attack,
  database: on,
  tried: tried.map(([what, times]) => `${times} ${what}`).join(", "),
  fell: fell.length,
  seconds: Math.round(seconds)
})

NodeRuntime.runMain(Effect.provide(all, layerQuiet))
