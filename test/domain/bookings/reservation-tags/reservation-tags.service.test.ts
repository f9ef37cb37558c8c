import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TAG_COLORS } from "../../../../src/contract/tag-color.ts"
import { RESERVATION_TAG_LIMIT, TAG_KEYWORD_LENGTH, TAG_NAME_LENGTH } from "../../../../src/platform/limits.ts"
import { countRows, createHostClient, loadLimit, runConcurrently } from "../../../support/domain/host-client.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { call, layerTest } from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"

const DEFAULT_NAMES = [
  "VIP",
  "Returning guest",
  "Early check-in",
  "Late check-out",
  "Late arrival",
  "Long stay",
  "Invoice needed",
  "Needs attention"
]

/** The version a tag's links to stays are made under. */
const staysVersionOf = (operatorId: number, id: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ version: number }>`
        SELECT stays_version AS version FROM usable_reservation_tags WHERE operator_id = ${operatorId} AND id = ${id}`,
      (rows) => rows[0]?.version
    )
  )

layer(layerTest)("reservation tags", (it) => {
  it.effect("are the default ones for everybody, always under the same ids", () =>
    Effect.gen(function* () {
      const one = yield* createHostClient()
      const other = yield* createHostClient()
      const listed = yield* one.api.search_reservation_tags({}).pipe(one.as)
      assert.deepStrictEqual(yield* other.api.search_reservation_tags({}).pipe(other.as), listed)
      assert.strictEqual(listed.total, DEFAULT_NAMES.length)
      assert.deepStrictEqual(
        listed.reservation_tags.map(({ id, tag_name, is_default }) => ({ id, tag_name, is_default })),
        DEFAULT_NAMES.map((tag_name, index) => ({ id: index + 1, tag_name, is_default: true }))
      )
      for (const { tag_name, color } of listed.reservation_tags) {
        assert.isAtMost(tag_name.length, TAG_NAME_LENGTH)
        assert.include(TAG_COLORS, color)
      }
    })
  )

  it.effect("are followed by the account's own, with a colour of the service's choosing", () =>
    Effect.gen(function* () {
      const { api, as } = yield* createHostClient()
      const { reservation_tag: tag } = yield* api.create_reservation_tag({ tag_name: " Allergies " }).pipe(as)
      assert.deepInclude(tag, { tag_name: "Allergies", is_default: false })
      assert.include(TAG_COLORS, tag.color)
      const { reservation_tags, total } = yield* api.search_reservation_tags({}).pipe(as)
      assert.strictEqual(total, DEFAULT_NAMES.length + 1)
      assert.deepStrictEqual(reservation_tags.at(-1), tag)
      const stranger = yield* createHostClient()
      const { reservation_tags: theirs } = yield* stranger.api.search_reservation_tags({ id: tag.id }).pipe(stranger.as)
      assert.deepStrictEqual(theirs, [])
    })
  )

  it.effect("are found by id and by any part of the name, in whatever case, page by page", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* createHostClient()
      const { reservation_tag: tag } = yield* api.create_reservation_tag({ tag_name: "Über_100%" }).pipe(as)
      const namesOf = (payload: Parameters<typeof api.search_reservation_tags>[0]) =>
        Effect.map(api.search_reservation_tags(payload).pipe(as), ({ reservation_tags, total }) => [
          reservation_tags.map(({ tag_name }) => tag_name),
          total
        ])
      assert.deepStrictEqual(yield* namesOf({ keyword: "LATE" }), [["Late check-out", "Late arrival"], 2])
      assert.deepStrictEqual(yield* namesOf({ keyword: "LATE", offset: 1, limit: 1 }), [["Late arrival"], 2])
      for (const keyword of ["üBER", "u\u0308ber", "_", "%", "100%"]) {
        assert.deepStrictEqual(yield* namesOf({ keyword }), [[tag.tag_name], 1])
      }
      assert.deepStrictEqual(yield* namesOf({ keyword: "no such" }), [[], 0])
      assert.deepStrictEqual(yield* namesOf({ id: 1 }), [["VIP"], 1])
      assert.deepStrictEqual(yield* namesOf({ id: tag.id, keyword: "ber" }), [[tag.tag_name], 1])
      assert.deepStrictEqual(yield* namesOf({ id: tag.id, keyword: "vip" }), [[], 0])
      assert.deepStrictEqual(yield* namesOf({ keyword: "x".repeat(TAG_KEYWORD_LENGTH) }), [[], 0])
      for (const [code, fields] of [
        [422, { keyword: "x".repeat(TAG_KEYWORD_LENGTH + 1) }],
        [422, { id: 0 }],
        [400, { id: "VIP" }],
        [422, { limit: 101 }]
      ] as const) {
        assert.strictEqual((yield* call(token, "search_reservation_tags", fields)).error_code, code)
      }
    })
  )

  it.effect("have names no default tag and no other tag has", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId } = yield* createHostClient()
      assert.strictEqual((yield* call(token, "create_reservation_tag", { tag_name: "Allergies" })).error_code, 0)
      const { reservation_tags } = yield* api.search_reservation_tags({ limit: 100 }).pipe(as)
      const idOf = new Map(reservation_tags.map((tag) => [tag.tag_name, tag.id]))
      for (const tag_name of ["Allergies", "Allergies ", ...DEFAULT_NAMES]) {
        const conflict = yield* call(token, "create_reservation_tag", { tag_name })
        assert.deepStrictEqual([conflict.error_code, fieldOfError(conflict)], [409, "tag_name"])
        assert.deepInclude(conflict, { data: { id: idOf.get(tag_name.trim()) ?? 0 } })
      }
      assert.strictEqual(yield* countRows(operatorId, "reservation_tags"), 1)
    })
  )

  it.effect("take names up to the limit and refuse what is none", () =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* createHostClient()
      const codeOf = (tag_name: unknown) =>
        Effect.map(call(token, "create_reservation_tag", { tag_name }), ({ error_code }) => error_code)
      const longest = "ü".repeat(TAG_NAME_LENGTH)
      assert.strictEqual(yield* codeOf(longest), 0)
      for (const name of [`${longest}ü`, "", " ", "a\tb"]) assert.strictEqual(yield* codeOf(name), 422)
      for (const name of [undefined, null, 1, ["VIP"]]) assert.strictEqual(yield* codeOf(name), 400)
      assert.strictEqual(yield* countRows(operatorId, "reservation_tags"), 1)
    })
  )

  it.effect("come back under their id after deletion, but on no stay they were on", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId } = yield* createHostClient()
      const { reservation_tag: tag } = yield* api.create_reservation_tag({ tag_name: "Allergies" }).pipe(as)
      const before = yield* staysVersionOf(operatorId, tag.id)
      yield* api.delete_reservation_tag({ id: tag.id }).pipe(as)
      assert.deepStrictEqual((yield* api.search_reservation_tags({ id: tag.id }).pipe(as)).reservation_tags, [])
      assert.isUndefined(yield* staysVersionOf(operatorId, tag.id))
      assert.strictEqual((yield* call(token, "delete_reservation_tag", { id: tag.id })).error_code, 404)
      const { reservation_tag: restored } = yield* api.create_reservation_tag({ tag_name: "Allergies" }).pipe(as)
      assert.deepStrictEqual(restored, tag)
      assert.isAbove((yield* staysVersionOf(operatorId, tag.id)) ?? 0, before ?? 0)
    })
  )

  it.effect("stay when they are default ones", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* createHostClient()
      for (let id = 1; id <= DEFAULT_NAMES.length; id += 1) {
        assert.strictEqual((yield* call(token, "delete_reservation_tag", { id })).error_code, 404)
      }
      assert.strictEqual((yield* api.search_reservation_tags({}).pipe(as)).total, DEFAULT_NAMES.length)
    })
  )

  /** A host whose room for tags is used up but for a few. */
  const almostFull = Effect.fnUntraced(function* (free: number) {
    const found = yield* createHostClient()
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      INSERT INTO reservation_tags (operator_id, tag_name, color, created_at)
      SELECT ${found.operatorId}, 'Tag ' || n, '#FD587B', now() FROM generate_series(1, ${RESERVATION_TAG_LIMIT - free}) n`
    return found
  })

  it.effect("of one's own are as many as allowed and not one more, however many are created at once", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, token } = yield* almostFull(10)
      assert.strictEqual(yield* loadLimit(operatorId, "reservation_tag_limit"), RESERVATION_TAG_LIMIT)
      const creations = Array.from({ length: 20 }, (_, index) =>
        api.create_reservation_tag({ tag_name: `New ${index}` }).pipe(as)
      )
      assert.deepStrictEqual(yield* runConcurrently(creations), { succeeded: 10, refused: ["ValidationFailed"] })
      const invalid = yield* call(token, "create_reservation_tag", { tag_name: "One more" })
      assert.deepStrictEqual([invalid.error_code, fieldOfError(invalid)], [422, "reservation_tag_limit"])
      assert.include(invalid.error_msg, `${RESERVATION_TAG_LIMIT}`)
      const { total } = yield* api.search_reservation_tags({ limit: 1 }).pipe(as)
      assert.strictEqual(total, RESERVATION_TAG_LIMIT + DEFAULT_NAMES.length)
    })
  )

  it.effect("count as well when they come back from deletion", () =>
    Effect.gen(function* () {
      const { api, as } = yield* almostFull(1)
      const { reservation_tag: tag } = yield* api.create_reservation_tag({ tag_name: "First" }).pipe(as)
      yield* api.delete_reservation_tag({ id: tag.id }).pipe(as)
      const last = yield* runConcurrently(
        ["First", "Second", "Third"].map((tag_name) => api.create_reservation_tag({ tag_name }).pipe(as))
      )
      assert.deepStrictEqual(last, { succeeded: 1, refused: ["ValidationFailed"] })
    })
  )

  it.effect("of one name, created at once, are one, new or restored", () =>
    Effect.gen(function* () {
      const { api, as } = yield* createHostClient()
      const creations = Array.from({ length: 10 }, () => api.create_reservation_tag({ tag_name: "Allergies" }).pipe(as))
      assert.deepStrictEqual(yield* runConcurrently(creations), { succeeded: 1, refused: ["Conflict"] })
      const { reservation_tags } = yield* api.search_reservation_tags({ keyword: "Allergies" }).pipe(as)
      yield* api.delete_reservation_tag({ id: reservation_tags[0]?.id ?? 0 }).pipe(as)
      assert.deepStrictEqual(yield* runConcurrently(creations), { succeeded: 1, refused: ["Conflict"] })
      const { reservation_tags: after } = yield* api.search_reservation_tags({ keyword: "Allergies" }).pipe(as)
      assert.deepStrictEqual(after, reservation_tags)
    })
  )

  describe.runIf(canOverlap)(withServerNote("while another change is on its way"), () => {
    it.effect("come back under their id when they are created again before their deletion is done", () =>
      Effect.gen(function* () {
        const { api, as } = yield* createHostClient()
        const { reservation_tag: tag } = yield* api.create_reservation_tag({ tag_name: "Allergies" }).pipe(as)
        const [, { reservation_tag: restored }] = yield* runOverlapping(
          api.delete_reservation_tag({ id: tag.id }).pipe(as),
          api.create_reservation_tag({ tag_name: "Allergies" }).pipe(as)
        )
        assert.deepStrictEqual(restored, tag)
      })
    )

    it.effect("are refused if the previous release creates them meanwhile, without a key", () =>
      Effect.gen(function* () {
        const { api, as, operatorId } = yield* createHostClient()
        const sql = yield* SqlClient.SqlClient
        const [, refused] = yield* runOverlapping(
          sql`INSERT INTO reservation_tags (operator_id, tag_name, color, created_at)
            VALUES (${operatorId}, 'Allergies', '#FD587B', now())`,
          Effect.flip(api.create_reservation_tag({ tag_name: "Allergies" }).pipe(as))
        )
        assert.strictEqual(refused._tag, "Conflict")
      })
    )
  })
})
