import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  CUSTOM_FIELD_NAME_LENGTH,
  CUSTOM_FIELD_VALUE_LENGTH,
  CUSTOM_FIELDS_MAX,
  CUSTOM_FIELDS_TEXT_LENGTH,
  LOCK_CODE_LENGTH,
  RESERVATION_TAG_LIMIT,
  TAG_NAME_LENGTH
} from "../../../../src/platform/limits.ts"
import {
  deleteEvents,
  layerWithoutRateWindows,
  loadEvents,
  loadReservationRows,
  loadStayRow,
  prepareOperator,
  sortEvents
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { call, insertOrder } from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"
import { countStatements } from "../../../support/statement-count.ts"

const booked = Effect.gen(function* () {
  const ground = yield* prepareOperator
  const code = yield* insertOrder(ground.operatorId, [
    { propertyId: ground.propertyId },
    { propertyId: ground.secondPropertyId }
  ])
  const tags = Effect.map(loadStayRow(ground, code), (row) => row?.tags)
  return { ...ground, code, tags, about: { reservation_code: code, stay_code: code, property_id: ground.propertyId } }
})

layer(layerWithoutRateWindows, { excludeTestServices: false })("tags of a stay", (it) => {
  it.effect("come from the dictionary or are made, belong to one stay, and tell nobody", () =>
    Effect.gen(function* () {
      const ground = yield* booked
      const { api, as, operatorId, code, tags } = ground
      const [, statements] = yield* countStatements(
        api.add_reservation_tag({ stay_code: code, tag_name: "VIP" }).pipe(as)
      )
      assert.isAtMost(statements, 3, "the token and two")
      yield* api.add_reservation_tag({ stay_code: code, tag_name: " Blue door " }).pipe(as)
      yield* api.add_reservation_tag({ stay_code: code, tag_name: "Blue door" }).pipe(as)
      assert.deepStrictEqual(yield* tags, ["VIP", "Blue door"])
      assert.deepStrictEqual((yield* loadStayRow(ground, `${code}_1`))?.tags, [])
      const { reservation_tags } = yield* api.search_reservation_tags({ keyword: "blue" }).pipe(as)
      assert.deepStrictEqual(
        reservation_tags.map(({ tag_name, is_default }) => [tag_name, is_default]),
        [["Blue door", false]]
      )
      yield* api.remove_reservation_tag({ stay_code: code, tag_name: "VIP" }).pipe(as)
      assert.deepStrictEqual(yield* tags, ["Blue door"])
      assert.deepStrictEqual(yield* loadEvents(operatorId), [])
    })
  )

  it.effect("go with the tag, and come back only when put on again", () =>
    Effect.gen(function* () {
      const { api, as, code, tags } = yield* booked
      const add = api.add_reservation_tag({ stay_code: code, tag_name: "Blue door" }).pipe(as)
      yield* add
      const { reservation_tags } = yield* api.search_reservation_tags({ keyword: "blue" }).pipe(as)
      const id = reservation_tags[0]?.id ?? 0
      yield* api.delete_reservation_tag({ id }).pipe(as)
      assert.deepStrictEqual(yield* tags, [])
      yield* api.create_reservation_tag({ tag_name: "Blue door" }).pipe(as)
      assert.deepStrictEqual(yield* tags, [])
      yield* api.delete_reservation_tag({ id }).pipe(as)
      yield* add
      assert.deepStrictEqual(yield* tags, ["Blue door"])
      const again = yield* api.search_reservation_tags({ keyword: "blue" }).pipe(as)
      assert.strictEqual(again.reservation_tags[0]?.id, id)
    })
  )

  it.effect("are made once when many put them on at once", () =>
    Effect.gen(function* () {
      const { api, as, code } = yield* booked
      const stays = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? code : `${code}_1`))
      yield* Effect.forEach(
        stays,
        (stay_code) => api.add_reservation_tag({ stay_code, tag_name: "Blue door" }).pipe(as),
        {
          concurrency: "unbounded"
        }
      )
      const { total } = yield* api.search_reservation_tags({ keyword: "blue" }).pipe(as)
      assert.strictEqual(total, 1)
    })
  )

  describe.runIf(canOverlap)(withServerNote("while the previous release creates the tag, without a key"), () => {
    it.effect("are put on with that tag", () =>
      Effect.gen(function* () {
        const { api, as, code, operatorId, tags } = yield* booked
        const sql = yield* SqlClient.SqlClient
        yield* runOverlapping(
          sql`INSERT INTO reservation_tags (operator_id, tag_name, color, created_at)
            VALUES (${operatorId}, 'Blue door', '#FD587B', now())`,
          api.add_reservation_tag({ stay_code: code, tag_name: "Blue door" }).pipe(as)
        )
        assert.deepStrictEqual(yield* tags, ["Blue door"])
      })
    )
  })

  it.effect("stop at the limit of one's own, and existing ones go on working", () =>
    Effect.gen(function* () {
      const { api, as, code, token } = yield* booked
      yield* Effect.forEach(Array.from({ length: RESERVATION_TAG_LIMIT }), (_, index) =>
        api.create_reservation_tag({ tag_name: `Tag ${index}` }).pipe(as)
      )
      const refused = yield* call(token, "add_reservation_tag", { stay_code: code, tag_name: "One more" })
      assert.strictEqual(refused.error_code, 422)
      assert.match(refused.error_msg, /^tag_name:/)
      yield* api.add_reservation_tag({ stay_code: code, tag_name: "Tag 7" }).pipe(as)
    })
  )

  it.effect("refuse what is wrong", () =>
    Effect.gen(function* () {
      const { operatorId, code, token } = yield* booked
      const stranger = yield* booked
      const before = [yield* loadReservationRows(operatorId), yield* loadReservationRows(stranger.operatorId)]
      for (const [operation, fields, error_code, field] of [
        ["add_reservation_tag", { stay_code: code }, 400, "tag_name"],
        ["add_reservation_tag", { stay_code: code, tag_name: "" }, 422, "tag_name"],
        ["add_reservation_tag", { stay_code: code, tag_name: "x".repeat(TAG_NAME_LENGTH + 1) }, 422, "tag_name"],
        ["add_reservation_tag", { stay_code: "5-ZZ", tag_name: "New" }, 404, "stay_code"],
        ["add_reservation_tag", { stay_code: stranger.code, tag_name: "New" }, 404, "stay_code"],
        ["remove_reservation_tag", { stay_code: code, tag_name: "VIP" }, 404, "tag_name"],
        ["remove_reservation_tag", { stay_code: code }, 400, "tag_name"],
        ["remove_reservation_tag", { stay_code: stranger.code, tag_name: "VIP" }, 404, "stay_code"]
      ] as const) {
        const answer = yield* call(token, operation, fields)
        assert.deepStrictEqual([answer.error_code, answer.error_msg.split(":")[0]], [error_code, field])
      }
      assert.deepStrictEqual(
        [yield* loadReservationRows(operatorId), yield* loadReservationRows(stranger.operatorId)],
        before
      )
    })
  )
})

