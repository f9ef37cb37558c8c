import { Effect, Predicate, Schema } from "effect"
import fc from "fast-check"
import { isAllowedForReadOnlyToken } from "../../src/contract/operation.ts"
import { type ApiOperation, operations } from "../../src/service/Api.ts"
import { typedClient, withToken } from "../support/harness.ts"
import { EXCLUSIVE_FIELDS, type SampleWorld } from "../support/sample-world.ts"
import { type Fields, isTool, overMcp, overRest, type Target } from "./doors.ts"
import { tally } from "./figures.ts"
import { faultsOf } from "./judging.ts"
import { digests } from "./operators-rows.ts"
import { largeIds, type Secrets, secretsOf } from "./secrets.ts"
import { jsonText } from "./wire.ts"
import { attackedWorld, presentValue } from "./worlds.ts"

// One operator asks for what is another's, in every place of every operation where an id or a code may stand: he is
// never shown a word of it, and nothing of it changes.

export interface IsolationBudget {
  readonly on: string
  /** Most probes; a probe is one call over each door. Fewer than there are: chosen by the seed. */
  readonly probes: number
  readonly seed: number
}

/** A place in a payload where a record can be named: `property_ids`, `custom_fields.id`, … */
interface Place {
  readonly operation: ApiOperation
  readonly path: ReadonlyArray<string>
  readonly asks: "id" | "ids" | "list of ids" | "code"
}

interface Probe extends Place {
  readonly named: number | string
}

type Keywords = Readonly<Record<string, unknown>>
const keywordsOf = (value: unknown): Keywords => (Predicate.isObject(value) ? { ...value } : {})

/** What the schema of a place takes to name a record, by its type; undefined: nothing. */
const asked = (name: string, node: Keywords): Place["asks"] | undefined => {
  const types = [node, ...(Array.isArray(node.anyOf) ? node.anyOf.map(keywordsOf) : [])].map(({ type }) => type)
  if (!/(^|_)(id|ids|code|codes)$/.test(name)) return undefined
  if (types.includes("array")) return "list of ids"
  if (types.includes("integer")) return "id"
  return types.includes("string") ? (name.endsWith("ids") ? "ids" : "code") : undefined
}

const placesIn = (operation: ApiOperation, node: Keywords, path: ReadonlyArray<string>): ReadonlyArray<Place> =>
  Object.entries(keywordsOf(node.properties)).flatMap(([name, value]) => {
    const field = keywordsOf(value)
    const here = [...path, name]
    const asks = asked(name, field)
    const parts = [field, ...(Array.isArray(field.anyOf) ? field.anyOf.map(keywordsOf) : [])]
    return [
      ...(asks === undefined ? [] : [{ operation, path: here, asks }]),
      ...parts.flatMap((part) => placesIn(operation, part, here))
    ]
  })

const places = (operation: ApiOperation): ReadonlyArray<Place> =>
  placesIn(operation, keywordsOf(Schema.toJsonSchemaDocument(operation.payloadSchema).schema), [])

/** What a place is asked for: every id or code of the other operator, whatever kind of record it names. */
const probesOf = (place: Place, secrets: Secrets): ReadonlyArray<Probe> =>
  (place.asks === "code" ? secrets.codes : secrets.ids).map((named) => ({ ...place, named }))

const valueFor = ({ asks, named }: Probe, own: unknown): unknown => {
  if (asks === "list of ids") return [...(Array.isArray(own) ? own : []), named]
  return asks === "ids" ? `${own === undefined ? "" : `${own},`}${named}` : named
}

/** The fields with the value at the path, whatever stands there now. */
const placed = (fields: Fields, [name = "", ...rest]: ReadonlyArray<string>, value: unknown): Fields => ({
  ...fields,
  [name]: rest.length === 0 ? value : placed({ ...keywordsOf(fields[name]) }, rest, value)
})

/** Optional fields that are needed beside others. */
const COMPANIONS = new Set(["start_date", "end_date", "currency"])

/** A good call of the operation, as its own operator would make it, `about` a field; a list shows what there is. */
const goodCall = (operation: ApiOperation, world: SampleWorld, about?: string): Fields => {
  const either = EXCLUSIVE_FIELDS[operation._tag] ?? []
  const one = either.find((name) => name === about) ?? either[0]
  const { schema } = Schema.toJsonSchemaDocument(operation.payloadSchema)
  const required = Array.isArray(schema.required) ? schema.required : []
  const special = world.fieldsByOperation[operation._tag] ?? {}
  const names = Object.keys(keywordsOf(schema.properties)).filter(
    (name) => required.includes(name) || name === one || COMPANIONS.has(name) || Object.hasOwn(special, name)
  )
  return Object.fromEntries(names.map((name) => [name, presentValue(world, operation, name)] as const))
}

