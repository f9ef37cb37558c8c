import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AMOUNT_MAX, GUESTS_MAX, PRICE_ITEM_NAME_LENGTH, PRICE_ITEMS_MAX } from "../../../../src/platform/limits.ts"
import { BEFORE_ARRIVAL_RULE, insertRule } from "../../../support/domain/automation/automation-service.ts"
import { createHostWithProperties } from "../../../support/domain/host-client.ts"
import { call, callForResponse, insertOrder, layerTest } from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"

const ready = Effect.gen(function* () {
  const host = yield* createHostWithProperties("Harbour 1", "Harbour 2")
  const [id = 0, other = 0] = host.propertyIds
  const { api, as } = host
  const read = Effect.flatMap(api.search_properties({ id }).pipe(as), ({ properties: [property] }) =>
    property === undefined ? Effect.die(new Error("the property is gone")) : Effect.succeed(property)
  )
  const patch = (fields: object) => call(host.token, "update_property", { id, ...fields })
  return { ...host, id, other, read, patch }
})

const codeAndMessage = ({ error_code, error_msg }: { readonly error_code: number; readonly error_msg: string }) => [
  error_code,
  error_msg
]

const loadAudit = Effect.fnUntraced(function* (operatorId: number, record: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ operation: string; fields: ReadonlyArray<string> }>`
    SELECT operation, fields FROM trail WHERE operator_id = ${operatorId} AND record = ${record}
      AND operation LIKE 'update%' ORDER BY id`
})

const hostCurrency = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const [operator] = yield* sql<{ currency: string }>`SELECT currency FROM operators WHERE id = ${operatorId}`
  return operator?.currency
})

