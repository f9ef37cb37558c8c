import { randomUUID } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OperationName } from "../../src/service/Api.ts"
import {
  call,
  callForResponse,
  createOperator,
  dataOf,
  insertOrder,
  insertProperty,
  layerTest,
  type TestOperator
} from "../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../support/overlapping-transactions.ts"
import { countStatements } from "../support/statement-count.ts"

// What each change of these families keeps under a key, and what it leaves in the trail.

const URL_IN = "https://hooks.example.com/in"

/** An operator whose token is known already, so that looking it up is counted nowhere. */
const someone = Effect.tap(createOperator(), ({ token }) => call(token, "list_webhooks"))

type Left = readonly [record: string, fields: ReadonlyArray<string>]

const trailOf = Effect.fnUntraced(function* ({ operatorId }: TestOperator) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ operation: string; request_id: string; record: string; fields: ReadonlyArray<string> }>`
    SELECT operation, request_id, record, fields FROM trail WHERE operator_id = ${operatorId} ORDER BY id`
}, Effect.orDie)

/** Statements of a change whose row has a secret that is sealed to it: its id is drawn before. */
const DRAWN = 2

/** What a call answers that only prepares a test: it has no key. */
const made = (operator: TestOperator, operation: OperationName, fields: object) =>
  Effect.flatMap(call(operator.token, operation, fields), dataOf)

/**
 * Makes a call under a key of its own, and then twice again; answers what it left in the trail. Both repeats answer the
 * same bytes and leave nothing.
 */
const thrice = Effect.fnUntraced(function* (
  operator: TestOperator,
  operation: OperationName,
  fields: object,
  answered: { readonly statements: number; readonly again?: (data: Schema.Json) => Schema.Json } = { statements: 1 }
) {
  const before = yield* trailOf(operator)
  const key = randomUUID()
  const [first, statements] = yield* countStatements(callForResponse(operator.token, operation, fields, key))
  assert.strictEqual(first.envelope.error_code, 0, `${operation}: ${first.envelope.error_msg}`)
  assert.strictEqual(statements, answered.statements, operation)
  assert.isUndefined(first.headers["idempotent-replayed"])
  const left = (yield* trailOf(operator)).slice(before.length)
  for (const row of left) assert.deepInclude(row, { operation, request_id: first.envelope.request_id })
  const expected = JSON.stringify((answered.again ?? ((data) => data))(first.envelope.data))
  for (const again of [
    yield* callForResponse(operator.token, operation, fields, key),
    yield* callForResponse(operator.token, operation, fields, key)
  ]) {
    assert.strictEqual(again.envelope.error_code, 0, `${operation}: ${again.envelope.error_msg}`)
    assert.strictEqual(JSON.stringify(again.envelope.data), expected)
    assert.strictEqual(again.headers["idempotent-replayed"], "true")
  }
  assert.strictEqual((yield* trailOf(operator)).length, before.length + left.length)
  return { data: first.envelope.data, left: left.map(({ record, fields }): Left => [record, fields]) }
})

interface Ground {
  readonly one: number
  readonly two: number
  readonly roomType: number
  /** The record that the first step made. */
  readonly id: number
}

type Step = readonly [operation: OperationName, fields: (ground: Ground) => object, changed: ReadonlyArray<string>]

const MADE: ReadonlyArray<string> = []

