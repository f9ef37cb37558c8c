import { assert, it } from "@effect/vitest"
import { operations } from "../../../src/service/Api.ts"
import { makeTools } from "../../../src/transports/mcp/tools.ts"

// What an agent reads of every tool before its first call, in tokens of four bytes: a text that grows costs all of them.

const ON_AVERAGE = 165
const OF_ONE = 450

const tokensIn = (...parts: ReadonlyArray<string>): number =>
  Math.ceil(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0) / 4)

const costs = Array.from(makeTools(operations).values(), ({ definition: { name, description = "", inputSchema } }) => {
  const schema = JSON.stringify(inputSchema)
  return {
    name,
    description: tokensIn(description),
    schema: tokensIn(schema),
    all: tokensIn(name, description, schema)
  }
}).sort((one, other) => other.all - one.all)

const average = costs.reduce((sum, { all }) => sum + all, 0) / costs.length

console.table(costs)
console.log(`${average.toFixed(1)} tokens on average over ${costs.length} tools`)

it(`a tool costs at most ${ON_AVERAGE} tokens on average`, () => {
  assert.isAbove(costs.length, 0)
  assert.isAtMost(average, ON_AVERAGE)
})

it.each(costs)("$name costs at most 450 tokens: $all", ({ all }) => assert.isAtMost(all, OF_ONE))
