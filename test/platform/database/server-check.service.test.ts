import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Redacted } from "effect"
import { inject } from "vitest"
import { layerPostgres } from "../../../src/platform/database/postgres.ts"
import {
  checkServer,
  explainReadOnly,
  explainUnsupported,
  MIN_SERVER_VERSION,
  type ServerSettings
} from "../../../src/platform/database/server-check.ts"
import { canOverlap, withServerNote } from "../../support/overlapping-transactions.ts"

const OLDEST = MIN_SERVER_VERSION * 10_000
const said: ServerSettings = { version: OLDEST, zone: "UTC", jit: "off" }

describe("a server fits", () => {
  it("from PostgreSQL 15 on", () => {
    assert.isUndefined(explainUnsupported(said, false))
    assert.isUndefined(explainUnsupported({ ...said, version: 180_001 }, false))
    assert.strictEqual(
      explainUnsupported({ ...said, version: OLDEST - 1 }, false)
        ?.match(/\b\d+\b/g)
        ?.join(),
      "14,15"
    )
  })

  it("unless it only reads", () => {
    assert.isUndefined(explainReadOnly({ is_standby: false, is_read_only: false }))
    assert.include(explainReadOnly({ is_standby: true, is_read_only: true }), "hot standby")
    assert.include(explainReadOnly({ is_standby: false, is_read_only: true }), "default_transaction_read_only")
  })

  it("where a session has what it asks for; behind a pooler it has its zone at least", () => {
    assert.include(explainUnsupported({ ...said, jit: "on" }, false), "DATABASE_PREPARED=0")
    assert.isUndefined(explainUnsupported({ ...said, jit: "on" }, true))
    for (const pooled of [false, true])
      assert.include(explainUnsupported({ ...said, zone: "Asia/Tokyo" }, pooled), "Asia/Tokyo")
  })
})

it.live.skipIf(!canOverlap)(
  withServerNote("the server of this run fits, and would not if it had to be a later one"),
  () =>
    Effect.gen(function* () {
      yield* checkServer(undefined)
      const { message } = yield* Effect.flip(checkServer(undefined, { minVersion: 99 }))
      assert.match(message, /^DATABASE_URL: PostgreSQL \d+ .*\b99\b/)
    }).pipe(
      Effect.provide(
        layerPostgres({ url: Redacted.make(inject("testDatabaseUrl") || "postgres://127.0.0.1"), maxConnections: 1 })
      )
    )
)

it.live.skipIf(!canOverlap)(
  withServerNote("a pooler that is said to keep prepared statements, and hands on their names, is warned of"),
  () =>
    Effect.gen(function* () {
      const url = Redacted.make(inject("testDatabaseUrl") || "postgres://127.0.0.1/none")
      const told = Effect.fnUntraced(function* (pooler: { readonly supportsPreparedStatements: boolean } | undefined) {
        const lines: Array<string> = []
        const hearing = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
        yield* checkServer(pooler).pipe(
          Effect.provide([layerPostgres({ url, pooler, maxConnections: 1 }), hearing], { local: true })
        )
        return lines.filter((line) => line.includes("DATABASE_PREPARED=0"))
      })
      assert.lengthOf(yield* told({ supportsPreparedStatements: true }), 1)
      assert.lengthOf(yield* told({ supportsPreparedStatements: false }), 0)
      assert.lengthOf(yield* told(undefined), 0)
    })
)