const families: ReadonlyArray<readonly [kind: string, steps: ReadonlyArray<Step>]> = [
  [
    "tag",
    [
      ["create_property_tag", ({ one }) => ({ name: " Sea view ", property_ids: [one] }), MADE],
      ["update_property_tag", ({ id, two }) => ({ id, name: "Ocean", property_ids: [two] }), ["name", "property_ids"]],
      ["update_property_tag", ({ id, roomType }) => ({ id, room_type_ids: [roomType] }), ["room_type_ids"]],
      ["update_property_tag", ({ id }) => ({ id, color: "#1BBFA4" }), ["color"]],
      ["update_property_tag", ({ id }) => ({ id, color: "#1BBFA4" }), []],
      ["update_property_tag", ({ id, two, roomType }) => ({ id, property_ids: [two], room_type_ids: [roomType] }), []],
      ["delete_property_tag", ({ id }) => ({ id }), []],
      // Comes back in the colour it had.
      ["create_property_tag", ({ two }) => ({ name: "Ocean", property_ids: [two] }), MADE]
    ]
  ],
  [
    "reservation_tag",
    [
      ["create_reservation_tag", () => ({ tag_name: "Allergies" }), MADE],
      ["delete_reservation_tag", ({ id }) => ({ id }), []],
      ["create_reservation_tag", () => ({ tag_name: "Allergies" }), MADE]
    ]
  ],
  [
    "staff",
    [
      ["create_staff", ({ one }) => ({ name: "Marta", mobile: "+351 912345678", property_ids: [one] }), MADE],
      ["update_staff", ({ id }) => ({ id, note: "Has keys", is_active: false, name: "Marta" }), ["is_active", "note"]],
      [
        "update_staff",
        ({ id, two }) => ({ id, email: "m@example.com", property_ids: [two] }),
        ["email", "property_ids"]
      ],
      // The same list, whatever its order and however often an id stands in it.
      ["update_staff", ({ id, one, two }) => ({ id, property_ids: [two, one] }), ["property_ids"]],
      ["update_staff", ({ id, one, two }) => ({ id, property_ids: [one, two, one] }), []],
      ["update_staff", ({ id }) => ({ id, mobile: "+351 933333333", property_ids: [] }), ["mobile", "property_ids"]],
      ["delete_staff", ({ id }) => ({ id }), []]
    ]
  ],
  ["property", [["create_property", () => ({ title: "Harbour 3" }), MADE]]],
  ["room_type", [["create_room_type", ({ two }) => ({ title: "Suite", property_ids: [two] }), MADE]]],
  [
    "calendar_share_link",
    [
      ["create_calendar_share_link", ({ one, two }) => ({ scope: "partial", property_ids: [two, one] }), MADE],
      ["delete_calendar_share_link", ({ id }) => ({ id }), []]
    ]
  ],
  ["calendar_share_link", [["create_calendar_share_link", () => ({ scope: "entire" }), MADE]]],
  [
    "webhook",
    [
      // The creation shows a secret: see below.
      ["update_webhook", ({ id }) => ({ id, events: ["message_created"] }), ["events"]],
      ["update_webhook", ({ id }) => ({ id, url: "https://hooks.example.com/out" }), ["url"]],
      ["update_webhook", ({ id }) => ({ id, rotate_secret: false }), []],
      ["delete_webhook", ({ id }) => ({ id }), []]
    ]
  ]
]

const Identified = Schema.Struct({ id: Schema.Int })
const webhookIn = Schema.decodeUnknownSync(
  Schema.Struct({ webhook: Identified, secret: Schema.optionalKey(Schema.String) })
)
const roomTypeIn = Schema.decodeUnknownSync(Schema.Struct({ room_type_id: Schema.Int }))

/** What a repeat of a call answers whose first answer showed a secret. */
const withoutSecret = (data: Schema.Json) => {
  const { webhook } = Schema.decodeUnknownSync(Schema.Struct({ webhook: Schema.Json }))(data)
  return {
    webhook,
    secret_note:
      "The signing secret was shown once, with the first answer; rotate it (rotate_secret) if that answer was lost."
  }
}

