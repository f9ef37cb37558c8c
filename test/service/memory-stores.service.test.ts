import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Predicate, type Schema } from "effect"
import { TestClock } from "effect/testing"
import { WEBHOOK_SUBSCRIPTION_LIMIT } from "../../src/platform/limits.ts"
import type { OperationName } from "../../src/service/Api.ts"
import type { Service } from "../../src/service/service.ts"
import { call, callForResponse, layerTest } from "../support/harness.ts"
import { layerMemoryService } from "../support/service/memory-service.ts"
import { Installation } from "../support/service/test-installation.ts"

// The families that have a memory layer, on the SQL layers and on the memory layers. What a change returns, what a list shows then,
// and what the change records (events, audit entries, idempotency key) must be the same on both.

type Fields = Readonly<Record<string, Schema.Json>>

/** Ids of records that are there before a family is tried. */
interface Fixture {
  readonly propertyId: number
  readonly otherPropertyId: number
  readonly staffId: number
}

interface ChangeCall {
  readonly operation: OperationName
  readonly fields: (fixture: Fixture, id: number) => Fields
}

interface Family {
  readonly list: { readonly operation: OperationName; readonly records: string; readonly fields?: Fields }
  readonly create: ChangeCall & { readonly kind: string; readonly event?: string }
  readonly edit?: ChangeCall & { readonly changedFields: ReadonlyArray<string>; readonly event?: string }
  readonly remove?: ChangeCall & { readonly event?: string }
  /** Calls that change nothing, beside those of unknown ids. */
  readonly refused: ReadonlyArray<ChangeCall & { readonly code: number }>
}

const UNKNOWN_ID = 3_000_000_000

const byId = (operation: OperationName): ChangeCall => ({ operation, fields: (_fixture, id) => ({ id }) })

