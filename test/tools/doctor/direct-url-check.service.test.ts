import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { checkDirectUrl } from "../../../src/tools/doctor/direct-url-check.ts"
import { canOverlap, withServerNote } from "../../support/overlapping-transactions.ts"
import { createEmptyDatabase } from "../../support/scratch-database.ts"

it.live.skipIf(!canOverlap)(withServerNote("the address past the pooler must lead to the same database"), () =>
  Effect.gen(function* () {
    const databaseUrl = Redacted.make(inject("testDatabaseUrl"))
    const found = (url: string) => checkDirectUrl({ databaseUrl, databaseDirectUrl: Redacted.make(url) })
    const is = (url: string) => Effect.map(found(url), (all) => all.map((each) => each.is))
    assert.deepStrictEqual(yield* is(inject("testDatabaseUrl")), ["fine"])
    assert.deepStrictEqual(yield* is(yield* createEmptyDatabase(inject("testDatabaseUrl"))), ["wrong"])
    const away = yield* found("postgres://user:hunter2@127.0.0.1:9/latchkey")
    assert.strictEqual(away[0]?.is, "wrong")
    assert.match(away[0]?.found ?? "", /^127\.0\.0\.1:9 .*\bECONNREFUSED$/)
    assert.notInclude(JSON.stringify(away), "hunter2")
    const alone = yield* checkDirectUrl({
      databaseUrl: Redacted.make("postgres://u@127.0.0.1:9/latchkey"),
      databaseDirectUrl: databaseUrl
    })
    assert.deepInclude(alone[0], { is: "unsure" })
    assert.deepStrictEqual(yield* checkDirectUrl({ databaseUrl, databaseDirectUrl: undefined }), [])
  })
)
