import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { Service } from "../../../../src/service/service.ts"
import { NOW } from "../../../support/domain/calendars/listing-calendars/push-service.ts"
import { call, dataOf, layerTest } from "../../../support/harness.ts"
import { layerMemoryService } from "../../../support/service/memory-service.ts"
import { Installation } from "../../../support/service/test-installation.ts"

// One suite for the store of base prices on SQL and for the one in memory.

const DAYS = { start_date: "2027-05-01", end_date: "2027-05-02" }
const FIRST = { start_date: "2027-05-01", end_date: "2027-05-01" }

const decodeProperty = Schema.decodeUnknownSync(Schema.Struct({ property_id: Schema.Int }))
const decodeRoomType = Schema.decodeUnknownSync(Schema.Struct({ room_type_id: Schema.Int }))
const decodeDays = Schema.decodeUnknownSync(
  Schema.Struct({
    currency: Schema.String,
    days: Schema.Array(
      Schema.Struct({
        date: Schema.String,
        price: Schema.NullOr(Schema.Int),
        minimum_stay: Schema.NullOr(Schema.Int),
        maximum_stay: Schema.NullOr(Schema.Int)
      })
    )
  })
)

const runSuite = <E>(name: string, layerOfStores: Layer.Layer<Installation | Service, E>) =>
  layer(layerOfStores)(`base prices in ${name}`, (it) => {
    it.effect("are set, inherited and cleared, and an invalid change leaves them as they are", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW)
        const { createOperator, readChanges } = yield* Installation
        const [{ operatorId, token }, other] = [yield* createOperator, yield* createOperator]
        const run = (operation: Parameters<typeof call>[1], fields: object) =>
          Effect.flatMap(call(token, operation, fields), dataOf)
        const { property_id } = decodeProperty(yield* run("create_property", { title: "Harbour 1" }))
        const property_ids = [property_id]
        const { room_type_id } = decodeRoomType(yield* run("create_room_type", { title: "Double", property_ids }))
        const set = (target: object, ...ranges: ReadonlyArray<object>) =>
          Effect.map(call(token, "set_base_prices", { ...target, ranges }), ({ error_code, error_msg, data }) =>
            error_code === 0 ? data : `${error_code} ${error_msg}`
          )
        const read = (target: object) =>
          Effect.map(run("get_base_prices", { ...target, ...DAYS }), (data) => {
            const { currency, days } = decodeDays(data)
            const lines = days.map((day) => `${day.price} ${day.minimum_stay} ${day.maximum_stay}`)
            return `${currency}: ${lines.join(", ")}`
          })
        const [property, roomType] = [{ property_id }, { room_type_id }]
        assert.strictEqual(yield* read(property), "EUR: null null null, null null null")
        const nothing = { pushed: [], skipped: [] }
        assert.deepStrictEqual(yield* set(roomType, { ...DAYS, price: 100, minimum_stay: 3 }), nothing)
        assert.deepStrictEqual(yield* set(property, { ...FIRST, price: 120, maximum_stay: 5 }), nothing)
        assert.strictEqual(yield* read(property), "EUR: 120 3 5, 100 3 null")
        assert.strictEqual(yield* read(roomType), "EUR: 100 3 null, 100 3 null")

        const before = yield* readChanges(operatorId)
        assert.match(String(yield* set(roomType, { ...DAYS, minimum_stay: 6 })), /^422 ranges\[0\]\.minimum_stay: /)
        assert.match(String(yield* set(property, { ...FIRST, maximum_stay: 2 })), /^422 ranges\[0\]\.maximum_stay: /)
        assert.match(String(yield* set({ property_id: 3_000_000_000 }, { ...DAYS, price: 1 })), /^404 property_id: /)
        const foreign = yield* call(other.token, "set_base_prices", { ...roomType, ranges: [{ ...DAYS, price: 1 }] })
        assert.strictEqual(foreign.error_code, 404)
        assert.deepStrictEqual(yield* readChanges(operatorId), before)
        assert.strictEqual(yield* read(property), "EUR: 120 3 5, 100 3 null")

        yield* set(property, { ...DAYS, price: null, maximum_stay: null })
        yield* set(property, { ...DAYS, price: null })
        assert.strictEqual(yield* read(property), "EUR: 100 3 null, 100 3 null")
        const { auditEntries, events } = yield* readChanges(operatorId)
        const [operation, record] = ["set_base_prices", `property:${property_id}`]
        assert.deepStrictEqual(auditEntries.slice(before.auditEntries.length), [
          { operation, record, fields: ["base_prices"] },
          { operation, record, fields: [] }
        ])
        assert.deepStrictEqual(events, before.events)
      })
    )
  })

runSuite("SQL", Layer.provideMerge(Installation.layerSql, layerTest))
runSuite("memory", Layer.provideMerge(Installation.layerMemory, layerMemoryService))
