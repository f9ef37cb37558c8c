import { DateTime, Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentActor, systemActor } from "../../contract/actor.ts"
import { BadRequest, Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { parseMinorUnits } from "../../contract/money.ts"
import { currentSecond } from "../../contract/time.ts"
import { ChannelAccounts } from "../../domain/channels/channel-accounts/ChannelAccounts.ts"
import { withOperatorLock } from "../../domain/operator-rows.ts"
import { makeRowsReader, makeSingleRowReader } from "../../platform/database/rows.ts"
import { SANDBOX_LISTINGS_MAX } from "../../platform/limits.ts"
import { makeAccountLookup } from "./account-lookup.ts"
import { generateListingId } from "./id-generation.ts"
import { makeAddListing } from "./listing-insert.ts"
import { decodeListingRequest, type SandboxListingRequest } from "./marketplace-requests.ts"
import { createListing } from "./new-listing.ts"
import { SandboxOutbox } from "./SandboxOutbox.ts"
import { SandboxRepository } from "./SandboxRepository.ts"

export interface OpenedListing {
  readonly operator_id: number
  readonly channel_account_id: number
  readonly channel_type: string
  readonly username: string
  readonly listing_id: string
  readonly title: string
  readonly currency: string
  readonly heard: string | null
}

const readOperators = makeRowsReader(Schema.Struct({ id: Schema.Int, currency: Schema.String }))

const makeFindOperator = Effect.map(SqlClient.SqlClient, (sql) =>
  Effect.fnUntraced(function* (operatorId: number | undefined) {
    const [only, another] = yield* readOperators(sql`
      SELECT id, currency FROM operators WHERE ${operatorId === undefined ? sql`true` : sql`id = ${operatorId}`} LIMIT 2`)
    if (another !== undefined)
      return yield* new BadRequest({ message: "operator_id: is required because there are several operators." })
    return only ?? (yield* new NotFound({ message: "operator_id: no such operator." }))
  })
)

const checkAmounts = ({ currency, base_price, cleaning_fee }: SandboxListingRequest, operatorCurrency: string) =>
  Result.all(
    Object.entries({ base_price, cleaning_fee }).map(([field, amount]) =>
      amount === undefined ? Result.void : parseMinorUnits(field, amount, currency ?? operatorCurrency)
    )
  )

const ORIGIN_ID_PREFIX = "sandbox-"
const DEFAULT_USERNAME = "host"

interface ListingIdQuery {
  readonly operatorId: number
  readonly channel_type: string
  readonly origin_account_id: string
  readonly listingId: string
}

const readIsTakenByOtherAccount = makeSingleRowReader(Schema.Struct({ elsewhere: Schema.Boolean }))

/** The service stores a listing id only once for an operator and channel. */
const makeIsTakenByOtherAccount =
  (sql: SqlClient.SqlClient) =>
  ({ operatorId, channel_type, origin_account_id, listingId }: ListingIdQuery) =>
    Effect.map(
      readIsTakenByOtherAccount(sql`
        SELECT EXISTS (
          SELECT FROM channel_accounts a
          WHERE a.operator_id = ${operatorId} AND a.channel_type = ${channel_type}
            AND a.origin_account_id <> ${origin_account_id}
            AND (EXISTS (SELECT FROM sandbox_listings l
                WHERE l.operator_id = a.operator_id AND l.account_id = a.id AND l.listing_id = ${listingId})
              OR EXISTS (SELECT FROM listings l
                WHERE l.operator_id = a.operator_id AND l.account_id = a.id AND l.channel_type = a.channel_type
                  AND l.listing_id = ${listingId}))
        ) AS elsewhere`),
      ({ elsewhere }) => elsewhere
    )

/** If the listing is rejected, no account is created. */
export const makeOpenListing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* ChannelAccounts
  const repository = yield* SandboxRepository
  const accountLookup = yield* makeAccountLookup
  const outbox = yield* SandboxOutbox
  const findOperator = yield* makeFindOperator
  const add = makeAddListing(sql)
  const isTakenByOtherAccount = makeIsTakenByOtherAccount(sql)
  const runLocked = withOperatorLock(sql)

  return Effect.fnUntraced(
    function* (input: typeof SandboxListingRequest.Encoded) {
      const request = yield* decodeListingRequest(input)
      const operator = yield* findOperator(request.operator_id)
      yield* Effect.fromResult(checkAmounts(request, operator.currency))
      const now = yield* DateTime.nowAsDate
      const username = request.username?.trim() ?? DEFAULT_USERNAME
      const accountFields = {
        channel_type: request.channel_type,
        username,
        origin_account_id: `${ORIGIN_ID_PREFIX}${username}`
      }
      const listingId = request.listing_id ?? (yield* generateListingId(request.channel_type))
      const listing = createListing(request, listingId, operator.currency)
      const connectAndAdd = Effect.gen(function* () {
        if (yield* isTakenByOtherAccount({ operatorId: operator.id, listingId, ...accountFields })) {
          return yield* new Conflict({
            message: `listing_id: another account of the operator on ${request.channel_type} already has ${listingId}.`
          })
        }
        const accountId = yield* accounts.connect(
          operator.id,
          { ...accountFields, connector: "sandbox" },
          yield* currentSecond
        )
        const account = yield* accountLookup.byOperatorAccount(operator.id, accountId)
        if (account === undefined)
          return yield* new NotFound({ message: "channel_type: the account no longer exists." })
        return { account, outcome: yield* add(account, listing, now) }
      })
      const { account, outcome } = yield* runLocked(operator.id, connectAndAdd)
      if (outcome === "full") return yield* sandboxListingLimitError
      if (outcome === "known")
        return yield* new Conflict({ message: `listing_id: the account already has ${listing.listing_id}.` })
      yield* outbox.flush(account)
      const openedListing: OpenedListing = {
        operator_id: operator.id,
        channel_account_id: account.account_id,
        channel_type: request.channel_type,
        username,
        listing_id: listing.listing_id,
        title: listing.title,
        currency: listing.currency,
        heard: yield* repository.findIngestOutcome(account, "listing", listing.listing_id)
      }
      return openedListing
    },
    Effect.provideService(CurrentActor, systemActor("sandbox", "open"))
  )
})

const sandboxListingLimitError = new ValidationFailed({
  message: `listing_id: an account of the sandbox has at most ${SANDBOX_LISTINGS_MAX} listings.`
})