layer(layerTest)("a change", (it) => {
  it.effect.each(families)("of a %s is answered the same again, and is on record once", ([kind, steps]) =>
    Effect.gen(function* () {
      const operator = yield* someone
      const one = yield* insertProperty(operator.operatorId, "Harbour 1")
      const two = yield* insertProperty(operator.operatorId, "Harbour 2")
      const roomType = roomTypeIn(yield* made(operator, "create_room_type", { title: "Flat", property_ids: [one] }))
      let id = kind === "webhook" ? webhookIn(yield* made(operator, "create_webhook", { url: URL_IN })).webhook.id : 0
      for (const [operation, fields, changed] of steps) {
        const ground = { one, two, roomType: roomType.room_type_id, id }
        const statements = operation === "create_calendar_share_link" ? DRAWN : 1
        const { data, left } = yield* thrice(operator, operation, fields(ground), { statements })
        if (id === 0) {
          id = Number(left[0]?.[0].split(":")[1])
          assert.match(JSON.stringify(data), new RegExp(`id":${id}\\b`))
        }
        assert.deepStrictEqual(left, [[`${kind}:${id}`, changed]])
      }
    })
  )

  it.effect("that finds its link to the entire calendar there is none, and answers it", () =>
    Effect.gen(function* () {
      const operator = yield* someone
      const first = yield* made(operator, "create_calendar_share_link", { scope: "entire" })
      const { data, left } = yield* thrice(
        operator,
        "create_calendar_share_link",
        { scope: "entire" },
        { statements: DRAWN + 1 }
      )
      assert.deepStrictEqual(data, first)
      assert.deepStrictEqual(left, [])
    })
  )
})

layer(layerTest)("days that are closed and opened", (it) => {
  const days = (property_ids: ReadonlyArray<number>, available: boolean, end_date = "1970-02-03") => ({
    property_ids,
    available,
    start_date: "1970-02-01",
    end_date
  })

  it.effect("are on record for each property that has other days then", () =>
    Effect.gen(function* () {
      const operator = yield* someone
      const one = yield* insertProperty(operator.operatorId, "Harbour 1")
      const two = yield* insertProperty(operator.operatorId, "Harbour 2")
      const changed = (...ids: ReadonlyArray<number>) => ids.map((id): Left => [`property:${id}`, ["availabilities"]])
      const closed = yield* thrice(operator, "update_availabilities", days([one], false))
      assert.deepStrictEqual(closed.left, changed(one))
      // Nothing to change: the key costs a statement then.
      const again = yield* thrice(operator, "update_availabilities", days([one], false), { statements: 2 })
      assert.deepStrictEqual(again.left, [])
      const both = yield* thrice(operator, "update_availabilities", days([one, two], false))
      assert.deepStrictEqual(both.left, changed(two))
      const opened = yield* thrice(operator, "update_availabilities", days([two, one], true))
      assert.deepStrictEqual(opened.left, changed(one, two))
    })
  )

  it.effect("are not closed again by a repeat that comes after they were opened", () =>
    Effect.gen(function* () {
      const operator = yield* someone
      const one = yield* insertProperty(operator.operatorId, "Harbour 1")
      const close = callForResponse(operator.token, "update_availabilities", days([one], false), "close")
      yield* close
      yield* made(operator, "update_availabilities", days([one], true))
      assert.strictEqual((yield* close).envelope.error_code, 0)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`
        SELECT FROM calendar_days WHERE operator_id = ${operator.operatorId} AND closed`
      assert.strictEqual(rows.length, 0)
    })
  )

  it.effect("are on record also where a stay holds the night, of which subscribers are told nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const operator = yield* someone
      const one = yield* insertProperty(operator.operatorId, "Harbour 1")
      yield* insertOrder(operator.operatorId, [{ propertyId: one, checkIn: "1970-02-01", checkOut: "1970-02-02" }])
      const { left } = yield* thrice(operator, "update_availabilities", days([one], false, "1970-02-01"))
      assert.deepStrictEqual(left, [[`property:${one}`, ["availabilities"]]])
      assert.deepStrictEqual(yield* sql`SELECT FROM events WHERE operator_id = ${operator.operatorId}`, [])
    })
  )
})

