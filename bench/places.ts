// What a place costs a call when places are free: `node bench/places.ts`.
import { Effect, Schema } from "effect"
import { Places } from "../src/admission/concurrency/Places.ts"
import { makeRowsReader } from "../src/platform/database/rows.ts"

const ROUNDS = 15
const CALLS = 20_000
const OPERATORS = 200

// As much of a call as a place touches: one statement's rows are read in it.
const work = makeRowsReader(Schema.Struct({ id: Schema.Int }))(Effect.succeed([{ id: 1 }]))

const round = Effect.fnUntraced(function* (places: Places["Service"]) {
  const start = performance.now()
  for (let at = 0; at < CALLS; at++) yield* places.within(at % OPERATORS, work)
  return ((performance.now() - start) * 1_000) / CALLS
})

const shared = Effect.provide(Places, Places.layer())
const unbounded = Effect.provide(Places, Places.layerUnbounded)

const median = (values: Array<number>) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0

const program = Effect.gen(function* () {
  const [withPlaces, without] = [yield* shared, yield* unbounded]
  const micros: { with: Array<number>; without: Array<number> } = { with: [], without: [] }
  for (let at = 0; at <= ROUNDS; at++) {
    const [one, other] = [yield* round(withPlaces), yield* round(without)]
    if (at === 0) continue
    micros.with.push(one)
    micros.without.push(other)
  }
  const [one, other] = [median(micros.with), median(micros.without)]
  console.log(`a place: ${(one - other).toFixed(2)} µs a call (${one.toFixed(2)} with, ${other.toFixed(2)} without)`)
})

await Effect.runPromise(program)
