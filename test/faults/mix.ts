import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { addDays } from "../../src/contract/time.ts"
import { restWrite } from "../attacks/doors.ts"
import { connections, send } from "../attacks/wire.ts"
import { type Estate, entryOn, estate } from "../attacks/writing.ts"
import { requestText } from "./load.ts"

// What a busy operator's applications ask for: an entry is made, entries and stays are listed, days are looked at.

/** Entries on the day that is listed. */
const ENTRIES = 40

/** Entries of the months before, one in a quarter of an hour. */
const EARLIER = 30_000

/**
 * An operator that has been there for a while, in a database that knows how large its tables are: how a statement is planned goes
 * by that, so a load that begins on empty tables would cost otherwise when it ends.
 */
export const grownEstate = Effect.gen(function* () {
  const grown = yield* estate(0)
  const { operatorId, wanted } = grown
  const sql = yield* SqlClient
  yield* sql`
    INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, property_id,
      status, operator_name, created_at, updated_at)
    SELECT ${operatorId}, 'income', 120, 'EUR', 11, 197, at, ${wanted}, 'paid', 'Owner', at, at
    FROM generate_series(1, ${EARLIER}::int) nth,
      LATERAL (SELECT now() - interval '30 days' - nth * interval '15 minutes' AS at) times`
  yield* sql`ANALYZE`.unprepared
  return grown
}).pipe(Effect.orDie)

/**
 * The requests, and what they list is there. What a call costs must not go with how many were made before it, or a peak found
 * first is one that later calls cannot reach however little there is to do beside: the entries that are listed are of a
 * day that has gone by, and the ones that are made are today's.
 */
export const mixFor = async (base: string, { token, wanted }: Estate): Promise<ReadonlyArray<string>> => {
  const today = new Date().toISOString().slice(0, 10)
  const listed = addDays(today, -7)
  const entry = entryOn(wanted)
  const agent = connections(1)
  for (let nth = 0; nth < ENTRIES; nth++) {
    const past = { ...entry, action_at: `${listed}T12:00:00Z` }
    const { text } = await send(base, agent, restWrite(token, "POST", "/v3/transactions", past))
    if (!text.includes('"error_code":0')) throw new Error(`an entry to list was answered ${text}`)
  }
  agent.destroy()
  return [
    { method: "POST", path: "/v3/transactions", fields: entry },
    { method: "GET", path: `/v3/transactions?start_date=${listed}&end_date=${listed}&limit=20` },
    { method: "GET", path: "/v3/reservations?limit=20" },
    {
      method: "GET",
      path: `/v3/availabilities?property_ids=${wanted}&start_date=${today}&end_date=${addDays(today, 30)}`
    }
  ].map((asked) => requestText(base, token, asked))
}
