import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  insertOrder,
  insertProperty,
  type OrderOptions,
  type StayOptions,
  typedClient,
  withToken
} from "../../../harness.ts"
import { createSignedInHost, getPage } from "./host-forms.ts"

// What the tests of a stay's page begin with.

export const stayPath = (code: string): string => `/console/stay?${new URLSearchParams({ code }).toString()}`

/** A host with two properties, in April, and a stay of Ada's in the first from 4 to 7 May. */
export const createStayWithGuest = Effect.fnUntraced(function* (
  options: OrderOptions = {},
  stay: Partial<StayOptions> = {}
) {
  yield* TestClock.setTime(Date.parse("2027-04-20T10:00:00Z"))
  const host = yield* createSignedInHost()
  const { operatorId, token, cookie } = host
  const sql = yield* SqlClient.SqlClient
  const propertyId = yield* insertProperty(operatorId, "Harbour <1>")
  const secondPropertyId = yield* insertProperty(operatorId, "Harbour 2")
  const dates = { checkIn: "2027-05-04", checkOut: "2027-05-07" }
  const code = yield* insertOrder(operatorId, [{ propertyId, ...dates, ...stay }], options)
  yield* sql`UPDATE stays SET guest_name = 'Ada <L>' WHERE operator_id = ${operatorId} AND stay_code = ${code}`
  const api = yield* typedClient
  const as = withToken(token)
  const reservation = Effect.map(api.search_reservations({ reservation_code: code }).pipe(as), ({ reservations }) => {
    const [row] = reservations
    return row ?? assert.fail(`there is no stay ${code}`)
  })
  const path = stayPath(code)
  /** Whoever else is on the page's mind. */
  const insertOtherStay = Effect.fnUntraced(function* (
    name: string,
    propertyId: number | null,
    checkIn: string,
    checkOut: string
  ) {
    const other = yield* insertOrder(operatorId, [{ propertyId, checkIn, checkOut }])
    yield* sql`UPDATE stays SET guest_name = ${name} WHERE operator_id = ${operatorId} AND stay_code = ${other}`
    return other
  })
  const pageText = Effect.map(getPage(cookie, path), ({ text }) => text)
  const changeCount = Effect.map(
    sql<{ count: number }>`SELECT count(*)::int AS count FROM trail WHERE operator_id = ${operatorId}`,
    ([row]) => row?.count
  )
  return {
    ...host,
    sql,
    propertyId,
    secondPropertyId,
    code,
    api,
    as,
    reservation,
    path,
    insertOtherStay,
    pageText,
    changeCount
  }
})