layer(layerWithoutRateWindows, { excludeTestServices: false })("check-in details", (it) => {
  it.effect("change one by one, and tell each kind of change once", () =>
    Effect.gen(function* () {
      const ground = yield* booked
      const { api, as, operatorId, code, about } = ground
      const steps = [
        [{ lock_code: "4711" }, { lock_code: "4711" }, ["lock_code_updated"]],
        [{ lock_code: "4712" }, { lock_code: "4712" }, ["lock_code_updated"]],
        [{ lock_code: null }, { lock_code: null }, ["lock_code_deleted"]],
        [{ lock_code: "" }, { lock_code: null }, []],
        [
          { arrival_at: { hour: 16, minute: 30 } },
          { arrival_at: { hour: 16, minute: 30 } },
          ["arrival_and_departure_time_updated"]
        ],
        [
          { arrival_at: null, departure_at: { hour: 0, minute: 5 } },
          { arrival_at: null, departure_at: { hour: 0, minute: 5 } },
          ["arrival_and_departure_time_updated"]
        ],
        [
          { id_required: "required_with_review" },
          { id_required: "required_with_review" },
          ["check_in_details_updated"]
        ],
        [{ deposit: 200 }, { deposit: 200 }, ["check_in_details_updated"]],
        // As a stay without one shows it: check-in details can be sent back whole.
        [{ deposit: null }, { deposit: null }, ["check_in_details_updated"]],
        [{ lock_code_visible_after: "08:15" }, { lock_code_visible_after: "08:15" }, ["check_in_details_updated"]],
        [{ lock_code_visible_after: null }, { lock_code_visible_after: null }, ["check_in_details_updated"]],
        [{}, {}, []],
        [
          { lock_code: "1", arrival_at: { hour: 1, minute: 2 }, deposit: 0 },
          { lock_code: "1", arrival_at: { hour: 1, minute: 2 }, deposit: 0, departure_at: { hour: 0, minute: 5 } },
          ["lock_code_updated", "arrival_and_departure_time_updated", "check_in_details_updated"]
        ]
      ] as const
      for (const [sent, seen, subEvents] of steps) {
        yield* deleteEvents(operatorId)
        const [, statements] = yield* countStatements(
          api.update_check_in_details({ stay_code: code, ...sent }).pipe(as)
        )
        assert.isAtMost(statements, 2, "the token and the change")
        assert.deepInclude((yield* loadStayRow(ground, code))?.check_in_details, seen)
        const events = subEvents.map((sub_event) => ({ event: "reservation_updated", ...about, sub_event }))
        assert.deepStrictEqual(sortEvents(yield* loadEvents(operatorId)), sortEvents(events))
        yield* deleteEvents(operatorId)
        yield* api.update_check_in_details({ stay_code: code, ...sent }).pipe(as)
        assert.deepStrictEqual(yield* loadEvents(operatorId), [], "the same again changes nothing")
      }
      assert.isNull((yield* loadStayRow(ground, `${code}_1`))?.check_in_details.lock_code)
    })
  )

  it.effect("refuse what is wrong", () =>
    Effect.gen(function* () {
      const { operatorId, code, token } = yield* booked
      const before = yield* loadReservationRows(operatorId)
      for (const [fields, error_code, field] of [
        [{ stay_code: "5-ZZ" }, 404, "stay_code"],
        [{ lock_code: 4711 }, 400, "lock_code"],
        [{ lock_code: "1".repeat(LOCK_CODE_LENGTH + 1) }, 422, "lock_code"],
        [{ lock_code_visible_after: "24:00" }, 422, "lock_code_visible_after"],
        [{ lock_code_visible_after: "8:00" }, 422, "lock_code_visible_after"],
        [{ arrival_at: "16:30" }, 400, "arrival_at"],
        [{ arrival_at: { hour: 16 } }, 400, "arrival_at.minute"],
        [{ arrival_at: { hour: 24, minute: 0 } }, 422, "arrival_at.hour"],
        [{ departure_at: { hour: 0, minute: 60 } }, 422, "departure_at.minute"],
        [{ departure_at: { hour: 0, minute: 1.5 } }, 400, "departure_at.minute"],
        [{ deposit: -1 }, 422, "deposit"],
        [{ deposit: 1.5 }, 400, "deposit"],
        [{ id_required: "maybe" }, 422, "id_required"],
        [{ id_required: null }, 400, "id_required"]
      ] as const) {
        const answer = yield* call(token, "update_check_in_details", { stay_code: code, ...fields })
        assert.deepStrictEqual(
          [answer.error_code, answer.error_msg.split(":")[0]],
          [error_code, field],
          answer.error_msg
        )
      }
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
      const longest = yield* call(token, "update_check_in_details", {
        stay_code: code,
        lock_code: "1".repeat(LOCK_CODE_LENGTH)
      })
      assert.strictEqual(longest.error_code, 0)
    })
  )
})