const FAMILIES: Readonly<Record<string, Family>> = {
  tags: {
    list: { operation: "query_tags", records: "tags" },
    create: {
      operation: "create_property_tag",
      fields: ({ propertyId }) => ({ name: "Sea view", property_ids: [propertyId] }),
      kind: "tag"
    },
    edit: {
      operation: "update_property_tag",
      fields: ({ otherPropertyId }, id) => ({ id, name: "Lake view", property_ids: [otherPropertyId] }),
      changedFields: ["name", "property_ids"]
    },
    remove: byId("delete_property_tag"),
    refused: [
      { operation: "create_property_tag", fields: () => ({ name: "SEA VIEW" }), code: 409 },
      { operation: "create_property_tag", fields: () => ({ name: "A", property_ids: [UNKNOWN_ID] }), code: 404 },
      { operation: "update_property_tag", fields: (_, id) => ({ id, room_type_ids: [UNKNOWN_ID] }), code: 404 }
    ]
  },
  groups: {
    list: { operation: "search_property_groups", records: "groups" },
    create: {
      operation: "create_property_group",
      fields: ({ propertyId }) => ({ name: "Harbour", property_ids: [propertyId] }),
      kind: "group"
    },
    edit: {
      operation: "update_property_group",
      fields: ({ otherPropertyId }, id) => ({ id, name: "Port", property_ids: [otherPropertyId] }),
      changedFields: ["name", "property_ids"]
    },
    remove: byId("delete_property_group"),
    refused: [
      { operation: "create_property_group", fields: () => ({ name: "harbour" }), code: 409 },
      { operation: "create_property_group", fields: () => ({ name: "A", property_ids: [UNKNOWN_ID] }), code: 404 }
    ]
  },
  "reservation tags": {
    list: { operation: "search_reservation_tags", records: "reservation_tags" },
    create: {
      operation: "create_reservation_tag",
      fields: () => ({ tag_name: "Allergies" }),
      kind: "reservation_tag"
    },
    remove: byId("delete_reservation_tag"),
    refused: [
      { operation: "create_reservation_tag", fields: () => ({ tag_name: "allergies" }), code: 409 },
      { operation: "create_reservation_tag", fields: () => ({ tag_name: "vip" }), code: 409 },
      { operation: "delete_reservation_tag", fields: () => ({ id: 1 }), code: 404 }
    ]
  },
  staff: {
    list: { operation: "query_staffs", records: "staffs" },
    create: {
      operation: "create_staff",
      fields: ({ propertyId }) => ({ name: "Marta", mobile: "+351 912345678", property_ids: [propertyId] }),
      kind: "staff"
    },
    edit: {
      operation: "update_staff",
      fields: (_, id) => ({ id, name: "Marta P.", is_active: false, property_ids: [] }),
      changedFields: ["is_active", "name", "property_ids"]
    },
    remove: byId("delete_staff"),
    refused: [
      { operation: "create_staff", fields: () => ({ name: "Li", mobile: "no number" }), code: 422 },
      {
        operation: "create_staff",
        fields: () => ({ name: "Li", mobile: "+351 912345678", property_ids: [UNKNOWN_ID] }),
        code: 404
      }
    ]
  },
  tasks: {
    list: { operation: "search_tasks", records: "tasks" },
    create: {
      operation: "create_task",
      fields: ({ propertyId, staffId }) => ({
        type: "cleaning",
        property_id: propertyId,
        staff_id: staffId,
        expected_date: "2027-05-01",
        expected_time: "09:30:00",
        fee: 12.5
      }),
      kind: "task"
    },
    edit: {
      operation: "update_task",
      fields: (_, id) => ({ id, status: "completed", fee: 14, staff_id: 0, note: "Done" }),
      changedFields: ["fee", "note", "staff_id", "status"]
    },
    remove: byId("delete_task"),
    refused: [
      { operation: "create_task", fields: () => ({ type: "cleaning", property_id: UNKNOWN_ID }), code: 404 },
      { operation: "create_task", fields: () => ({ type: "cleaning", staff_id: UNKNOWN_ID }), code: 404 },
      { operation: "create_task", fields: () => ({ type: "cleaning", stay_code: "5-NONE" }), code: 404 },
      { operation: "update_task", fields: (_, id) => ({ id, staff_id: UNKNOWN_ID }), code: 404 }
    ]
  },
  properties: {
    list: { operation: "search_properties", records: "properties" },
    create: { operation: "create_property", fields: () => ({ title: "Harbour 9" }), kind: "property" },
    refused: [
      { operation: "create_property", fields: () => ({ title: "Harbour 9" }), code: 409 },
      { operation: "search_properties", fields: () => ({ group_id: UNKNOWN_ID }), code: 404 }
    ]
  },
  "room types": {
    list: { operation: "search_room_types", records: "room_types" },
    create: {
      operation: "create_room_type",
      fields: ({ propertyId }) => ({ title: "Double", property_ids: [propertyId] }),
      kind: "room_type"
    },
    refused: [
      { operation: "create_room_type", fields: () => ({ title: "Double" }), code: 409 },
      {
        operation: "create_room_type",
        fields: ({ propertyId }) => ({ title: "Twin", property_ids: [propertyId] }),
        code: 409
      },
      { operation: "create_room_type", fields: () => ({ title: "Twin", property_ids: [UNKNOWN_ID] }), code: 404 }
    ]
  },
  transactions: {
    list: {
      operation: "search_transactions",
      records: "transactions",
      fields: { start_date: "1970-01-01", end_date: "1970-01-31" }
    },
    create: {
      operation: "create_transaction",
      fields: ({ propertyId }) => ({
        direction: "income",
        amount: 20,
        currency: "EUR",
        item_id: 11,
        payment_method_id: 197,
        property_id: propertyId
      }),
      kind: "transaction",
      event: "transaction_created"
    },
    edit: {
      operation: "update_transaction",
      fields: (_, id) => ({ id, amount: 25.5, note: "With tip" }),
      changedFields: ["amount", "note"],
      event: "transaction_updated"
    },
    remove: { ...byId("delete_transaction"), event: "transaction_deleted" },
    refused: [
      {
        operation: "create_transaction",
        fields: () => ({ direction: "income", amount: 5, currency: "EUR", item_id: 9_999, payment_method_id: 197 }),
        code: 422
      },
      {
        operation: "create_transaction",
        fields: () => ({ direction: "income", amount: 5, item_id: 11, payment_method_id: 197 }),
        code: 400
      },
      {
        operation: "create_transaction",
        fields: () => ({
          direction: "income",
          amount: 5,
          item_id: 11,
          payment_method_id: 197,
          reservation_code: "5-NONE"
        }),
        code: 404
      },
      { operation: "update_transaction", fields: (_, id) => ({ id, amount: 1.001 }), code: 422 }
    ]
  },
  webhooks: {
    list: { operation: "list_webhooks", records: "webhooks" },
    create: {
      operation: "create_webhook",
      fields: () => ({ url: "https://hooks.example.com/in", events: ["message_created"] }),
      kind: "webhook"
    },
    edit: {
      operation: "update_webhook",
      fields: (_, id) => ({ id, url: "https://hooks.example.com/new", rotate_secret: true }),
      changedFields: ["secret", "url"]
    },
    remove: byId("delete_webhook"),
    refused: [{ operation: "create_webhook", fields: () => ({ url: "http://hooks.example.com/in" }), code: 422 }]
  },
  "knowledge entries": {
    list: { operation: "search_knowledge_bases", records: "knowledge_bases" },
    create: {
      operation: "create_knowledge_base",
      fields: ({ propertyId }) => ({
        is_enable: true,
        scope_property: { type: "by_property", ids: [propertyId] },
        scope_channel: { type: "all" },
        contents: [{ sub_title: "Keys", text: "In the box." }]
      }),
      kind: "knowledge_base"
    },
    edit: {
      operation: "update_knowledge_base",
      fields: (_, id) => ({
        id,
        title: "Access",
        is_enable: false,
        scope_property: { type: "all" },
        scope_channel: { type: "all" },
        contents: [{ sub_title: "Keys", text: "In the box." }]
      }),
      changedFields: ["is_enable", "scope_property", "title"]
    },
    remove: byId("delete_knowledge_base"),
    refused: [
      {
        operation: "create_knowledge_base",
        fields: () => ({
          is_enable: true,
          scope_property: { type: "by_group", ids: [UNKNOWN_ID] },
          scope_channel: { type: "all" },
          contents: [{ sub_title: "Keys", text: "In the box." }]
        }),
        code: 404
      }
    ]
  }
}

