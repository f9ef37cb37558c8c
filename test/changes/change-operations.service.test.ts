import { assert, layer } from "@effect/vitest"
import { Effect, Predicate, Schema } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { routeOf } from "../../src/contract/operation.ts"
import type { ApiOperation } from "../../src/service/Api.ts"
import { sampled, valuesOf } from "../attacks/inputs.ts"
import { fieldOfError } from "../support/error-messages.ts"
import { callForResponse, layerTest } from "../support/harness.ts"
import {
  changeOperations,
  formatWithoutOneTimeValues,
  loadTableContents,
  makeSampleChange,
  payloadFieldsOf
} from "../support/operation-samples.ts"
import { makeSampleWorld, REFERENCE_FIELDS, type SampleWorld } from "../support/sample-world.ts"

// A contract test over all operations that change something: each is done once per idempotency key and writes audit entries.

/** Where the records of a trail stand, and what names them there. */
const RECORDS = {
  reservation: ["orders", "reservation_code"],
  review: ["orders", "reservation_code"],
  transaction: ["transactions", "id"],
  property: ["properties", "id"],
  room_type: ["room_types", "id"],
  task: ["tasks", "id"],
  listing: ["listings", "id"],
  group: ["property_groups", "id"],
  tag: ["property_tags", "id"],
  reservation_tag: ["reservation_tags", "id"],
  staff: ["staffs", "id"],
  calendar_share_link: ["calendar_share_links", "id"],
  imported_calendar: ["imported_calendars", "id"],
  property_feed: ["property_feeds", "id"],
  quote: ["quotes", "id"],
  webhook: ["webhook_subscriptions", "id"],
  event_consumer: ["event_consumers", "name"],
  conversation: ["conversations", "code"],
  special_offer: ["special_offers", "offer_id"],
  knowledge_base: ["knowledge_bases", "id"],
  automation_plan: ["automation_plans", "id"],
  automation_rule: ["automation_rules", "id"]
} as const

/** The records of an operator, as a trail names them. */
const recordsOf = Effect.fnUntraced(function* ({ operatorId }: SampleWorld) {
  const sql = yield* SqlClient.SqlClient
  const each = Object.entries(RECORDS).map(
    ([kind, [table, name]]) =>
      sql`SELECT ${kind}::text || ':' || ${sql(name)} AS record FROM ${sql(table)} WHERE operator_id = ${operatorId}`
  )
  each.push(sql`
    SELECT 'dictionary:' || dictionary || ':' || id AS record FROM dictionary_entries WHERE operator_id = ${operatorId}`)
  const rows = yield* sql<{ record: string }>`${sql.join(" UNION ALL ", false)(each)}`
  return new Set(rows.map(({ record }) => record))
})

interface Trailed {
  readonly account_id: number | null
  readonly application: string
  readonly operation: string
  readonly request_id: string | null
  readonly record: string
  readonly fields: ReadonlyArray<string>
}

/** The trail rows an operator has, but for those of making its world, and each as one text. */
const trailOf = Effect.fnUntraced(function* ({ operatorId }: SampleWorld, after: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Trailed & { readonly id: number; readonly text: string }>`
    SELECT trail.*, trail::text AS text FROM trail WHERE operator_id = ${operatorId} AND id > ${after} ORDER BY id`
  return rows
})

const eventsOf = Effect.fnUntraced(function* ({ operatorId }: SampleWorld) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ events: number }>`SELECT count(*) AS events FROM events WHERE operator_id = ${operatorId}`
  return row?.events
})

const WRITES = /\b(?:INSERT INTO|DELETE FROM|UPDATE [a-z_]+ (?:AS )?[a-z]* ?SET)\b/
/** A statement about a key and nothing else: that an act outside is under way. */
const KEY_ALONE = /^\s*(?:INSERT INTO|DELETE FROM|UPDATE) idempotency_keys\b/

/** What an effect answers, and those of its statements that write something. */
const statementsThatWrite = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const texts: Array<string> = []
    const noted = Effect.provideService(effect, Statement.CurrentTransformer, (statement) =>
      Effect.sync(() => {
        const [text] = statement.compile()
        if (WRITES.test(text)) texts.push(text)
        return statement
      })
    )
    return Effect.map(noted, (answer) => [answer, texts] as const)
  })

/** Values tried until one is another that the field takes. */
const TRIED = 200

