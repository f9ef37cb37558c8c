// Measures what a concurrency permit costs a call while permits are free: `node bench/permits.ts`.
import { Effect, Schema } from "effect"
import { ConcurrencyLimiter } from "../src/admission/concurrency/ConcurrencyLimiter.ts"
import { makeRowsReader } from "../src/platform/database/rows.ts"

const ROUNDS = 15
const CALLS = 20_000
const OPERATORS = 200

// The part of a call that a permit affects: decoding the rows of one statement.
const work = makeRowsReader(Schema.Struct({ id: Schema.Int }))(Effect.succeed([{ id: 1 }]))

const measureRound = Effect.fnUntraced(function* (limiter: ConcurrencyLimiter["Service"]) {
  const start = performance.now()
  for (let at = 0; at < CALLS; at++) yield* limiter.withPermit(at % OPERATORS, work)
  return ((performance.now() - start) * 1_000) / CALLS
})

const limiting = Effect.provide(ConcurrencyLimiter, ConcurrencyLimiter.layer())
const unbounded = Effect.provide(ConcurrencyLimiter, ConcurrencyLimiter.layerUnbounded)

const median = (values: Array<number>) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0

const program = Effect.gen(function* () {
  const [limited, unlimited] = [yield* limiting, yield* unbounded]
  const micros: { with: Array<number>; without: Array<number> } = { with: [], without: [] }
  for (let at = 0; at <= ROUNDS; at++) {
    const [one, other] = [yield* measureRound(limited), yield* measureRound(unlimited)]
    if (at === 0) continue
    micros.with.push(one)
    micros.without.push(other)
  }
  const [one, other] = [median(micros.with), median(micros.without)]
  console.log(`a permit: ${(one - other).toFixed(2)} µs a call (${one.toFixed(2)} with, ${other.toFixed(2)} without)`)
})

await Effect.runPromise(program)