const makeFixture = Effect.fnUntraced(function* (token: string) {
  const createProperty = (title: string) => Effect.map(call(token, "create_property", { title }), firstIdIn)
  const [propertyId, otherPropertyId] = [yield* createProperty("Harbour 1"), yield* createProperty("Harbour 2")]
  const staffId = firstIdIn(yield* call(token, "create_staff", { name: "Li", mobile: "+351 933333333" }))
  const fixture: Fixture = { propertyId, otherPropertyId, staffId }
  return fixture
})

/** The id that the result of a creation tells, at its top or in its record. */
const firstIdIn = (envelope: unknown): number => {
  const data = Predicate.hasProperty(envelope, "data") ? envelope.data : undefined
  const values = Predicate.isObject(data) ? Object.values<unknown>({ ...data }) : []
  for (const value of values) {
    if (Predicate.isNumber(value)) return value
    if (Predicate.hasProperty(value, "id") && Predicate.isNumber(value.id)) return value.id
  }
  return assert.fail(`no id in ${JSON.stringify(envelope)}`)
}

const listIds = (token: string, { operation, records, fields }: Family["list"]) =>
  Effect.map(call(token, operation, fields), ({ data, error_msg }) => {
    const rows: unknown = Predicate.hasProperty(data, records) ? data[records] : assert.fail(error_msg)
    assert.isArray(rows)
    return Array.isArray(rows)
      ? rows.map((row: unknown) => (Predicate.hasProperty(row, "id") ? row.id : undefined))
      : []
  })

const expectedEvents = (event: string | undefined, record: string, payload: unknown) =>
  event === undefined ? [] : [{ event, record, payload }]

const layerSqlInstallation = Layer.provideMerge(Installation.layerSql, layerTest)
const layerMemoryInstallation = Layer.provideMerge(Installation.layerMemory, layerMemoryService)

