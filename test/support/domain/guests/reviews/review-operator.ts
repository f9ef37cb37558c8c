import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Ingest } from "../../../../../src/connectors/ingest/Ingest.ts"
import { addDays } from "../../../../../src/contract/time.ts"
import { insertOrder, type StayOptions } from "../../../harness.ts"
import { insertChannelAccount } from "../../../listings.ts"
import { ScriptedChannel } from "../../../scripted-channel.ts"
import { prepareOperator, TODAY } from "../../bookings/reservations/reservation-operator.ts"

// What the tests of reviews begin with.

export const REVIEW_WRITTEN_AT = "2027-04-19T09:00:00+00:00"

/** What one side says, as its channel tells it. */
export const makeReviewSide = (content: string, overrides: object = {}) => ({
  content,
  score: 4.5,
  created_at: REVIEW_WRITTEN_AT,
  ...overrides
})

/** An operator on a day in April, whose channels say what they are told to. */
export const prepareReviewOperator = Effect.gen(function* () {
  const operator = yield* prepareOperator
  const { operatorId, propertyId: property } = operator
  const [{ ingest }, channel, sql] = [yield* Ingest, yield* ScriptedChannel, yield* SqlClient.SqlClient]
  const accounts = new Map<string, number>()
  const findOrCreateAccount = Effect.fnUntraced(function* (channelType: string) {
    const existingId = accounts.get(channelType)
    if (existingId !== undefined) return existingId
    const newId = yield* insertChannelAccount(operatorId, { channelType })
    accounts.set(channelType, newId)
    return newId
  })

  /** An order for three nights, and whatever other stays it has; answers its code. */
  const insertEndedOrder = Effect.fnUntraced(function* (
    checkOut: string = addDays(TODAY, -1),
    channelType = "airbnb",
    propertyId: number | null = property,
    ...others: ReadonlyArray<StayOptions>
  ) {
    const account = yield* findOrCreateAccount(channelType)
    const code = yield* insertOrder(operatorId, [{ propertyId, checkIn: addDays(checkOut, -3), checkOut }, ...others], {
      channelType
    })
    yield* sql`
      UPDATE orders SET channel_account_id = ${account} WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
    return code
  })

  /** What the channel says of an order's reviews. */
  const ingestReview = Effect.fnUntraced(function* (
    code: string,
    version: number,
    review: object,
    channelType = "airbnb"
  ) {
    const sourceAccount = { operatorId, accountId: yield* findOrCreateAccount(channelType), channelType }
    return yield* ingest(sourceAccount, { type: "review", version, channel_id: code.slice(2), ...review })
  })

  /** The record of an order, whatever its status; undefined where there is none. */
  const findReview = Effect.fnUntraced(function* (reservation_code: string) {
    for (const review_status of ["reviewed", "pending_guest_review", "pending_host_review"] as const) {
      const { reviews } = yield* operator.api.search_reviews({ reservation_code, review_status }).pipe(operator.as)
      if (reviews[0] !== undefined) return reviews[0]
    }
    return undefined
  })

  /** Moves the check-out of an order in no property, as every change of an order does: its stays, and its version. */
  const moveCheckOut = (code: string, day: string) => sql`
    WITH moved AS (UPDATE stays SET check_out_date = ${day} WHERE operator_id = ${operatorId} AND stay_code = ${code})
    UPDATE orders SET version = version + 1 WHERE operator_id = ${operatorId} AND reservation_code = ${code}`

  /** What this order's channel was told. */
  const listSentReviews = (code: string) =>
    Effect.map(channel.guests.reviews, (all) => all.filter((each) => each.reservationCode === code))
  return {
    ...operator,
    sql,
    channel,
    findOrCreateAccount,
    insertEndedOrder,
    ingestReview,
    findReview,
    moveCheckOut,
    listSentReviews
  }
})
