import { assert, describe, layer } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { SqlClient } from "effect/sql"
import type { Envelope } from "../../../src/contract/envelope.ts"
import { toReceivedInput } from "../../../src/contract/input.ts"
import {
  KNOWLEDGE_BASES_MAX,
  KNOWLEDGE_CONTENTS_MAX,
  KNOWLEDGE_ENTRY_TEXT_LENGTH,
  KNOWLEDGE_PAGE_DEFAULT,
  KNOWLEDGE_SCOPE_MAX,
  KNOWLEDGE_TEXT_LENGTH,
  KNOWLEDGE_TITLE_LENGTH
} from "../../../src/platform/limits.ts"
import { Service } from "../../../src/service/service.ts"
import { countRows, runConcurrently } from "../../support/domain/host-client.ts"
import { createEntryWriter, loadFragments, PARKING_ENTRY } from "../../support/domain/knowledge/entry-writer.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { call, dataOf, layerTest, toServiceCall } from "../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../support/overlapping-transactions.ts"

const content = (text: string, sub_title = "") => ({ sub_title, text })

const idIn = (envelope: Envelope) =>
  Effect.map(dataOf(envelope), (data) => (Predicate.hasProperty(data, "id") ? Number(data.id) : 0))

layer(layerTest)("the knowledge base", (it) => {
  it.effect("shows an entry as it was written", () =>
    Effect.gen(function* () {
      const {
        propertyIds: rooms,
        createEntry: write,
        getEntry: shown
      } = yield* createEntryWriter("Harbour 1", "Harbour 2")
      const [one = 0, two = 0] = rooms
      const id = yield* write({
        title: "Parking",
        scope_property: { type: "by_property", ids: [two, one, two] },
        scope_channel: { type: "by_channel", channels: ["vrbo", "airbnb", "vrbo"] },
        contents: [content("Two streets away.", "Garage"), content("In der Elbstraße. 停车场在两条街外。", "")],
        is_enable: false,
        audience: "anyone"
      })
      assert.deepStrictEqual(yield* shown(id), {
        id,
        title: "Parking",
        is_enable: false,
        scope_property: { type: "by_property", ids: [one, two] },
        scope_channel: { type: "by_channel", channels: ["vrbo", "airbnb"] },
        process_status: "waiting",
        audience: "anyone",
        contents: [content("Two streets away.", "Garage"), content("In der Elbstraße. 停车场在两条街外。", "")]
      })
    })
  )

  it.effect("takes an entry without a title, and for all in each way that says so", () =>
    Effect.gen(function* () {
      const { token, getEntry: shown } = yield* createEntryWriter()
      const ways = [
        {},
        { scope_property: { type: "all" }, scope_channel: { type: "all" } },
        { scope_property: { type: "all", ids: [] }, scope_channel: { type: "all", channels: [] } },
        { scope_property: { type: "all", ids: [-1, -1] }, title: null, audience: null }
      ]
      for (const way of ways) {
        const made = yield* call(token, "create_knowledge_base", { ...PARKING_ENTRY, ...way })
        assert.deepInclude(yield* shown(yield* idIn(made)), {
          title: "",
          audience: "guests",
          scope_property: { type: "all", ids: [-1] },
          scope_channel: { type: "all", channels: ["unlimited"] }
        })
      }
    })
  )

  it.effect("lists entries newest first, ten a page, at any offset", () =>
    Effect.gen(function* () {
      const { api, as, createEntry: write } = yield* createEntryWriter()
      const ids = yield* Effect.replicateEffect(write({ title: "Parking" }), KNOWLEDGE_PAGE_DEFAULT + 2)
      const newest = ids.toReversed()
      const first = yield* api.search_knowledge_bases({}).pipe(as)
      assert.strictEqual(first.total, ids.length)
      assert.deepStrictEqual(
        first.knowledge_bases.map(({ id }) => id),
        newest.slice(0, KNOWLEDGE_PAGE_DEFAULT)
      )
      assert.deepStrictEqual(first.knowledge_bases[0], {
        id: newest[0] ?? 0,
        title: "Parking",
        is_enable: true,
        scope_property: { type: "all", ids: [-1] },
        scope_channel: { type: "all", channels: ["unlimited"] },
        process_status: "waiting",
        audience: "guests"
      })
      for (const offset of [1, 3, 7, 11, 12, 1_000_000]) {
        const page = yield* api.search_knowledge_bases({ offset, limit: 3 }).pipe(as)
        assert.strictEqual(page.total, ids.length)
        assert.deepStrictEqual(
          page.knowledge_bases.map(({ id }) => id),
          newest.slice(offset, offset + 3)
        )
      }
      assert.lengthOf((yield* api.search_knowledge_bases({ limit: 100 }).pipe(as)).knowledge_bases, ids.length)
    })
  )

  it.effect("refuses a page that there is not", () =>
    Effect.gen(function* () {
      const { token } = yield* createEntryWriter()
      for (const page of [{ limit: 0 }, { limit: 101 }, { offset: -1 }]) {
        assert.strictEqual((yield* call(token, "search_knowledge_bases", page)).error_code, 422)
      }
    })
  )

  it.effect("finds for a property what is for it, its groups, its room type, and for all", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        propertyIds: rooms,
        createEntry: write,
        searchEntryIds: found
      } = yield* createEntryWriter("Harbour 1", "Harbour 2", "Garden")
      const [one = 0, two = 0, garden = 0] = rooms
      const { group } = yield* api.create_property_group({ name: "Harbour", property_ids: [one, two] }).pipe(as)
      const { room_type_id } = yield* api.create_room_type({ title: "Double", property_ids: [two] }).pipe(as)
      const forAll = yield* write()
      const forOne = yield* write({ scope_property: { type: "by_property", ids: [one] } })
      const forHarbour = yield* write({ scope_property: { type: "by_group", ids: [group.id] } })
      const forDoubles = yield* write({ scope_property: { type: "by_room_type", ids: [room_type_id] } })
      assert.deepStrictEqual(yield* found({ property_ids: [one] }), [forHarbour, forOne, forAll])
      assert.deepStrictEqual(yield* found({ property_ids: [two] }), [forDoubles, forHarbour, forAll])
      assert.deepStrictEqual(yield* found({ property_ids: [garden] }), [forAll])
      assert.deepStrictEqual(yield* found({ property_ids: [garden, one] }), [forHarbour, forOne, forAll])
      assert.deepStrictEqual(yield* found({}), [forDoubles, forHarbour, forOne, forAll])
      // What is no longer in the group is no longer meant.
      yield* api.update_property_group({ id: group.id, property_ids: [two] }).pipe(as)
      assert.deepStrictEqual(yield* found({ property_ids: [one] }), [forOne, forAll])
    })
  )

  it.effect("finds for a channel what is for it and for all, and takes lists with commas", () =>
    Effect.gen(function* () {
      const {
        propertyIds: rooms,
        token,
        createEntry: write,
        searchEntryIds: found
      } = yield* createEntryWriter("Harbour 1", "Harbour 2")
      const [one = 0, two = 0] = rooms
      const forAll = yield* write()
      const onAirbnb = yield* write({ scope_channel: { type: "by_channel", channels: ["airbnb"] } })
      const onVrbo = yield* write({
        scope_channel: { type: "by_channel", channels: ["vrbo"] },
        scope_property: { type: "by_property", ids: [one] }
      })
      assert.deepStrictEqual(yield* found({ channel_types: ["airbnb"] }), [onAirbnb, forAll])
      assert.deepStrictEqual(yield* found({ channel_types: ["vrbo", "airbnb"] }), [onVrbo, onAirbnb, forAll])
      assert.deepStrictEqual(yield* found({ channel_types: ["vrbo"], property_ids: [two] }), [forAll])
      const texts = { property_ids: `${two}, ${one}`, channel_types: "airbnb, vrbo" }
      assert.propertyVal(yield* dataOf(yield* call(token, "search_knowledge_bases", texts)), "total", 3)
      for (const [fields, code, message] of [
        [{ channel_types: "airbnb,nowhere" }, 422, /^channel_types: /],
        [{ channel_types: ["nowhere"] }, 422, /^channel_types/],
        [{ channel_types: [] }, 422, /^channel_types: /],
        [{ property_ids: "one" }, 400, /^property_ids: /],
        [{ property_ids: [] }, 422, /^property_ids: /]
      ] as const) {
        const { error_code, error_msg } = yield* call(token, "search_knowledge_bases", fields)
        assert.strictEqual(error_code, code, `${JSON.stringify(fields)}: ${error_msg}`)
        assert.match(error_msg, message)
      }
    })
  )

  it.effect("reads a query of REST, where everything is text", () =>
    Effect.gen(function* () {
      const { propertyIds: rooms, token, createEntry: write } = yield* createEntryWriter("Harbour 1", "Harbour 2")
      const ids = yield* Effect.replicateEffect(write(), 3)
      const service = yield* Service
      const fields = { property_ids: rooms.join(","), channel_types: "airbnb,vrbo", offset: "1", limit: "1" }
      const receive = Effect.succeed(toReceivedInput({ encoding: "text", fields }))
      const { envelope } = yield* service.call("search_knowledge_bases", { ...toServiceCall(token, {}), receive })
      assert.deepNestedInclude(yield* dataOf(envelope), { total: 3, "knowledge_bases[0].id": ids[1] })
    })
  )

  it.effect("says of properties that nobody here has that there are none, be there entries for all", () =>
    Effect.gen(function* () {
      const { propertyIds: rooms, token, createEntry: write } = yield* createEntryWriter("Harbour 1")
      const theirs = yield* createEntryWriter("Theirs")
      const [foreign = 0] = theirs.propertyIds
      yield* write()
      for (const property_ids of [[foreign], [foreign, ...rooms]]) {
        const missing = yield* call(token, "search_knowledge_bases", { property_ids })
        assert.deepStrictEqual([missing.error_code, fieldOfError(missing)], [404, "property_ids"])
        assert.include(missing.error_msg, `${foreign}`)
      }
    })
  )

  it.effect("replaces an entry whole: what is left out is as if it had never been said", () =>
    Effect.gen(function* () {
      const { api, as, propertyIds: rooms, createEntry: write, getEntry: shown } = yield* createEntryWriter("Harbour 1")
      const id = yield* write({
        title: "Parking",
        audience: "anyone",
        scope_property: { type: "by_property", ids: rooms },
        contents: [content("Old"), content("Older")]
      })
      assert.deepStrictEqual(yield* api.update_knowledge_base({ id, ...PARKING_ENTRY, is_enable: false }).pipe(as), {})
      assert.deepStrictEqual(yield* shown(id), {
        id,
        title: "",
        is_enable: false,
        scope_property: { type: "all", ids: [-1] },
        scope_channel: { type: "all", channels: ["unlimited"] },
        process_status: "waiting",
        audience: "guests",
        contents: PARKING_ENTRY.contents
      })
    })
  )

  it.effect("takes back what it shows, whatever is prepared of it by then", () =>
    Effect.gen(function* () {
      const { token, createEntry: write, getEntry: shown } = yield* createEntryWriter()
      const id = yield* write({ title: "Parking", audience: "anyone" })
      const before = yield* shown(id)
      for (const process_status of ["waiting", "processing", "done", "failed"]) {
        const back = yield* call(token, "update_knowledge_base", { ...before, process_status })
        assert.strictEqual(back.error_code, 0, back.error_msg)
        assert.deepStrictEqual(yield* shown(id), before)
      }
    })
  )

  it.effect("keeps a scope whose group was deleted, takes it back, and takes it nowhere else", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        propertyIds: rooms,
        token,
        createEntry: write,
        getEntry: shown,
        searchEntryIds: found
      } = yield* createEntryWriter("Harbour 1")
      const { group } = yield* api.create_property_group({ name: "Harbour", property_ids: rooms }).pipe(as)
      const scope_property = { type: "by_group", ids: [group.id] } as const
      const id = yield* write({ scope_property })
      yield* api.delete_property_group({ id: group.id }).pipe(as)
      const whole = yield* shown(id)
      assert.deepStrictEqual(whole.scope_property, scope_property)
      assert.deepStrictEqual(yield* found({ property_ids: rooms }), [])
      assert.strictEqual((yield* call(token, "update_knowledge_base", whole)).error_code, 0)
      for (const refused of [
        yield* call(token, "create_knowledge_base", { ...PARKING_ENTRY, scope_property }),
        yield* call(token, "update_knowledge_base", { id: yield* write(), ...PARKING_ENTRY, scope_property }),
        // The same number, but not of the same kind.
        yield* call(token, "update_knowledge_base", {
          ...whole,
          scope_property: { type: "by_room_type", ids: [group.id] }
        })
      ]) {
        assert.strictEqual(refused.error_code, 404)
        assert.match(refused.error_msg, /^scope_property\.ids: no such (group|room type): \d+\.$/)
      }
    })
  )

  it.effect("refuses what it cannot hold, and changes nothing", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        propertyIds: rooms,
        token,
        operatorId,
        createEntry: write,
        getEntry: shown
      } = yield* createEntryWriter("Harbour 1")
      const theirs = yield* createEntryWriter("Theirs")
      const { group: theirGroup } = yield* theirs.api.create_property_group({ name: "Theirs" }).pipe(theirs.as)
      const { room_type_id: theirType } = yield* theirs.api.create_room_type({ title: "Theirs" }).pipe(theirs.as)
      const { group } = yield* api.create_property_group({ name: "Harbour" }).pipe(as)
      const id = yield* write({ title: "Parking" })
      const before = yield* shown(id)
      const by = (type: string, ids: ReadonlyArray<number>) => ({ scope_property: { type, ids } })
      const on = (type: string, ...channels: ReadonlyArray<string>) => ({ scope_channel: { type, channels } })
      const many = Array.from({ length: KNOWLEDGE_SCOPE_MAX }, (_, index) => 900_000_000 + index)
      const full = Array.from({ length: KNOWLEDGE_ENTRY_TEXT_LENGTH / KNOWLEDGE_TEXT_LENGTH }, () =>
        content("ü".repeat(KNOWLEDGE_TEXT_LENGTH))
      )
      const refusals: ReadonlyArray<readonly [number, string, object]> = [
        [400, "scope_property", { scope_property: undefined }],
        [400, "scope_channel", { scope_channel: undefined }],
        [400, "contents", { contents: undefined }],
        [400, "is_enable", { is_enable: undefined }],
        [400, "is_enable", { is_enable: null }],
        [400, "is_enable", { is_enable: "yes" }],
        [400, "contents[0].text", { contents: [{ sub_title: "Garage" }] }],
        [400, "contents[0].sub_title", { contents: [{ text: "Two streets away." }] }],
        [400, "contents", { contents: "Two streets away." }],
        [422, "contents", { contents: [] }],
        [422, "contents", { contents: Array.from({ length: KNOWLEDGE_CONTENTS_MAX + 1 }, () => content("a")) }],
        [422, "contents[0].text", { contents: [content("")] }],
        [422, "contents[1].text", { contents: [content("a"), content(" \n\t　")] }],
        [422, "contents[0].text", { contents: [content("ü".repeat(KNOWLEDGE_TEXT_LENGTH + 1))] }],
        [422, "contents[0].sub_title", { contents: [content("a", "ü".repeat(KNOWLEDGE_TITLE_LENGTH + 1))] }],
        [422, "contents", { contents: [...full.slice(1), content("ü".repeat(KNOWLEDGE_TEXT_LENGTH), "a")] }],
        [422, "title", { title: "ü".repeat(KNOWLEDGE_TITLE_LENGTH + 1) }],
        [422, "contents[0].text", { contents: [content("a\u0000b")] }],
        [422, "audience", { audience: "everybody" }],
        [422, "scope_property.type", by("by_city", [1])],
        [400, "scope_property.type", { scope_property: { ids: [-1] } }],
        [400, "scope_property.ids", by("all", rooms)],
        [422, "scope_property.ids", by("by_property", [])],
        [422, "scope_property.ids", { scope_property: { type: "by_group" } }],
        [400, "scope_property.ids", by("by_room_type", [-1])],
        [400, "scope_property.ids", by("by_property", [-1, ...rooms])],
        [422, "scope_property.ids[0]", by("by_property", [-2])],
        [422, "scope_property.ids", by("by_property", [...many, 1])],
        [400, "scope_property.ids[0]", { scope_property: { type: "by_property", ids: ["one"] } }],
        [404, "scope_property.ids", by("by_property", many)],
        [404, "scope_property.ids", by("by_property", [0])],
        [404, "scope_property.ids", by("by_property", [...rooms, ...theirs.propertyIds])],
        [404, "scope_property.ids", by("by_group", [group.id, theirGroup.id])],
        [404, "scope_property.ids", by("by_room_type", [theirType])],
        [422, "scope_channel.type", on("by_country", "airbnb")],
        [400, "scope_channel.channels", on("all", "airbnb")],
        [422, "scope_channel.channels", on("by_channel")],
        [400, "scope_channel.channels", on("by_channel", "unlimited")],
        [400, "scope_channel.channels", on("by_channel", "airbnb", "unlimited")],
        [422, "scope_channel.channels[0]", on("by_channel", "nowhere")]
      ]
      for (const [code, field, fields] of refusals) {
        const what = JSON.stringify(fields).slice(0, 80)
        for (const refused of [
          yield* call(token, "create_knowledge_base", { ...PARKING_ENTRY, ...fields }),
          yield* call(token, "update_knowledge_base", { id, ...PARKING_ENTRY, title: "New", ...fields })
        ]) {
          assert.strictEqual(refused.error_code, code, `${what}: ${refused.error_msg}`)
          assert.isTrue(refused.error_msg.startsWith(`${field}: `), `${what}: ${refused.error_msg}`)
        }
      }
      assert.deepStrictEqual(yield* shown(id), before)
      assert.strictEqual(yield* countRows(operatorId, "knowledge_bases"), 1)
    })
  )

  it.effect("holds as much as it says", () =>
    Effect.gen(function* () {
      const { createEntry: write, getEntry: shown, operatorId } = yield* createEntryWriter()
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ id: number }>`
        INSERT INTO property_groups (operator_id, name, created_at)
        SELECT ${operatorId}, 'Group ' || n, now() FROM generate_series(1, ${KNOWLEDGE_SCOPE_MAX}::integer) n RETURNING id`
      const title = "😀".repeat(KNOWLEDGE_TITLE_LENGTH)
      const most = KNOWLEDGE_ENTRY_TEXT_LENGTH / KNOWLEDGE_TEXT_LENGTH
      const ids = rows.map(({ id }) => id)
      const id = yield* write({
        title,
        contents: Array.from({ length: most }, () => content("停".repeat(KNOWLEDGE_TEXT_LENGTH))),
        scope_property: { type: "by_group", ids }
      })
      assert.strictEqual((yield* shown(id)).title, title)
      assert.lengthOf((yield* shown(id)).scope_property.ids, KNOWLEDGE_SCOPE_MAX)
      const short = yield* write({
        contents: Array.from({ length: KNOWLEDGE_CONTENTS_MAX }, () => content("a", title))
      })
      assert.lengthOf((yield* shown(short)).contents, KNOWLEDGE_CONTENTS_MAX)
    })
  )

  it.effect("takes a thousand entries of an operator and no more, however many come at once", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId, createEntry: write } = yield* createEntryWriter()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO knowledge_bases (operator_id, title, is_enable, audience, scope_property_type, scope_property_ids,
          scope_channel_type, scope_channels, contents, process_status, due_at, created_at)
        SELECT ${operatorId}, '', true, 'guests', 'all', '{-1}', 'all', '{unlimited}', '[]', 'done', 'infinity', now()
        FROM generate_series(1, ${KNOWLEDGE_BASES_MAX - 1}::integer)`
      const four = Array.from({ length: 4 }, () => api.create_knowledge_base(PARKING_ENTRY).pipe(as))
      assert.deepStrictEqual(yield* runConcurrently(four), { succeeded: 1, refused: ["ValidationFailed"] })
      assert.strictEqual(yield* countRows(operatorId, "knowledge_bases"), KNOWLEDGE_BASES_MAX)
      const invalid = yield* call(token, "create_knowledge_base", PARKING_ENTRY)
      assert.deepStrictEqual([invalid.error_code, fieldOfError(invalid)], [422, "knowledge_base_limit"])
      assert.include(invalid.error_msg, `${KNOWLEDGE_BASES_MAX}`)
      const [first] = (yield* api.search_knowledge_bases({ limit: 1 }).pipe(as)).knowledge_bases
      yield* api.delete_knowledge_base({ id: first?.id ?? 0 }).pipe(as)
      yield* write()
    })
  )

  it.effect("answers 404 for what is not there, be it somebody else's", () =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* createEntryWriter()
      const theirs = yield* createEntryWriter()
      const id = yield* theirs.createEntry()
      for (const missing of [id, 900_000_000]) {
        for (const refused of [
          yield* call(token, "get_knowledge_base", { id: missing }),
          yield* call(token, "update_knowledge_base", { id: missing, ...PARKING_ENTRY }),
          yield* call(token, "delete_knowledge_base", { id: missing })
        ]) {
          assert.deepStrictEqual([refused.error_code, fieldOfError(refused)], [404, "id"])
        }
      }
      assert.deepStrictEqual((yield* theirs.getEntry(id)).contents, PARKING_ENTRY.contents)
      assert.strictEqual(yield* countRows(operatorId, "knowledge_bases"), 0)
    })
  )

  it.effect("deletes an entry with what was prepared of it", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId, createEntry: write, searchEntryIds: found } = yield* createEntryWriter()
      const [id, other] = [yield* write(), yield* write()]
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO knowledge_fragments (operator_id, knowledge_base_id, revision, place, sub_title, text, words)
        SELECT operator_id, id, 1, 0, '', 'Two streets away.', '' FROM knowledge_bases
        WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(yield* api.delete_knowledge_base({ id }).pipe(as), {})
      assert.deepStrictEqual(yield* found({}), [other])
      assert.deepStrictEqual(yield* loadFragments(operatorId), [`${other}/1: Two streets away.`])
      assert.strictEqual((yield* call(token, "delete_knowledge_base", { id })).error_code, 404)
    })
  )

  it.effect("leaves a trail that names what a host changed and nothing that the service notes", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, createEntry: write } = yield* createEntryWriter()
      const id = yield* write()
      const edit = {
        id,
        ...PARKING_ENTRY,
        title: "Parking",
        scope_channel: { type: "by_channel", channels: ["vrbo"] }
      } as const
      yield* api.update_knowledge_base(edit).pipe(as)
      yield* api.update_knowledge_base(edit).pipe(as)
      yield* api.delete_knowledge_base({ id }).pipe(as)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ operation: string; record: string; fields: ReadonlyArray<string> }>`
        SELECT operation, record, fields FROM trail WHERE operator_id = ${operatorId} ORDER BY id`
      const record = `knowledge_base:${id}`
      assert.deepStrictEqual(
        rows.map((row) => ({ ...row })),
        [
          { operation: "create_knowledge_base", record, fields: [] },
          { operation: "update_knowledge_base", record, fields: ["scope_channel", "title"] },
          { operation: "update_knowledge_base", record, fields: [] },
          { operation: "delete_knowledge_base", record, fields: [] }
        ]
      )
    })
  )

  describe.skipIf(!canOverlap)(withServerNote("two at once"), () => {
    it.effect("of two replacements the later stands whole, and each is a revision", () =>
      Effect.gen(function* () {
        const { api, as, createEntry: write, getEntry: shown } = yield* createEntryWriter()
        const id = yield* write()
        const replacing = (word: string) =>
          api.update_knowledge_base({ id, ...PARKING_ENTRY, title: word, contents: [content(word)] }).pipe(as)
        yield* runOverlapping(replacing("one"), replacing("two"))
        assert.deepInclude(yield* shown(id), { title: "two", contents: [content("two")] })
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{ revision: number }>`SELECT revision FROM knowledge_bases WHERE id = ${id}`
        assert.strictEqual(row?.revision, 3)
      })
    )
  })
})