layer(layerWithoutRateWindows, { excludeTestServices: false })("custom fields", (it) => {
  it.effect("merge, go with null, and tell each save without a sub_event", () =>
    Effect.gen(function* () {
      const ground = yield* booked
      const { api, as, operatorId, code, about } = ground
      const read = Effect.map(
        api.query_custom_fields({ stay_code: code }).pipe(as),
        ({ custom_fields }) => custom_fields
      )
      assert.isNull(yield* read)
      const save = (custom_fields: Record<string, string | null>) =>
        Effect.map(
          api.update_reservation_custom_fields({ stay_code: code, custom_fields }).pipe(as),
          (saved) => saved.custom_fields
        )
      assert.deepStrictEqual(yield* save({ door: "blue gate", größe: "XL" }), { door: "blue gate", größe: "XL" })
      assert.deepStrictEqual(yield* save({ door: "green gate", key: "" }), { door: "green gate", größe: "XL", key: "" })
      assert.deepStrictEqual(yield* save({ key: null, größe: null, unknown: null }), { door: "green gate" })
      assert.deepStrictEqual(yield* read, { door: "green gate" })
      assert.deepStrictEqual((yield* loadStayRow(ground, code))?.custom_fields, { door: "green gate" })
      assert.isNull(yield* save({ door: null }))
      assert.isNull((yield* loadStayRow(ground, `${code}_1`))?.custom_fields)
      const events = yield* loadEvents(operatorId)
      assert.deepStrictEqual(
        events,
        Array.from({ length: 4 }, () => ({ event: "reservation_updated", ...about }))
      )
    })
  )

  it.effect("lose nothing when saved at once", () =>
    Effect.gen(function* () {
      const { api, as, code } = yield* booked
      const names = Array.from({ length: 20 }, (_, index) => `field ${index}`)
      yield* Effect.forEach(
        names,
        (name) => api.update_reservation_custom_fields({ stay_code: code, custom_fields: { [name]: name } }).pipe(as),
        { concurrency: "unbounded" }
      )
      const { custom_fields } = yield* api.query_custom_fields({ stay_code: code }).pipe(as)
      assert.deepStrictEqual(Object.keys(custom_fields ?? {}).sort(), names.sort())
    })
  )

  it.effect("hold so many characters in all and not one more, and may become less where they held more before", () =>
    Effect.gen(function* () {
      const { operatorId, code, token } = yield* booked
      const sql = yield* SqlClient.SqlClient
      const save = (custom_fields: Record<string, string | null>) =>
        Effect.map(
          call(token, "update_reservation_custom_fields", { stay_code: code, custom_fields }),
          ({ error_code, error_msg }) => `${error_code} ${error_msg}`
        )
      const pieces = CUSTOM_FIELDS_TEXT_LENGTH / CUSTOM_FIELD_VALUE_LENGTH
      const full = Object.fromEntries(
        Array.from({ length: pieces }, (_, index) => [`field ${index}`, "v".repeat(CUSTOM_FIELD_VALUE_LENGTH)])
      )
      const refused = new RegExp(`^422 custom_fields: .*${CUSTOM_FIELDS_MAX}.*${CUSTOM_FIELDS_TEXT_LENGTH}`)
      assert.strictEqual(yield* save(full), "0 ")
      assert.match(yield* save({ more: "v" }), refused)
      assert.strictEqual(yield* save({ more: "v", "field 0": "w".repeat(CUSTOM_FIELD_VALUE_LENGTH - 1) }), "0 ")
      yield* sql`
        UPDATE stays SET custom_fields = custom_fields || jsonb_build_object('old', repeat('v', 5000))
        WHERE operator_id = ${operatorId} AND stay_code = ${code}`
      assert.match(yield* save({ another: "v" }), refused)
      assert.strictEqual(yield* save({ "field 1": null }), "0 ")
    })
  )

  it.effect("have limits, each exact, and refuse what is wrong", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, code, token } = yield* booked
      const full = Object.fromEntries(Array.from({ length: CUSTOM_FIELDS_MAX }, (_, index) => [`field ${index}`, "x"]))
      yield* api.update_reservation_custom_fields({ stay_code: code, custom_fields: full }).pipe(as)
      const longest = { "field 0": null, ["n".repeat(CUSTOM_FIELD_NAME_LENGTH)]: "v".repeat(CUSTOM_FIELD_VALUE_LENGTH) }
      yield* api.update_reservation_custom_fields({ stay_code: code, custom_fields: longest }).pipe(as)
      const before = yield* loadReservationRows(operatorId)
      for (const [fields, error_code, field] of [
        [{ custom_fields: { "one more": "x" } }, 422, "custom_fields"],
        [{ custom_fields: { "field 1": "v".repeat(CUSTOM_FIELD_VALUE_LENGTH + 1) } }, 422, "custom_fields.field 1"],
        [{ custom_fields: { ["n".repeat(CUSTOM_FIELD_NAME_LENGTH + 1)]: "x" } }, 422, "custom_fields"],
        [{ custom_fields: { " ": "x" } }, 422, "custom_fields"],
        [{ custom_fields: { "field 1": 5 } }, 400, "custom_fields.field 1"],
        [{ custom_fields: ["x"] }, 400, "custom_fields"],
        [{ custom_fields: null }, 400, "custom_fields"],
        [{}, 400, "custom_fields"],
        [{ stay_code: "5-ZZ", custom_fields: { a: "b" } }, 404, "stay_code"]
      ] as const) {
        const answer = yield* call(token, "update_reservation_custom_fields", { stay_code: code, ...fields })
        assert.deepStrictEqual(
          [answer.error_code, answer.error_msg.split(":")[0]],
          [error_code, field],
          answer.error_msg
        )
      }
      assert.strictEqual((yield* call(token, "query_custom_fields", { stay_code: "5-ZZ" })).error_code, 404)
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
    })
  )
})

