import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer, Redacted, References } from "effect"
import { TestClock } from "effect/testing"
import { layerPostgres } from "../src/platform/database/postgres.ts"
import { type ApiOperation, operations } from "../src/service/Api.ts"
import { type Growth, growDatabase } from "../test/support/grown-database.ts"
import { layerService } from "../test/support/harness.ts"
import { getsGenericPlan, loadPlanCosts } from "../test/support/prepared-plans.ts"
import { captureStatements, type StatementValues } from "../test/support/sample-calls.ts"
import { makeSampleWorld, type SampleWorld } from "../test/support/sample-world.ts"
import { createScratchDatabase } from "../test/support/scratch-database.ts"
import { SERVER_URL } from "./scratch-database.ts"

// Lists the statements of requests that the server plans at each call. The server plans a prepared statement for its values five times
// (custom plans). Then it compares their average cost with the cost of the generic plan, and keeps making custom plans while the generic
// plan looks more expensive. Planning takes longer than most reads. So this bench prepares each statement on a large database and runs it
// with values of a large operator, of a small one, and of both alternately.
//
// BENCH_COPIES=40000 makes 160,000 stays and takes two minutes.

const COPIES = Number(process.env["BENCH_COPIES"] ?? 10_000)
const GROWTH: Growth = { largeTableCopies: COPIES, otherCopies: 500, operators: 48, copiesPerOperator: 20 }

type Callers = "both" | "large" | "small"
type Runs = readonly [StatementValues, ...ReadonlyArray<StatementValues>]

/** Returns a function that lists the values of a statement in the order of these callers. It returns undefined if they send none. */
const orderValues = (large: ReadonlyArray<StatementValues>, small: ReadonlyArray<StatementValues>) => {
  const alternating = large.flatMap((values, at) => [values, small[at % small.length] ?? values])
  return (callers: Callers): Runs | undefined => {
    const [first, ...others] = callers === "both" ? alternating : callers === "large" ? large : small
    return first === undefined ? undefined : [first, ...others]
  }
}

/** Returns the statements of an operation, each with the callers that get no generic plan for it. */
const listCustomPlans = Effect.fnUntraced(function* (operation: ApiOperation, large: SampleWorld, small: SampleWorld) {
  const ofLarge = yield* captureStatements(operation, large)
  const ofSmall = yield* captureStatements(operation, small)
  return yield* Effect.forEach(ofLarge, ([text, values]) =>
    Effect.gen(function* () {
      const valuesOf = orderValues(values, ofSmall.get(text) ?? [])
      const customPlans: Array<string> = []
      for (const callers of ["both", "large", "small"] as const) {
        const runs = valuesOf(callers)
        if (runs === undefined || (yield* getsGenericPlan(text, runs))) continue
        const { generic, custom } = yield* loadPlanCosts(text, runs[0])
        customPlans.push(`${callers}: generic plan ${generic.toFixed(0)}, custom plan ${custom.toFixed(0)}`)
      }
      return { text, customPlans }
    })
  )
})

const printCustomPlans = Effect.gen(function* () {
  const large = yield* makeSampleWorld
  const small = yield* makeSampleWorld
  yield* growDatabase(large, small, GROWTH)
  const seen = new Map<string, { readonly operation: string; readonly customPlans: ReadonlyArray<string> }>()
  for (const operation of operations) {
    for (const { text, customPlans } of yield* listCustomPlans(operation, large, small)) {
      if (!seen.has(text)) seen.set(text, { operation: operation._tag, customPlans })
    }
  }
  const withCustomPlans = Array.from(seen).filter(([, { customPlans }]) => customPlans.length > 0)
  console.log(`${withCustomPlans.length} of ${seen.size} statements are planned at each call`)
  for (const [text, { operation, customPlans }] of withCustomPlans)
    console.log(`\n${operation}; ${customPlans.join("; ")}\n  ${text}`)
})

// One connection, because plans belong to a connection, and its transaction is rolled back after the calls.
const layerScratch = Layer.unwrap(
  Effect.map(createScratchDatabase(SERVER_URL), (url) => layerPostgres({ url: Redacted.make(url), maxConnections: 1 }))
)

printCustomPlans.pipe(
  Effect.provide(layerService(Layer.fresh(layerScratch))),
  Effect.provide(TestClock.layer()),
  Effect.provideService(References.MinimumLogLevel, "None"),
  NodeRuntime.runMain
)
