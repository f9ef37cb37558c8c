import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../../migrations/index.ts"
import { digestOfUrl } from "../../../src/domain/calendars/imported-calendars/calendar-url.ts"
import { migrate } from "../../../src/platform/database/migrate.ts"
import { layerEmptyDatabase } from "../../support/empty-database.ts"

const before = migrations.filter(({ id }) => id < 64)

/** Of more calendars than one step takes. */
const CALENDARS = 1_001

layer(layerEmptyDatabase)("calendars of the release before", (it) => {
  it.effect("get their digests, and so do those that it adds while both run", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate(before)
      yield* sql`
        INSERT INTO operators (name, time_zone, currency, edition, status, created_at)
        VALUES ('Test', 'Europe/Berlin', 'EUR', 'pro', 'active', now())`
      yield* sql`INSERT INTO properties (operator_id, title, created_at) VALUES (1, 'Harbour 1', now())`
      const add = (from: number, to: number) => sql`
        INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at)
        SELECT 1, 1, 'https://example.com/' || n, 'example.com', now(), now() FROM generate_series(${from}::int, ${to}::int) n`
      yield* add(1, CALENDARS)
      yield* migrate(migrations)
      yield* add(CALENDARS + 1, CALENDARS + 1)
      const rows = yield* sql<{ url: string; url_digest: Uint8Array }>`SELECT url, url_digest FROM imported_calendars`
      assert.strictEqual(rows.length, CALENDARS + 1)
      for (const { url, url_digest } of rows) assert.strictEqual(Buffer.compare(url_digest, digestOfUrl(url)), 0)
      const twice = yield* Effect.flip(add(1, 1))
      assert.include(String(twice.reason.cause), "imported_calendars_own_url")
      const sealed = yield* Effect.flip(
        sql`UPDATE imported_calendars SET url = 'sealed:1:x', url_digest = NULL WHERE id = 1`
      )
      assert.include(String(sealed.reason.cause), "comes with its digest")
      yield* sql`UPDATE imported_calendars SET url = 'sealed:1:x' WHERE id = 1`
    })
  )
})
