import { DateTime, Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Acting, byItself } from "../contract/acting.ts"
import { BadRequest, Conflict, NotFound, ValidationFailed } from "../contract/errors.ts"
import { unitsOf } from "../contract/money.ts"
import { currentSecond } from "../contract/time.ts"
import { type Givens, inForms } from "../database/forms.ts"
import { rowsOf } from "../database/rows.ts"
import { SANDBOX_LISTINGS } from "../limits.ts"
import { ChannelAccounts } from "../resources/channel-accounts/ChannelAccounts.ts"
import { type OpenAsked, readOpen } from "./asked.ts"
import { Books } from "./Books.ts"
import { makeFinding } from "./finding.ts"
import { addListing } from "./listings.ts"
import { drawListingName } from "./names.ts"
import { newListing } from "./new-listing.ts"
import { Telling } from "./Telling.ts"

/** What was opened. */
export interface Opened {
  readonly operator_id: number
  readonly channel_account_id: number
  readonly channel_type: string
  readonly username: string
  readonly listing_id: string
  readonly title: string
  readonly currency: string
  /** What the service answered when it was told of the listing: null if it was not heard yet. */
  readonly heard: string | null
}

const readOperators = rowsOf(Schema.Struct({ id: Schema.Int, currency: Schema.String }))

/** The operator that is meant: the only one there is, if none is said. */
const makeOperatorOf = Effect.map(SqlClient.SqlClient, (sql) => {
  const statement = inForms(
    sql,
    ({ operatorId }: Givens<{ readonly operatorId: number | undefined }>) => sql`
      SELECT id, currency FROM operators WHERE ${operatorId === undefined ? sql`true` : sql`id = ${operatorId}`} LIMIT 2`
  )
  return Effect.fnUntraced(function* (operatorId: number | undefined) {
    const [only, another] = yield* readOperators(statement({ operatorId }))
    if (another !== undefined) return yield* new BadRequest({ message: "operator_id: there are several: say which." })
    return only ?? (yield* new NotFound({ message: "operator_id: no such operator." }))
  })
})

/** 422 for an amount that is finer than the currency it is sold in. */
const soldFor = ({ currency, base_price, cleaning_fee }: OpenAsked, operatorCurrency: string) =>
  Result.all(
    Object.entries({ base_price, cleaning_fee }).map(([field, amount]) =>
      amount === undefined ? Result.void : unitsOf(field, amount, currency ?? operatorCurrency)
    )
  )

/** The channel's own ids of accounts that the sandbox made. */
const ORIGIN = "sandbox-"
const USERNAME = "host"

/**
 * Opens a listing, and the account it is in unless that is there. Cut off in between it has made an account without a
 * listing, and doing it again makes the listing.
 */
export const makeOpen = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* ChannelAccounts
  const books = yield* Books
  const finding = yield* makeFinding
  const telling = yield* Telling
  const operatorOf = yield* makeOperatorOf
  const add = addListing(sql)

  return Effect.fnUntraced(
    function* (input: typeof OpenAsked.Encoded) {
      const asked = yield* readOpen(input)
      const operator = yield* operatorOf(asked.operator_id)
      yield* Effect.fromResult(soldFor(asked, operator.currency))
      const now = yield* DateTime.nowAsDate
      const username = asked.username?.trim() ?? USERNAME
      const known = { channel_type: asked.channel_type, username, origin_account_id: `${ORIGIN}${username}` }
      const accountId = yield* accounts.connect(operator.id, { ...known, connector: "sandbox" }, yield* currentSecond)
      const account = yield* finding.account(operator.id, accountId)
      if (account === undefined) return yield* new NotFound({ message: "channel_type: the account is gone." })
      const listing = newListing(asked, asked.listing_id ?? (yield* drawListingName), operator.currency)
      const came = yield* add(account, listing, now)
      if (came === "full") return yield* noMoreListings
      if (came === "known")
        return yield* new Conflict({ message: `listing_id: the account has ${listing.listing_id} already.` })
      yield* telling.tell(account)
      const opened: Opened = {
        operator_id: operator.id,
        channel_account_id: accountId,
        channel_type: asked.channel_type,
        username,
        listing_id: listing.listing_id,
        title: listing.title,
        currency: listing.currency,
        heard: yield* books.heard(account, "listing", listing.listing_id)
      }
      return opened
    },
    Effect.provideService(Acting, byItself("sandbox", "open"))
  )
})

const noMoreListings = new ValidationFailed({
  message: `listing_id: an account of the sandbox has at most ${SANDBOX_LISTINGS} listings.`
})