/** The same call but for one field. */
const another = (operation: ApiOperation, fields: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  for (const [name, schema] of payloadFieldsOf(operation)) {
    const takes = Schema.is(schema)
    const isOther = (value: unknown) =>
      takes(value) && (Predicate.isNumber(value) || Predicate.isString(value)) && value !== fields[name]
    const value = name in fields ? sampled(valuesOf(schema), TRIED, 1).find(isOther) : undefined
    if (value !== undefined) return { ...fields, [name]: value }
  }
  throw new Error(`${operation._tag}: no field of this call can have another value`)
}

/** Every text in a value, but for those of the fields that `naming` has. */
const textsIn = (value: unknown, naming: (field: string) => boolean): ReadonlyArray<string> => {
  if (Predicate.isString(value)) return [value]
  if (Array.isArray(value)) return value.flatMap((each) => textsIn(each, naming))
  if (!Predicate.isObject(value)) return []
  return Object.entries(value).flatMap(([field, each]) => (naming(field) ? [] : textsIn(each, naming)))
}

layer(layerTest)("every operation that changes", (it) => {
  for (const operation of changeOperations) {
    const name = operation._tag

    it.effect(`${name} under a key is done once, and leaves the trail of one change`, () =>
      Effect.gen(function* () {
        const world = yield* makeSampleWorld
        const fields = makeSampleChange(operation, world)
        const known = yield* recordsOf(world)
        const last = (yield* trailOf(world, 0)).at(-1)?.id ?? 0

        const [first, written] = yield* statementsThatWrite(callForResponse(world.token, name, fields, "change"))
        assert.strictEqual(first.envelope.error_code, 0, first.envelope.error_msg)
        assert.notProperty(first.headers, "idempotent-replayed")
        const after = yield* loadTableContents(world)
        const trail = yield* trailOf(world, last)
        assert.isNotEmpty(
          trail,
          "the call changes nothing: say in `edits` of test/support/sample-world.ts what it does"
        )
        const records = new Set([...known, ...(yield* recordsOf(world))])
        for (const { text, record, account_id, application, operation: told, request_id } of trail) {
          assert.deepStrictEqual(
            { account_id, application, told, request_id },
            { account_id: world.accountId, application: "test", told: name, request_id: first.envelope.request_id }
          )
          assert(records.has(record), `${record} is no record that was or is`)
          // What names a record is what a trail is for.
          const said = textsIn(
            fields,
            (field) =>
              REFERENCE_FIELDS.has(field) || field === "dictionary" || routeOf(operation).params.includes(field)
          )
          for (const each of said) assert.notInclude(text, each)
        }
        assert.strictEqual(new Set(trail.map(({ record }) => record)).size, trail.length)
        // What another statement wrote would be lost, or left, where the process dies between the two.
        assert.isNotEmpty(written)
        assert.lengthOf(
          written.filter((text) => !text.includes("INSERT INTO trail") && !KEY_ALONE.test(text)),
          0
        )

        const { secret } = { secret: undefined, ...Object(first.envelope.data) }
        const kept = after.find(({ table }) => table === "idempotency_keys")?.rows.join()
        assert.isNotEmpty(kept)
        if (Predicate.isString(secret)) assert.notInclude(kept, secret)

        const again = yield* callForResponse(world.token, name, fields, "change")
        assert.strictEqual(again.envelope.error_code, 0, again.envelope.error_msg)
        assert.strictEqual(
          formatWithoutOneTimeValues(again.envelope.data),
          formatWithoutOneTimeValues(first.envelope.data)
        )
        assert.strictEqual(again.headers["idempotent-replayed"], "true")
        assert.notProperty(again.envelope.data, "secret")

        const other = yield* callForResponse(world.token, name, another(operation, fields), "change")
        assert.deepInclude(other.envelope, { error_code: 422, data: {} })
        assert.strictEqual(fieldOfError(other.envelope), "Idempotency-Key")
        // Neither has left anything: no row of any table, be it an event, a trail or the key's own.
        for (const [at, { table, rows }] of (yield* loadTableContents(world)).entries()) {
          assert.deepStrictEqual(rows, after[at]?.rows, table)
        }

        // With a key of its own it is another call; where it finds nothing to change, nobody is told of anything.
        const told = yield* eventsOf(world)
        yield* callForResponse(world.token, name, fields, "next change")
        if ((yield* trailOf(world, last)).length === trail.length) assert.strictEqual(yield* eventsOf(world), told)
      })
    )
  }
})