layer(layerTest)("a webhook's secret", (it) => {
  const shownOnce = { statements: 1, again: withoutSecret }
  const createdOnce = { ...shownOnce, statements: DRAWN }

  it.effect("is shown with the first answer only, which a repeat says", () =>
    Effect.gen(function* () {
      const operator = yield* someone
      const created = yield* thrice(operator, "create_webhook", { url: URL_IN }, createdOnce)
      const { webhook, secret } = webhookIn(created.data)
      const { id } = webhook
      assert.match(secret ?? "", /^whsec_/)
      assert.deepStrictEqual(created.left, [[`webhook:${id}`, []]])
      const rotated = yield* thrice(operator, "update_webhook", { id, rotate_secret: true, url: URL_IN }, shownOnce)
      assert.notStrictEqual(webhookIn(rotated.data).secret, secret)
      assert.deepStrictEqual(rotated.left, [[`webhook:${id}`, ["secret"]]])
    })
  )

  it.effect("is kept by no key and no trail", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const operator = yield* someone
      const created = yield* thrice(operator, "create_webhook", { url: URL_IN }, createdOnce)
      const { id } = webhookIn(created.data).webhook
      yield* thrice(operator, "update_webhook", { id, rotate_secret: true }, shownOnce)
      const kept = yield* sql`SELECT outcome::text FROM idempotency_keys WHERE operator_id = ${operator.operatorId}`
      assert.strictEqual(kept.length, 2)
      const [row] = yield* sql<{
        readonly secret: string
        readonly former_secret: string
        readonly secret_token: string
      }>`
        SELECT secret, former_secret, secret_token FROM webhook_subscriptions WHERE operator_id = ${operator.operatorId}`
      assert.isDefined(row)
      const text = JSON.stringify([kept, yield* sql`SELECT * FROM trail WHERE operator_id = ${operator.operatorId}`])
      for (const each of Object.values(row ?? {})) assert.notInclude(text, each)
      assert.notInclude(text, "whsec_")
    })
  )

  it.effect("does not change when its webhook is resumed, which is a change of its status", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const operator = yield* someone
      const { id } = webhookIn(yield* made(operator, "create_webhook", { url: URL_IN })).webhook
      yield* sql`UPDATE webhook_subscriptions SET paused_at = now(), paused_reason = 'No delivery succeeded.',
        health = '{"state": "paused", "failures": 9, "failingSince": 0}'
        WHERE operator_id = ${operator.operatorId} AND id = ${id}`
      const { left } = yield* thrice(operator, "update_webhook", { id })
      assert.deepStrictEqual(left, [[`webhook:${id}`, ["status"]]])
    })
  )
})

describe.skipIf(!canOverlap)(withServerNote("of two changes that overlap"), () => {
  layer(layerTest)((it) => {
    const twins: ReadonlyArray<readonly [create: OperationName, made: object, update: OperationName, edit: object]> = [
      ["create_property_tag", { name: "Sea view" }, "update_property_tag", { name: "Ocean" }],
      ["create_staff", { name: "Marta", mobile: "+351 912345678" }, "update_staff", { name: "Li" }],
      ["create_webhook", { url: URL_IN }, "update_webhook", { url: "https://hooks.example.com/out" }]
    ]
    it.effect.each(twins)(
      "%s: the later one is on record with what it changed of the earlier one",
      ([create, given, update, edit]) =>
        Effect.gen(function* () {
          const operator = yield* someone
          yield* made(operator, create, given)
          const id = Number((yield* trailOf(operator))[0]?.record.split(":")[1])
          const same = callForResponse(operator.token, update, { id, ...edit })
          for (const { envelope } of yield* runOverlapping(same, same)) assert.strictEqual(envelope.error_code, 0)
          const [, first, second] = yield* trailOf(operator)
          assert.deepStrictEqual([first?.fields, second?.fields], [Object.keys(edit), []])
        })
    )
  })
})
