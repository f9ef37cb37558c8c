import { assert, layer } from "@effect/vitest"
import { Effect, Equal, Predicate, Schema } from "effect"
import { TestClock } from "effect/testing"
import { isImmutableField } from "../../src/contract/immutable-fields.ts"
import { publishedInputSchemaOf } from "../../src/contract/tool-schema.ts"
import { type Api, type OperationName, operations } from "../../src/service/Api.ts"
import { call, dataOf, insertOrder, insertProperty, layerTest, typedClient, withToken } from "../support/harness.ts"
import { loadTableContents, payloadFieldsOf } from "../support/operation-samples.ts"
import { makeSampleWorld } from "../support/sample-world.ts"

// A record can be sent back whole: what an edit cannot change it takes with the value there is, and no other.

const edits = operations.filter((operation) => payloadFieldsOf(operation).some(([, field]) => isImmutableField(field)))

interface Read {
  readonly search: keyof typeof Api
  readonly list: string
  /** The field that says when the record changed last. */
  readonly lastChange: string
}

/** Where a record is read that an edit takes, and under which name. */
const READ_BY: Partial<Record<OperationName, Read>> = {
  update_transaction: { search: "search_transactions", list: "transactions", lastChange: "updated_at" },
  update_task: { search: "search_tasks", list: "tasks", lastChange: "update_time" }
}

/** Tested with their edits: reservations/changing.service.test.ts, webhooks/subscriptions/webhooks.service.test.ts, money/own-dictionaries.service.test.ts and so on. */
const TRIED_THERE: ReadonlyArray<OperationName> = [
  "update_automation_rule",
  "update_reservation_basic",
  "update_webhook",
  "update_knowledge_base",
  "update_property",
  "update_category",
  "update_room_type"
]

/** Entries and tasks with each kind of link and with none. */
const records = Effect.gen(function* () {
  const world = yield* makeSampleWorld
  const api = yield* typedClient
  const as = withToken(world.token)
  const property_id = yield* insertProperty(world.operatorId, "Leith 2")
  const reservation_code = yield* insertOrder(world.operatorId, [{ propertyId: property_id }, { propertyId: null }])
  const entry = { direction: "income", amount: 5, item_id: 11, payment_method_id: 197 } as const
  const entries = [{ currency: "EUR" }, { currency: "EUR", property_id }, { reservation_code }] as const
  const { staff_id } = world.fields
  const tasks = [{}, { property_id, staff_id: Number(staff_id) }, { stay_code: reservation_code }] as const
  const ids: Partial<Record<OperationName, ReadonlyArray<number>>> = {
    update_transaction: yield* Effect.forEach(entries, (link) =>
      Effect.map(api.create_transaction({ ...entry, ...link }).pipe(as), ({ transaction_id }) => transaction_id)
    ),
    update_task: yield* Effect.forEach(tasks, (link) =>
      Effect.map(api.create_task({ type: "cleaning", fee: 30.5, ...link }).pipe(as), ({ task_id }) => task_id)
    )
  }
  return { world, ids }
}).pipe(Effect.orDie)

const VALUES: ReadonlyArray<unknown> = [
  ...[null, 7, 8, "other", "income", "expense", "paid", "outstanding", "property", "reservation", "operator"],
  ...[[{ property_id: null, amount: 1 }], []]
]

/** A value that the field could have and has not. */
const otherThan = (field: Schema.Constraint, value: unknown): unknown =>
  VALUES.find((other) => Schema.is(field)(other) && !Equal.equals(other, value))

/** The one record a search by its id finds. */
const shownBy = Effect.fnUntraced(function* (token: string, search: OperationName, list: string, id: number) {
  const data = yield* dataOf(yield* call(token, search, { id }))
  const rows: unknown = Predicate.isObject(data) ? Object.entries(data).find(([name]) => name === list)?.[1] : undefined
  const [record]: ReadonlyArray<unknown> = Array.isArray(rows) ? rows : []
  return Predicate.isObject(record) ? { ...record } : yield* Effect.die(new Error(`${search} found none`))
})

layer(layerTest)("a record that is sent back", (it) => {
  it("has a line here for every edit that takes one", () => {
    assert.sameMembers(
      edits.map(({ _tag }) => _tag),
      [...Object.keys(READ_BY), ...TRIED_THERE]
    )
  })

  for (const operation of edits) {
    const fixed = payloadFieldsOf(operation).filter(([, field]) => isImmutableField(field))

    it(`to ${operation._tag} has fields that tools are not shown`, () => {
      const { properties } = publishedInputSchemaOf(operation.payloadSchema)
      assert.isTrue(Predicate.isObject(properties))
      for (const [name] of fixed) assert.notProperty(properties, name)
    })

    const read = READ_BY[operation._tag]
    if (read === undefined) continue
    const { search, list, lastChange } = read

    it.effect(`to ${operation._tag} may hold what it shows, and of what never changes nothing else`, () =>
      Effect.gen(function* () {
        const { world, ids } = yield* records
        const edit = (fields: object) => call(world.token, operation._tag, fields)
        for (const id of ids[operation._tag] ?? []) {
          const record: Readonly<Record<string, unknown>> = yield* shownBy(world.token, search, list, id)
          const whole = yield* edit(record)
          assert.strictEqual(whole.error_code, 0, whole.error_msg)
          assert.deepStrictEqual(yield* shownBy(world.token, search, list, id), record)
          const before = yield* loadTableContents(world)
          for (const [name, field] of fixed.filter(([name]) => name !== lastChange)) {
            const same = yield* edit({ id, [name]: record[name] })
            assert.strictEqual(same.error_code, 0, `${name}: ${same.error_msg}`)
            const other = otherThan(field, record[name])
            const envelope = yield* edit({ ...record, [name]: other })
            assert.strictEqual(envelope.error_code, 422, `${name} ${JSON.stringify(other)}: ${envelope.error_msg}`)
            assert.match(envelope.error_msg, new RegExp(`^${name}: cannot be changed( here)?;`))
          }
          assert.deepStrictEqual(yield* loadTableContents(world), before)
        }
      })
    )

    it.effect(`to ${operation._tag} may be sent again as it was, once it has changed the record`, () =>
      Effect.gen(function* () {
        const { world, ids } = yield* records
        for (const id of ids[operation._tag] ?? []) {
          const record: Readonly<Record<string, unknown>> = yield* shownBy(world.token, search, list, id)
          const sent = { ...record, note: "changed" }
          yield* TestClock.adjust("2 seconds")
          assert.strictEqual((yield* call(world.token, operation._tag, sent)).error_code, 0)
          const changed: Readonly<Record<string, unknown>> = yield* shownBy(world.token, search, list, id)
          assert.strictEqual(changed["note"], "changed")
          assert.notStrictEqual(changed[lastChange], record[lastChange])
          const again = yield* call(world.token, operation._tag, sent)
          assert.strictEqual(again.error_code, 0, again.error_msg)
          const unreadable = yield* call(world.token, operation._tag, { ...sent, [lastChange]: 7 })
          assert.strictEqual(unreadable.error_code, 400)
          assert.match(unreadable.error_msg, new RegExp(`^${lastChange}: `))
        }
      })
    )
  }
})