export const isolation = Effect.fnUntraced(function* (target: Target, budget: IsolationBudget) {
  const count = tally("isolation of two operators, every operation, both doors", budget.on, budget.seed)
  const digestOf = yield* digests
  const mine = yield* attackedWorld
  yield* largeIds
  const theirs = yield* attackedWorld
  // What the marks cannot reach: a value inside a document, and a name others refer to.
  const api = yield* typedClient
  const stay_code = String(theirs.fields.stay_code)
  const kept = { custom_fields: { safe: "behind the blue gate of Kastanie" }, stay_code }
  yield* Effect.orDie(api.update_reservation_custom_fields(kept).pipe(withToken(theirs.token)))
  yield* Effect.orDie(api.add_reservation_tag({ stay_code, tag_name: "Kastanienbaum" }).pipe(withToken(theirs.token)))
  const secrets = yield* secretsOf(theirs.operatorId)
  let untouched = yield* digestOf(theirs.operatorId)
  count.seen(
    `${secrets.texts.size} texts, ${secrets.ids.length} ids and ${secrets.codes.length} codes are the other's; no mark in ${secrets.unmarked.join(", ")}`
  )

  /** A call over each door; what is answered shows nothing of the other's but the word it was asked with. */
  const asking = Effect.fnUntraced(function* (operation: ApiOperation, fields: Fields, where: string, named?: unknown) {
    const doors = isTool(operation) ? [overRest, overMcp] : [overRest]
    return yield* Effect.forEach(doors, (over) =>
      Effect.map(
        Effect.promise(() => over(target, operation, mine.token, fields)),
        (heard) => {
          const about = `${operation._tag} over ${heard.door} ${jsonText(fields)} → ${heard.reply.text}`
          for (const fault of faultsOf(operation, heard, fields)) count.fell(`${where}: ${fault}`, about)
          const shown = Array.from(secrets.texts).filter((each) => each !== named && heard.reply.text.includes(each))
          if (shown.length > 0) count.fell(`${where}: shows ${shown.join(", ")}`, about)
          return { heard, about }
        }
      )
    )
  })

  const tried = Effect.fnUntraced(function* (probe: Probe) {
    const { operation, path, named } = probe
    const good = goodCall(operation, mine, path[0])
    const fields = placed(good, path, valueFor(probe, good[path[0] ?? ""]))
    const where = `${operation._tag} ${path.join(".")}`
    for (const { heard, about } of yield* asking(operation, fields, where, named)) {
      count.tried("probes")
      // A change that names a stranger's record cannot go well: its sender has no such record.
      const went = heard.envelope?.error_code === 0
      if (went && !isAllowedForReadOnlyToken(operation) && namesRecord(path))
        count.fell(`${where}: is accepted with a stranger's record`, about)
    }
    const now = yield* digestOf(theirs.operatorId)
    if (now === untouched) return
    count.fell(`${operation._tag} ${path.join(".")}: changes what is another operator's`, jsonText(fields))
    untouched = now
  })

  for (const operation of operations.filter(isAllowedForReadOnlyToken)) {
    const where = `${operation._tag} of his own`
    for (const { heard, about } of yield* asking(operation, goodCall(operation, mine), where)) {
      count.tried("lists of his own")
      if (heard.envelope?.error_code !== 0) count.fell(`${where}: is refused`, about)
    }
  }

  const all = operations.flatMap(places).flatMap((place) => probesOf(place, secrets))
  count.tried(
    "places where a record is named",
    new Set(all.map(({ operation, path }) => `${operation._tag} ${path}`)).size
  )
  const [chosen = []] = fc.sample(
    fc.shuffledSubarray(all, {
      minLength: Math.min(all.length, budget.probes),
      maxLength: Math.min(all.length, budget.probes)
    }),
    { numRuns: 1, seed: budget.seed }
  )
  yield* Effect.forEach(chosen, tried, { discard: true })
  return count.figures()
})

/** Whether the field means one of the operator's own records, and no entry of a dictionary everybody has. */
const namesRecord = (path: ReadonlyArray<string>): boolean => {
  const name = path.at(-1) ?? ""
  return !/^(channel_id|lock_code|custom_channel_id|item_id|payment_method_id|income_method_id|rate_plan_id)$/.test(
    name
  )
}