const countAvailabilityEvents = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    SELECT FROM events WHERE operator_id = ${operatorId} AND event = 'property_availability_updated'`
  return rows.length
})

layer(layerTest)("an edit of a property", (it) => {
  it.effect("refuses a field that a property does not have", () =>
    Effect.gen(function* () {
      const { patch, read } = yield* ready
      const before = yield* read
      for (const field of ["bedrooms", "currencies"]) {
        const { error_code, error_msg } = yield* patch({ title: "Other", [field]: 1 })
        assert.strictEqual(error_code, 400)
        assert.match(error_msg, new RegExp(`^${field}: `))
      }
      assert.deepStrictEqual(yield* read, before)
    })
  )

  it.effect("changes what is sent and leaves the rest", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, id, read } = yield* ready
      const before = yield* read
      const edit = {
        title: "  Harbour One ",
        address: "12 Shore, Edinburgh",
        longitude: "-3.1706",
        latitude: "55.9763",
        default_checkin_time: "16:30"
      }
      assert.deepStrictEqual(yield* api.update_property({ id, ...edit }).pipe(as), { changed_days: 0 })
      assert.deepStrictEqual(yield* read, { ...before, ...edit, title: "Harbour One" })
      yield* api.update_property({ id, address: null, default_checkin_time: null }).pipe(as)
      assert.deepStrictEqual(yield* read, {
        ...before,
        title: "Harbour One",
        longitude: "-3.1706",
        latitude: "55.9763"
      })
      assert.deepStrictEqual(yield* loadAudit(operatorId, `property:${id}`), [
        {
          operation: "update_property",
          fields: ["address", "checkin_time", "latitude", "longitude", "title"]
        },
        { operation: "update_property", fields: ["address", "checkin_time"] }
      ])
      assert.strictEqual(yield* countAvailabilityEvents(operatorId), 0)
    })
  )

  it.effect("sets currency, capacity, fees and taxes, and takes the whole record back", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, id, read, patch } = yield* ready
      const before = yield* read
      assert.deepStrictEqual(
        [before.currency, before.capacity, before.fees, before.taxes],
        [(yield* hostCurrency(operatorId)) ?? "", null, [], []]
      )
      const fees = [
        { name: " Cleaning ", amount: 40.5, per: "stay" },
        { name: "Service", percent: 2.25, per: "stay" }
      ] as const
      const taxes = [{ name: "City tax", amount: 3, per: "guest" }] as const
      yield* api.update_property({ id, currency: "CHF", capacity: 4, fees, taxes }).pipe(as)
      const edited = yield* read
      assert.deepStrictEqual(edited, {
        ...before,
        currency: "CHF",
        capacity: 4,
        fees: [{ ...fees[0], name: "Cleaning" }, fees[1]],
        taxes
      })
      assert.strictEqual((yield* patch({ ...edited })).error_code, 0)
      assert.deepStrictEqual(yield* read, edited)
      assert.deepStrictEqual(
        (yield* loadAudit(operatorId, `property:${id}`)).map((entry) => entry.fields),
        [["capacity", "currency", "fees", "taxes"]]
      )
      yield* patch({ currency: null, capacity: null, fees: [], taxes: [] })
      assert.deepStrictEqual(yield* read, before)
    })
  )

  it.effect("keeps the operator's currency as the operator's when a record is sent back", () =>
    Effect.gen(function* () {
      const { operatorId, read, patch } = yield* ready
      assert.strictEqual((yield* patch({ ...(yield* read) })).error_code, 0)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE operators SET currency = 'SEK' WHERE id = ${operatorId}`
      assert.strictEqual((yield* read).currency, "SEK")
    })
  )

  it.effect("refuses a fee, tax, currency or capacity that it cannot use, and changes nothing", () =>
    Effect.gen(function* () {
      const { read, patch } = yield* ready
      yield* patch({ currency: "EUR", fees: [{ name: "Towels", amount: 1.25, per: "guest" }] })
      const before = yield* read
      const fee = { name: "Cleaning", amount: 40, per: "stay" as const }
      const feesUpTo = (count: number) => Array.from({ length: count }, (_, n) => ({ ...fee, name: `Fee ${n}` }))
      const cases = [
        [422, "currency", { currency: "EURO" }],
        [422, "fees[0].amount", { currency: "JPY" }],
        [422, "fees[0].amount", { fees: [{ ...fee, amount: 1.005 }] }],
        [422, "taxes[0].amount", { taxes: [{ ...fee, amount: 0.001 }] }],
        [422, "fees[0].amount", { fees: [{ ...fee, amount: -1 }] }],
        [422, "fees[0].amount", { fees: [{ ...fee, amount: AMOUNT_MAX + 1 }] }],
        [422, "fees[0]", { fees: [{ name: "Cleaning", per: "stay" }] }],
        [422, "fees[0]", { fees: [{ ...fee, percent: 5 }] }],
        [422, "fees[0]", { fees: [{ name: "Service", percent: 5, per: "guest" }] }],
        [422, "fees[0].per", { fees: [{ ...fee, per: "week" }] }],
        [400, "fees[0].prcent", { fees: [{ ...fee, prcent: 5 }] }],
        [400, "fees[0].per", { fees: [{ name: "Cleaning", amount: 40 }] }],
        [422, "fees[0].name", { fees: [{ ...fee, name: " " }] }],
        [422, "fees[0].name", { fees: [{ ...fee, name: "n".repeat(PRICE_ITEM_NAME_LENGTH + 1) }] }],
        [422, "taxes[0].percent", { taxes: [{ name: "VAT", percent: 7.125, per: "stay" }] }],
        [422, "taxes[0].percent", { taxes: [{ name: "VAT", percent: 100.5, per: "stay" }] }],
        [422, "fees", { fees: [fee, { ...fee, name: "cleaning " }] }],
        [422, "fees", { fees: feesUpTo(PRICE_ITEMS_MAX + 1) }],
        [422, "capacity", { capacity: 0 }],
        [422, "capacity", { capacity: GUESTS_MAX + 1 }],
        [400, "capacity", { capacity: 1.5 }]
      ] as const
      for (const [code, field, fields] of cases) {
        const { error_code, error_msg } = yield* patch(fields)
        assert.strictEqual(error_code, code, `${JSON.stringify(fields)}: ${error_msg}`)
        assert.isTrue(error_msg.startsWith(`${field}: `), error_msg)
      }
      assert.deepStrictEqual(yield* read, before)
      const largest = {
        capacity: GUESTS_MAX,
        fees: feesUpTo(PRICE_ITEMS_MAX),
        taxes: [{ name: "n".repeat(PRICE_ITEM_NAME_LENGTH), percent: 100, per: "night" as const }]
      }
      assert.strictEqual((yield* patch(largest)).error_code, 0)
      assert.deepStrictEqual(yield* read, { ...before, ...largest })
    })
  )

  it.effect.skipIf(!canOverlap)(withServerNote("checks fees against a currency that changes at the same time"), () =>
    Effect.gen(function* () {
      const fees = [{ name: "Towels", amount: 1.25, per: "guest" }]
      for (const [first, second] of [
        [{ currency: "JPY" }, { fees }],
        [{ fees }, { currency: "JPY" }],
        [{ currency: "JPY" }, { taxes: fees, is_active: true }]
      ]) {
        const { patch, read } = yield* ready
        yield* patch({ currency: "EUR" })
        const [done, refused] = yield* runOverlapping(patch({ ...first }), patch({ ...second }))
        assert.strictEqual(done.error_code, 0)
        assert.strictEqual(refused.error_code, 422)
        assert.match(refused.error_msg, /^(fees|taxes)\[0\]\.amount: /)
        const { currency, fees: stored, taxes } = yield* read
        assert.deepInclude(
          [
            { currency: "JPY", fees: [], taxes: [] },
            { currency: "EUR", fees, taxes: [] }
          ],
          { currency, fees: stored, taxes }
        )
      }
    })
  )

  it.effect("trims the address, and clears it if the text is blank", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, id, read } = yield* ready
      for (const blank of ["   ", "", "\n"]) {
        yield* api.update_property({ id, address: "  12 Shore, Edinburgh " }).pipe(as)
        assert.strictEqual((yield* read).address, "12 Shore, Edinburgh")
        yield* api.update_property({ id, address: blank }).pipe(as)
        assert.isNull((yield* read).address)
      }
      yield* api.update_property({ id, address: " " }).pipe(as)
      assert.lengthOf(yield* loadAudit(operatorId, `property:${id}`), 6)
    })
  )

  it.effect("takes the whole record back, and then changes and records nothing", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, id, read, patch } = yield* ready
      yield* api.create_property_group({ name: "Sea", property_ids: [id] }).pipe(as)
      yield* api.create_property_tag({ name: "Quiet", property_ids: [id] }).pipe(as)
      const record = yield* read
      assert.strictEqual((yield* patch({ ...record })).error_code, 0)
      assert.deepStrictEqual(yield* read, record)
      assert.deepStrictEqual(yield* loadAudit(operatorId, `property:${id}`), [])
      // The operator's default is still the operator's: the property has no time of its own.
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE operators SET default_checkin_time = '14:00' WHERE id = ${operatorId}`
      assert.strictEqual((yield* read).default_checkin_time, "14:00")
    })
  )

  it.effect("refuses another value of a field that it cannot change, and changes nothing else", () =>
    Effect.gen(function* () {
      const { read, patch } = yield* ready
      const before = yield* read
      const fixed = "cannot be changed; send its current value, or leave it out."
      const cases = [
        [{ timezone: "Asia/Tokyo" }, `timezone: ${fixed}`],
        [{ channels: [{}] }, `channels: ${fixed}`],
        [{ cover: { original_url: "https://images.example.com/1.jpg" } }, `cover: ${fixed}`],
        [{ groups: [{ id: 1, name: "Sea" }] }, "groups: cannot be changed here; use PATCH /groups/{id}."],
        [{ tags: [{}] }, "tags: cannot be changed here; use PATCH /tags/{id}."]
      ] as const
      for (const [fields, message] of cases) {
        assert.deepStrictEqual(codeAndMessage(yield* patch({ title: "Other", is_active: false, ...fields })), [
          422,
          message
        ])
      }
      assert.deepStrictEqual(yield* read, before)
    })
  )

  it.effect("refuses what is no title, time or coordinate", () =>
    Effect.gen(function* () {
      const { read, patch } = yield* ready
      const before = yield* read
      const cases = [
        [422, "title", { title: " " }],
        [422, "address", { address: "a".repeat(501) }],
        [422, "longitude", { longitude: "180.1" }],
        [422, "latitude", { latitude: "-90.5" }],
        [422, "latitude", { latitude: "north" }],
        [400, "default_checkin_time", { default_checkin_time: "25:00" }],
        [400, "default_checkout_time", { default_checkout_time: "11:00:00" }],
        [400, "is_active", { is_active: "sometimes" }]
      ] as const
      for (const [code, field, fields] of cases) {
        const { error_code, error_msg } = yield* patch(fields)
        assert.strictEqual(error_code, code, error_msg)
        assert.match(error_msg, new RegExp(`\\b${field}\\b`))
      }
      assert.deepStrictEqual(yield* read, before)
    })
  )

  it.effect("deactivates and activates, with other fields or without, all of it or nothing", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, id, other, read, token } = yield* ready
      const refused = yield* callForResponse(token, "update_property", { id, is_active: false, title: "Harbour 2" })
      assert.deepStrictEqual(codeAndMessage(refused.envelope), [409, "title: is already used by another property."])
      assert.deepStrictEqual(refused.envelope.data, { id: other })
      assert.strictEqual((yield* read).is_active, true)
      assert.strictEqual(yield* countAvailabilityEvents(operatorId), 0)

      yield* api.update_property({ id, is_active: false, address: "Closed for the winter" }).pipe(as)
      const closed = yield* read
      assert.deepStrictEqual([closed.is_active, closed.address], [false, "Closed for the winter"])
      assert.strictEqual(yield* countAvailabilityEvents(operatorId), 1)
      yield* api.update_property({ id, is_active: false }).pipe(as)
      yield* api.update_property({ id, title: "Harbour One" }).pipe(as)
      assert.strictEqual((yield* read).is_active, false)
      assert.strictEqual(yield* countAvailabilityEvents(operatorId), 1)
      yield* api.update_property({ id, is_active: true }).pipe(as)
      assert.strictEqual((yield* read).is_active, true)
      assert.strictEqual(yield* countAvailabilityEvents(operatorId), 2)
      assert.deepStrictEqual(
        (yield* loadAudit(operatorId, `property:${id}`)).map(({ fields }) => fields),
        [["address", "deactivated_at"], ["title"], ["deactivated_at"]]
      )
    })
  )

  it.effect("is made once under a key", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, id, read, token } = yield* ready
      const close = callForResponse(token, "update_property", { id, is_active: false }, "close")
      const first = yield* close
      yield* api.update_property({ id, is_active: true }).pipe(as)
      const second = yield* close
      assert.deepStrictEqual(
        [first, second].map(({ envelope }) => envelope.error_code),
        [0, 0]
      )
      assert.strictEqual((yield* read).is_active, true)
      assert.strictEqual(yield* countAvailabilityEvents(operatorId), 2)
      const otherInput = yield* callForResponse(token, "update_property", { id, is_active: true }, "close")
      assert.strictEqual(otherInput.envelope.error_code, 422)
    })
  )

  it.effect("is of an own property only", () =>
    Effect.gen(function* () {
      const [host, other] = [yield* ready, yield* ready]
      for (const fields of [{ title: "Mine" }, { is_active: false }, { timezone: "Europe/Berlin" }]) {
        for (const id of [other.id, 2 ** 50]) {
          const answer = yield* call(host.token, "update_property", { id, ...fields })
          assert.deepStrictEqual(codeAndMessage(answer), [404, "id: no such property."])
        }
      }
      const theirs = yield* other.read
      assert.deepStrictEqual([theirs.title, theirs.is_active], ["Harbour 1", true])
    })
  )

  it.effect("of its times plans the actions of its stays anew, if a rule acts on stays", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, id, other } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const stay = (propertyId: number) => ({ propertyId, checkIn: "1970-05-01", checkOut: "1970-05-03" })
      yield* insertOrder(operatorId, [stay(id)])
      yield* insertOrder(operatorId, [stay(other)])
      const marks = Effect.map(
        sql<{ property_id: number }>`
          SELECT s.property_id FROM automation_stays m JOIN stays s ON s.operator_id = m.operator_id AND s.id = m.stay_id
          WHERE m.operator_id = ${operatorId}`,
        (rows) => rows.map(({ property_id }) => property_id)
      )
      yield* api.update_property({ id, default_checkin_time: "16:00" }).pipe(as)
      assert.deepStrictEqual(yield* marks, [])
      yield* insertRule(operatorId, BEFORE_ARRIVAL_RULE, { hasUnmarkedStays: false })
      yield* api.update_property({ id, default_checkin_time: "16:00", title: "Harbour One" }).pipe(as)
      assert.deepStrictEqual(yield* marks, [])
      yield* api.update_property({ id, default_checkin_time: "17:00" }).pipe(as)
      assert.deepStrictEqual(yield* marks, [id])
    })
  )
})

layer(layerTest)("an edit of a room type", (it) => {
  it.effect("renames it, once under a key, and nothing else", () =>
    Effect.gen(function* () {
      const { api, as, token, id, other } = yield* ready
      const { room_type_id } = yield* api.create_room_type({ title: "Double", property_ids: [id] }).pipe(as)
      const twin = yield* api.create_room_type({ title: "Twin" }).pipe(as)
      const patch = (fields: object, key?: string) =>
        callForResponse(token, "update_room_type", { id: room_type_id, ...fields }, key)
      const read = Effect.map(
        api.search_room_types({ id: room_type_id }).pipe(as),
        ({ room_types: [roomType] }) => roomType
      )
      const before = yield* read
      assert.strictEqual((yield* patch({ title: " Double room " }, "rename")).envelope.error_code, 0)
      yield* api.update_room_type({ id: room_type_id, title: "Queen" }).pipe(as)
      assert.strictEqual((yield* patch({ title: " Double room " }, "rename")).envelope.error_code, 0)
      assert.deepStrictEqual(yield* read, before === undefined ? undefined : { ...before, title: "Queen" })
      assert.strictEqual((yield* patch({ ...(yield* read) })).envelope.error_code, 0)

      const taken = (yield* patch({ title: "Twin" })).envelope
      assert.deepStrictEqual(codeAndMessage(taken), [409, "title: is already used by another room type."])
      assert.deepStrictEqual(taken.data, { id: twin.room_type_id })
      const moved = (yield* patch({ properties: [{ id: other, title: "Harbour 2" }] })).envelope
      assert.deepStrictEqual(codeAndMessage(moved), [
        422,
        "properties: cannot be changed; send its current value, or leave it out."
      ])
      assert.strictEqual((yield* read)?.title, "Queen")
    })
  )

  it.effect("is of an own room type only", () =>
    Effect.gen(function* () {
      const [host, other] = [yield* ready, yield* ready]
      const { room_type_id } = yield* other.api.create_room_type({ title: "Double" }).pipe(other.as)
      for (const fields of [{ title: "Mine" }, { tags: [] }, {}]) {
        const answer = yield* call(host.token, "update_room_type", { id: room_type_id, ...fields })
        assert.deepStrictEqual(codeAndMessage(answer), [404, "id: no such room type."])
      }
    })
  )
})