const runSuite = <E>(name: string, installation: Layer.Layer<Installation | Service, E>) =>
  layer(installation)(name, (it) => {
    for (const [familyName, family] of Object.entries(FAMILIES)) {
      it.effect(`${familyName}: a change records what it changed, once per key`, () =>
        Effect.gen(function* () {
          const { createOperator, readChanges } = yield* Installation
          const { operatorId, token } = yield* createOperator
          const fixture = yield* makeFixture(token)
          const { create, edit, remove, list } = family
          const before = yield* readChanges(operatorId)
          /** Runs a change under a key, twice; returns what it recorded. */
          const change = Effect.fnUntraced(function* ({ operation, fields }: ChangeCall, id: number) {
            const start = yield* readChanges(operatorId)
            const input = fields(fixture, id)
            const first = yield* callForResponse(token, operation, input, operation)
            assert.strictEqual(first.envelope.error_code, 0, first.envelope.error_msg)
            const end = yield* readChanges(operatorId)
            const repeated = yield* callForResponse(token, operation, input, operation)
            assert.strictEqual(repeated.headers["idempotent-replayed"], "true", operation)
            assert.deepStrictEqual(withoutSecrets(repeated.envelope.data), withoutSecrets(first.envelope.data))
            assert.deepStrictEqual(yield* readChanges(operatorId), end)
            return {
              envelope: first.envelope,
              events: end.events.slice(start.events.length),
              auditEntries: end.auditEntries.slice(start.auditEntries.length),
              keys: end.outcomes.length - start.outcomes.length
            }
          })
          const created = yield* change(create, 0)
          const id = firstIdIn(created.envelope)
          const record = `${create.kind}:${id}`
          const payload = { [`${create.kind}_id`]: id }
          assert.deepStrictEqual(created.auditEntries, [{ operation: create.operation, record, fields: [] }])
          assert.deepStrictEqual(created.events, expectedEvents(create.event, record, payload))
          assert.strictEqual(created.keys, 1)
          assert.include(yield* listIds(token, list), id)

          if (edit !== undefined) {
            const edited = yield* change(edit, id)
            const fields = edit.changedFields
            assert.deepStrictEqual(edited.auditEntries, [{ operation: edit.operation, record, fields }])
            assert.deepStrictEqual(edited.events, expectedEvents(edit.event, record, payload))
            assert.strictEqual(edited.keys, 1)
          }
          if (remove !== undefined) {
            const removed = yield* change(remove, id)
            assert.deepStrictEqual(removed.auditEntries, [{ operation: remove.operation, record, fields: [] }])
            assert.deepStrictEqual(removed.events, expectedEvents(remove.event, record, payload))
            assert.strictEqual(removed.keys, 1)
            assert.notInclude(yield* listIds(token, list), id)
          }
          assert.strictEqual((yield* readChanges(operatorId)).outcomes.length - before.outcomes.length, stepsOf(family))
        })
      )

      it.effect(`${familyName}: a refused change records nothing`, () =>
        Effect.gen(function* () {
          const { createOperator, readChanges } = yield* Installation
          const { operatorId, token, readOnlyToken } = yield* createOperator
          const fixture = yield* makeFixture(token)
          const { create, edit, remove, list, refused } = family
          const id = firstIdIn(yield* call(token, create.operation, create.fields(fixture, 0)))
          const before = yield* readChanges(operatorId)
          const listed = yield* call(token, list.operation, list.fields)
          const refuse = Effect.fnUntraced(function* (
            caller: string,
            code: number,
            { operation, fields }: ChangeCall,
            recordId: number
          ) {
            const { envelope } = yield* callForResponse(caller, operation, fields(fixture, recordId), "refused")
            assert.strictEqual(envelope.error_code, code, `${operation}: ${envelope.error_msg}`)
          })
          yield* refuse("lk_unknown", 401, create, 0)
          yield* refuse(readOnlyToken, 401, create, 0)
          for (const each of refused) yield* refuse(token, each.code, each, id)
          const other = yield* createOperator
          for (const each of [edit, remove]) {
            if (each === undefined) continue
            yield* refuse(token, 404, each, UNKNOWN_ID)
            // References to records of the first operator are as unknown to the second as the record itself.
            yield* refuse(other.token, 404, each, id)
          }
          assert.deepStrictEqual(yield* readChanges(operatorId), before)
          assert.deepStrictEqual((yield* call(token, list.operation, list.fields)).data, listed.data)
        })
      )
    }

    it.effect(`webhooks: an operator has at most ${WEBHOOK_SUBSCRIPTION_LIMIT}; a deleted one makes room`, () =>
      Effect.gen(function* () {
        const { token } = yield* (yield* Installation).createOperator
        const create = call(token, "create_webhook", { url: "https://hooks.example.com/in" })
        const first = firstIdIn(yield* create)
        for (let count = 2; count <= WEBHOOK_SUBSCRIPTION_LIMIT; count++) {
          yield* TestClock.adjust("1 second")
          assert.strictEqual((yield* create).error_code, 0, `webhook ${count}`)
        }
        const refusal = yield* create
        assert.strictEqual(refusal.error_code, 422)
        assert.strictEqual(
          refusal.error_msg,
          `webhook_limit: all ${WEBHOOK_SUBSCRIPTION_LIMIT} subscriptions are in use.`
        )
        yield* call(token, "delete_webhook", { id: first })
        assert.strictEqual((yield* create).error_code, 0)
      })
    )
  })

const stepsOf = ({ edit, remove }: Family): number => 1 + (edit === undefined ? 0 : 1) + (remove === undefined ? 0 : 1)

const withoutSecrets = (data: unknown): unknown =>
  JSON.parse(
    JSON.stringify(data, (name, value: unknown) => (name === "secret" || name === "secret_note" ? undefined : value))
  )

runSuite("on the SQL layers", layerSqlInstallation)
runSuite("on the memory layers", layerMemoryInstallation)
