import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Api } from "../../src/service/Api.ts"
import { overMcp, overRest } from "../attacks/doors.ts"
import { connections } from "../attacks/wire.ts"
import { fieldOfError } from "../support/error-messages.ts"
import { BaseUrl, layerHttpServer } from "../support/http-server.ts"
import { makeSampleWorld, type SampleWorld } from "../support/sample-world.ts"

// `fields` of the lists that have it, over both doors, on records of every kind.

const SPAN = { start_date: "1970-01-01", end_date: "1970-12-31" }

const LISTS = [
  { operation: Api.search_reservations, list: "reservations", all: {}, wanted: ["status", "reservation_code"] },
  { operation: Api.search_transactions, list: "transactions", all: SPAN, wanted: ["amount", "id"] },
  { operation: Api.search_properties, list: "properties", all: {}, wanted: ["title"] },
  { operation: Api.query_conversations, list: "conversations", all: {}, wanted: ["id"] }
]

const Answer = Schema.fromJsonString(
  Schema.Struct({
    error_code: Schema.Int,
    error_msg: Schema.String,
    data: Schema.Record(Schema.String, Schema.Unknown)
  })
)
const decode = Schema.decodeUnknownSync(Answer)

const heard = Effect.fnUntraced(function* (
  door: "REST" | "MCP",
  operation: (typeof LISTS)[number]["operation"],
  { token }: SampleWorld,
  fields: Readonly<Record<string, unknown>>
) {
  const target = { base: yield* BaseUrl, agent: connections(1) }
  const over = door === "REST" ? overRest : overMcp
  const { envelope } = yield* Effect.promise(() => over(target, operation, token, fields))
  return decode(JSON.stringify(envelope))
})

const rowsIn = (data: Readonly<Record<string, unknown>>, list: string): ReadonlyArray<Record<string, unknown>> => {
  const rows = data[list]
  return Array.isArray(rows) ? rows : assert.fail(`there is no list ${list}`)
}

layer(layerHttpServer())("fields of a list", (it) => {
  it.effect.each(LISTS)("of $list are those that are wanted and no others", ({ operation, list, all, wanted }) =>
    Effect.gen(function* () {
      const world = yield* makeSampleWorld
      const whole = yield* heard("REST", operation, world, all)
      const rows = rowsIn(whole.data, list)
      assert.isNotEmpty(rows)
      const restricted = rows.map((row) => Object.fromEntries(wanted.toSorted().map((name) => [name, row[name]])))
      const asked: ReadonlyArray<readonly ["REST" | "MCP", unknown]> = [
        ["REST", wanted.join(",")],
        ["MCP", wanted.join(", ")],
        ["MCP", wanted]
      ]
      for (const [door, fields] of asked) {
        const { data, error_code } = yield* heard(door, operation, world, { ...all, fields })
        assert.strictEqual(error_code, 0)
        assert.deepStrictEqual(data, { ...whole.data, [list]: restricted })
      }
    })
  )

  it.effect.each(LISTS)(
    "of $list are 422 where rows have none of the name, and the names are told",
    ({ operation, list, all }) =>
      Effect.gen(function* () {
        const world = yield* makeSampleWorld
        const first = Object.keys(rowsIn((yield* heard("REST", operation, world, all)).data, list)[0] ?? {})[0] ?? ""
        for (const [door, fields] of [
          ["REST", "nights"],
          ["MCP", "id,nights"],
          ["MCP", [first, "nights"]]
        ] as const) {
          const { error_code, error_msg } = yield* heard(door, operation, world, { ...all, fields })
          assert.strictEqual(error_code, 422)
          // It names the unknown field and those that rows have.
          assert.match(error_msg, new RegExp(`^fields: .*\\bnights\\b.*\\b${first}\\b`))
        }
        const { error_msg } = yield* heard("MCP", operation, world, { ...all, fields: [] })
        assert.strictEqual(fieldOfError({ error_msg }), "fields")
      })
  )
})
