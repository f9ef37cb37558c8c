import { Effect, Result } from "effect"
import { conversationLimits } from "../../src/admission/windows/call-buckets.ts"
import { makeInputCorrector } from "../../src/contract/input-correction.ts"
import { parseJson } from "../../src/contract/json-text.ts"
import { isChange, needsToken, rateLimitOf, routeOf } from "../../src/contract/operation.ts"
import { BODY_BYTES, FEED_WAIT_SECONDS, OAUTH_BODY_BYTES } from "../../src/platform/limits.ts"
import { type ApiOperation, operations } from "../../src/service/Api.ts"
import type { SampleWorld } from "../support/sample-world.ts"
import { type Fields, type Heard, isTool, overMcp, overRest, restRequest, type Target } from "./doors.ts"
import { tally } from "./figures.ts"
import { type Input, inputsOf, sampled, settled } from "./inputs.ts"
import { faultsOf, readsAlike } from "./judging.ts"
import { digests } from "./operators-rows.ts"
import { largeIds } from "./secrets.ts"
import { jsonText, jsonTextUpTo } from "./wire.ts"
import { attackedWorld, presentValue } from "./worlds.ts"

// Every operation over both doors with inputs grown from its own schema. Two operators with the same records are
// attacked in step, one over REST and one over MCP: the same input must be answered with the same code.

export interface FuzzBudget {
  readonly on: string
  /** Calls in all, both doors together. */
  readonly calls: number
  readonly seed: number
}

/** Requests with a longer line are for the attack on malformed requests: no HTTP server takes them. */
const LONGEST_TARGET = 8_000

/** A body that is too large, too deep or of too many parts is for the tests of these limits: each door has its own words. */
const longestBody = (operation: ApiOperation): number => (needsToken(operation) ? BODY_BYTES : OAUTH_BODY_BYTES) / 4

/** The message of a tool call puts two levels around the fields. */
const isTaken = (operation: ApiOperation, fields: Fields): boolean => {
  const text = jsonTextUpTo(fields, longestBody(operation))
  return text !== undefined && Result.isSuccess(parseJson(`[[${text}]]`))
}

/** Longest a fuzzed call asks to be held, in seconds: whatever takes longer is then the service's own slowness. */
const HELD_SECONDS = 1

const heldShortly = (fields: Fields): Fields => {
  const { wait } = fields
  // A text in a query is a number as well.
  const seconds = typeof wait === "number" || typeof wait === "string" ? Number(wait) : 0
  if (!(seconds > HELD_SECONDS && seconds <= FEED_WAIT_SECONDS)) return fields
  return { ...fields, wait: typeof wait === "string" ? `${HELD_SECONDS}` : HELD_SECONDS }
}

/** Pairs of calls after which new operators are made: what was created in the old ones makes them slow to compare. */
const PAIRS_A_WORLD = 60

/** Messages have windows of their own, a conversation, that nobody opens wider. */
const pairsAWorld = (operation: ApiOperation): number =>
  rateLimitOf(operation).conversationField === undefined ? PAIRS_A_WORLD : conversationLimits["5s"]

export const fuzz = Effect.fnUntraced(function* (target: Target, budget: FuzzBudget) {
  const count = tally("fuzz of every operation, both doors", budget.on, budget.seed)
  // Small numbers then name nobody's record: the twins would answer differently about one that is only one's.
  yield* largeIds
  const digestOf = yield* digests
  const each = Math.ceil(budget.calls / (operations.length + operations.filter(isTool).length))

  // Calls come one after the other, so what an operator had after one is what it has before the next.
  const last = new Map<number, string>()
  const changed = Effect.fnUntraced(function* ({ operatorId }: SampleWorld) {
    const before = last.get(operatorId)
    const now = yield* digestOf(operatorId)
    last.set(operatorId, now)
    return before !== now
  })

  const attacked = Effect.fnUntraced(function* (operation: ApiOperation, input: Input, twins: Twins) {
    const [one, other] = twins
    const fieldsOf = (world: SampleWorld): Fields =>
      heldShortly(settled(input, (field) => presentValue(world, operation, field)))
    if (!isTaken(operation, fieldsOf(one))) return count.tried("inputs beyond the limits of a body")
    const shown = `${operation._tag} ${jsonText(fieldsOf(one))}`
    const heard: Array<Heard> = []
    if (restRequest(operation, one.token, fieldsOf(one)).target.length <= LONGEST_TARGET) {
      heard.push(yield* Effect.promise(() => overRest(target, operation, one.token, fieldsOf(one))))
      count.tried("calls over REST")
    }
    if (isTool(operation)) {
      heard.push(yield* Effect.promise(() => overMcp(target, operation, other.token, fieldsOf(other))))
      count.tried("calls over MCP")
    }
    for (const answer of heard) {
      const about = `${shown} → ${answer.reply.text}`
      for (const fault of faultsOf(operation, answer, fieldsOf(one))) count.fell(`${operation._tag}: ${fault}`, about)
      if (!(yield* changed(answer.door === "REST" ? one : other))) continue
      if (!isChange(operation)) count.fell(`${operation._tag}: a read over ${answer.door} changes something`, about)
      else if (answer.envelope?.error_code !== 0)
        count.fell(`${operation._tag}: a refused call over ${answer.door} changes something`, about)
      else count.tried("calls that changed something")
    }
    const codes = heard.map(({ envelope }) => envelope?.error_code)
    // An id or a code that makes no path of an operation: REST cannot know what was meant.
    if (heard.some(({ envelope }) => envelope?.error_msg.startsWith("No such route"))) {
      return count.tried("calls whose path led nowhere")
    }
    if (codes.length === 2 && codes[0] !== codes[1] && meansTheSame(operation, fieldsOf(one)))
      count.fell(`${operation._tag}: REST answers ${codes[0]} and MCP ${codes[1]}`, shown)
  })

  for (const [index, operation] of operations.entries()) {
    const inputs = sampled(inputsOf(operation.payloadSchema), each, budget.seed + index)
    let twins = yield* makeTwins
    for (const [nth, input] of inputs.entries()) {
      if (nth % pairsAWorld(operation) === 0) {
        if (nth > 0) twins = yield* makeTwins
        last.clear()
        yield* Effect.forEach(twins, changed)
      }
      yield* attacked(operation, input, twins)
    }
  }
  count.tried("operations", operations.length)
  return count.figures()
})

type Twins = readonly [one: SampleWorld, other: SampleWorld]

const makeTwins: Effect.Effect<Twins, never, Effect.Services<typeof attackedWorld>> = Effect.all([
  attackedWorld,
  attackedWorld
])

/** Whether REST can say the same as JSON: what stands in its path and query is text there. */
const meansTheSame = (operation: ApiOperation, fields: Fields): boolean => {
  const { method, params } = routeOf(operation)
  if (!params.every((name) => Object.hasOwn(fields, name) && fields[name] !== "")) return false
  if (hasListAsText(operation, fields)) return false
  const inText = Object.entries(fields).filter(([name]) => method === "GET" || params.includes(name))
  return inText.every(([name, value]) => readsAlike(operation, name, value))
}

/** Whether a tool would read a JSON text in the fields as a list, which REST does not. */
const hasListAsText = ({ payloadSchema: { ast } }: ApiOperation, fields: Fields): boolean =>
  jsonText(makeInputCorrector(ast, false, true)(fields)) !== jsonText(makeInputCorrector(ast, false)(fields))
