import { DateTime, Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Acting, byItself } from "../../contract/acting.ts"
import { BadRequest, Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { unitsOf } from "../../contract/money.ts"
import { currentSecond } from "../../contract/time.ts"
import { ChannelAccounts } from "../../domain/channels/channel-accounts/ChannelAccounts.ts"
import { inTurn } from "../../domain/own-row.ts"
import { type Givens, inForms } from "../../platform/database/forms.ts"
import { onlyRowOf, rowsOf } from "../../platform/database/rows.ts"
import { SANDBOX_LISTINGS } from "../../platform/limits.ts"
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
    if (another !== undefined)
      return yield* new BadRequest({ message: "operator_id: is required because there are several operators." })
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

interface Elsewhere {
  readonly operatorId: number
  readonly channel_type: string
  readonly origin_account_id: string
  readonly listingId: string
}

const readElsewhere = onlyRowOf(Schema.Struct({ elsewhere: Schema.Boolean }))

/**
 * Whether another account of the operator on the channel has a listing of that name, in the sandbox or in the service: the
 * service knows one alone, and guests could book neither by its name.
 */
const makeIsElsewhere = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, channel_type, origin_account_id, listingId }: Givens<Elsewhere>) => sql`
      SELECT EXISTS (
        SELECT FROM channel_accounts a
        WHERE a.operator_id = ${operatorId} AND a.channel_type = ${channel_type}
          AND a.origin_account_id <> ${origin_account_id}
          AND (EXISTS (SELECT FROM sandbox_listings l
              WHERE l.operator_id = a.operator_id AND l.account_id = a.id AND l.listing_id = ${listingId})
            OR EXISTS (SELECT FROM listings l
              WHERE l.operator_id = a.operator_id AND l.account_id = a.id AND l.channel_type = a.channel_type
                AND l.listing_id = ${listingId}))
      ) AS elsewhere`
  )
  return ({ operatorId, channel_type, origin_account_id, listingId }: Elsewhere) =>
    Effect.map(
      readElsewhere(statement({ operatorId, channel_type, origin_account_id, listingId })),
      ({ elsewhere }) => elsewhere
    )
}

/**
 * Opens a listing, and the account it is in unless that is there. What is refused
 * for its name leaves nothing, not even the account.
 */
export const makeOpen = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* ChannelAccounts
  const books = yield* Books
  const finding = yield* makeFinding
  const telling = yield* Telling
  const operatorOf = yield* makeOperatorOf
  const add = addListing(sql)
  const isElsewhere = makeIsElsewhere(sql)
  const alone = inTurn(sql)

  return Effect.fnUntraced(
    function* (input: typeof OpenAsked.Encoded) {
      const asked = yield* readOpen(input)
      const operator = yield* operatorOf(asked.operator_id)
      yield* Effect.fromResult(soldFor(asked, operator.currency))
      const now = yield* DateTime.nowAsDate
      const username = asked.username?.trim() ?? USERNAME
      const known = { channel_type: asked.channel_type, username, origin_account_id: `${ORIGIN}${username}` }
      const listingId = asked.listing_id ?? (yield* drawListingName(asked.channel_type))
      const listing = newListing(asked, listingId, operator.currency)
      const opening = Effect.gen(function* () {
        if (yield* isElsewhere({ operatorId: operator.id, listingId, ...known })) {
          return yield* new Conflict({
            message: `listing_id: another account of the operator on ${asked.channel_type} already has ${listingId}.`
          })
        }
        const accountId = yield* accounts.connect(operator.id, { ...known, connector: "sandbox" }, yield* currentSecond)
        const account = yield* finding.account(operator.id, accountId)
        if (account === undefined)
          return yield* new NotFound({ message: "channel_type: the account no longer exists." })
        return { account, came: yield* add(account, listing, now) }
      })
      // Of two that open a listing of one name at once the second sees the first.
      const { account, came } = yield* alone(operator.id, opening)
      if (came === "full") return yield* noMoreListings
      if (came === "known")
        return yield* new Conflict({ message: `listing_id: the account already has ${listing.listing_id}.` })
      yield* telling.tell(account)
      const opened: Opened = {
        operator_id: operator.id,
        channel_account_id: account.account_id,
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