layer(layerWithoutRateWindows, { excludeTestServices: false })("whether a guest is in", (it) => {
  it.effect("reads stay_completed from check-out time on if nobody checked the guest in, and sends no event", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { operatorId, propertyId: property, secondPropertyId: second } = ground
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE properties SET checkout_time = '09:30' WHERE operator_id = ${operatorId} AND id = ${second}`
      const stays = [property, second, null].map((propertyId) => ({ propertyId }))
      const code = yield* insertOrder(operatorId, stays)
      const denied = yield* insertOrder(operatorId, [{ propertyId: null }], { status: "denied" })
      const arrived = yield* insertOrder(operatorId, [{ propertyId: null }])
      yield* sql`UPDATE stays SET stay_status = 'in_house' WHERE operator_id = ${operatorId} AND stay_code = ${arrived}`
      yield* deleteEvents(operatorId)
      const before = yield* loadReservationRows(operatorId)
      const at = Effect.fnUntraced(function* (time: string) {
        yield* TestClock.setTime(Date.parse(`2027-05-04T${time}+02:00`))
        const rows = yield* Effect.forEach([code, `${code}_1`, `${code}_2`], (each) => loadStayRow(ground, each))
        return rows.map((row) => row?.stay_status)
      })
      const [pending, completed] = ["checkin_pending", "stay_completed"] as const
      assert.deepStrictEqual(yield* at("09:29:59"), [pending, pending, pending])
      assert.deepStrictEqual(yield* at("09:30:00"), [pending, completed, pending])
      assert.deepStrictEqual(yield* at("11:00:00"), [completed, completed, completed])
      assert.strictEqual((yield* loadStayRow(ground, denied))?.stay_status, pending)
      assert.strictEqual((yield* loadStayRow(ground, arrived))?.stay_status, "in_house")
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
      // A record that is sent back may have the status that it shows.
      const { api, as } = ground
      yield* api.update_reservation_basic({ stay_code: code, stay_status: "stay_completed", remarks: "left" }).pipe(as)
    })
  )

  it.effect("is marked on accepted orders, and told when it changes", () =>
    Effect.gen(function* () {
      const ground = yield* booked
      const { api, as, operatorId, code, token, about } = ground
      for (const stay_status of ["in_house", "stay_completed", "checkin_pending"] as const) {
        yield* deleteEvents(operatorId)
        yield* api.update_stay_status({ stay_code: code, stay_status }).pipe(as)
        yield* api.update_stay_status({ stay_code: code, stay_status }).pipe(as)
        assert.deepStrictEqual(yield* loadEvents(operatorId), [{ event: "reservation_updated", ...about }])
        assert.strictEqual((yield* loadStayRow(ground, code))?.stay_status, stay_status)
      }
      assert.strictEqual((yield* loadStayRow(ground, `${code}_1`))?.stay_status, "checkin_pending")
      yield* api.cancel_reservation({ reservation_code: code }).pipe(as)
      const before = yield* loadReservationRows(operatorId)
      for (const [fields, error_code, field] of [
        [{ stay_status: "in_house" }, 422, "stay_status"],
        [{ stay_status: "gone" }, 422, "stay_status"],
        [{}, 400, "stay_status"],
        [{ stay_code: "5-ZZ", stay_status: "in_house" }, 404, "stay_code"]
      ] as const) {
        const answer = yield* call(token, "update_stay_status", { stay_code: code, ...fields })
        assert.deepStrictEqual([answer.error_code, answer.error_msg.split(":")[0]], [error_code, field])
      }
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
    })
  )
})
